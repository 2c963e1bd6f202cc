"""Servers in processes of their own, and channels to them."""

import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import grpc
import trustme

FUNCTION = "function.main"
FLOOR = "benchmarks.floor"

_START_SECONDS = 30
_MIB_IN_KIB = 1024


@dataclass(frozen=True)
class Server:
    """A server that listens."""

    address: str
    process_id: int

    def processor_seconds(self) -> float:
        """Return how long it has kept a processor busy."""
        # The fields after the command's name, which may hold spaces [proc(5)].
        fields = Path(f"/proc/{self.process_id}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """Return its resident memory in MiB."""
        for line in Path(f"/proc/{self.process_id}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / _MIB_IN_KIB
        raise ProcessLookupError("the server is gone")


class Certificates:
    """An authority, the folder with a server's certificates, and a client's."""

    def __init__(self, folder: Path) -> None:
        """Issue the certificates."""
        self.folder = folder
        authority = trustme.CA()
        server, client = authority.issue_cert("localhost"), authority.issue_cert("crossplane")
        server.private_key_pem.write_to_path(str(folder / "tls.key"))
        server.cert_chain_pems[0].write_to_path(str(folder / "tls.crt"))
        authority.cert_pem.write_to_path(str(folder / "ca.crt"))
        self._client = grpc.ssl_channel_credentials(
            authority.cert_pem.bytes(),
            client.private_key_pem.bytes(),
            client.cert_chain_pems[0].bytes(),
        )

    @classmethod
    @contextmanager
    def issued(cls) -> Iterator["Certificates"]:
        """Yield certificates that are gone afterwards."""
        with tempfile.TemporaryDirectory() as folder:
            yield cls(Path(folder))

    def channel(
        self, *addresses: str, options: tuple[tuple[str, str], ...] = ()
    ) -> grpc.aio.Channel:
        """Open a channel with mTLS."""
        named = ("grpc.ssl_target_name_override", "localhost")
        target = f"ipv4:{','.join(addresses)}"
        return grpc.aio.secure_channel(target, self._client, options=[named, *options])


@contextmanager
def serving(module: str, certificates: Certificates | None) -> Iterator[Server]:
    """Run a server on a free port of 127.0.0.1, yield it once it listens, and stop it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address: tuple[str, int] = probe.getsockname()
    named = f"{address[0]}:{address[1]}"
    secured = ["--tls-server-certs-dir", str(certificates.folder)] if certificates else []
    process = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-m", module, "--address", named, *(secured or ["--insecure"])],
        stdout=subprocess.DEVNULL,
        env={**os.environ, "PYTHONUNBUFFERED": ""},
    )
    try:
        _wait_until_listening(address)
        yield Server(named, process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(timeout=10)
        finally:
            process.kill()


def _wait_until_listening(address: tuple[str, int]) -> None:
    end = time.monotonic() + _START_SECONDS
    while True:
        try:
            socket.create_connection(address).close()
        except ConnectionRefusedError:
            if time.monotonic() > end:
                raise
            time.sleep(0.002)
        else:
            return
