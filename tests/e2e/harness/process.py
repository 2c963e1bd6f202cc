"""Programs that run while tests do: started, watched, stopped, their words kept."""

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from time import monotonic, sleep
from typing import TypeVar

HOST = "127.0.0.1"

T = TypeVar("T")


def free_port() -> int:
    """Return a port of the loopback interface that nobody listens on."""
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        port: int = probe.getsockname()[1]
        return port


def answers(port: int) -> bool:
    """Say whether something listens on the port."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((HOST, port)) == 0


def eventually(
    ask: Callable[[], T], *, within: float = 60, every: float = 0.1, what: str = ""
) -> T:
    """Ask until the answer is truthy, and return it.

    Raises:
        TimeoutError: It was not, in time. It tells the last answer.
    """
    deadline = monotonic() + within
    while True:
        answer = ask()
        if answer:
            return answer
        if monotonic() > deadline:
            message = f"not within {within:.0f} s: {what or ask}; last answer: {answer!r}"
            raise TimeoutError(message)
        sleep(every)


def _guard() -> list[str]:
    """Return what makes a program end with us, even when we are killed; where there is that."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig=KILL", "--"] if setpriv else []


class Process:
    """A program in the background.

    It leads a session of its own, so that Ctrl-C reaches the tests first and what runs here is
    stopped in order, with all of its children.
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        logs: Path,
        environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:
        """Start the program.

        Args:
            name: What it is called in messages and in the name of its log.
            command: The program and its arguments.
            logs: Folder for its log; a restart adds to it.
            environment: What its environment has beyond ours.
            folder: Where it runs; by default where we do.
        """
        self.name = name
        self.command = [str(word) for word in command]
        self.log = logs / f"{name}.log"
        self._environment = {**os.environ, **(environment or {})}
        self._folder = folder
        self._process = self._start()

    @property
    def pid(self) -> int:
        """Its process ID."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def wait_for(self, ready: Callable[[], object], within: float = 60) -> None:
        """Wait until the program is ready.

        Raises:
            RuntimeError: It ended instead.
            TimeoutError: It was not, in time.
        """

        def ready_or_dead() -> bool:
            if not self.running:
                message = f"{self.name} ended with {self._process.returncode}:\n{self.tail()}"
                raise RuntimeError(message)
            return bool(ready())

        eventually(ready_or_dead, within=within, what=f"{self.name} is ready")

    def stop(self, patience: float = 10) -> None:
        """Ask the program to end, and make it after so many seconds."""
        if not self.running:
            return
        self._signal(signal.SIGTERM)
        try:
            self._process.wait(patience)
        except subprocess.TimeoutExpired:
            self.kill()

    def kill(self) -> None:
        """End the program without giving it a chance to say goodbye."""
        if self.running:
            self._signal(signal.SIGKILL)
        self._process.wait()

    def restart(self) -> None:
        """Start the program again after it was stopped or killed."""
        self._process = self._start()

    def tail(self, lines: int = 40) -> str:
        """Return the end of its log."""
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-lines:])

    def _start(self) -> subprocess.Popen[bytes]:
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [*_guard(), *self.command],
                cwd=self._folder,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def _signal(self, number: signal.Signals) -> None:
        os.killpg(self._process.pid, number)
