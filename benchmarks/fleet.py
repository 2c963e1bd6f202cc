"""Ten thousand CivoClusters, driven at the server by callers at once.

    python -m benchmarks.fleet

One replica under all the load that it takes, then two behind one address, then one at the pace at
which Crossplane calls for the whole fleet.
"""

import asyncio
import copy
import dataclasses
import itertools
import json
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field

import click
import grpc
from crossplane.function import logging
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks import clusters, machine
from benchmarks.clusters import Moment
from benchmarks.figures import amount, percentile
from benchmarks.over_grpc import Call, method
from benchmarks.servers import FUNCTION, Certificates, Server, serving

# As long as every name that takes their place: a request stays one.
_NAME, _NAMESPACE = "cluster-00000", "team-000"
_PER_NAMESPACE = 100
# Every cluster lives one of so many lives, under a name of its own.
_LIVES = 250

# Crossplane reconciles an XR again when the TTL of the function's answer is over, a minute, and
# whenever something changes that it composes [crossplane/crossplane, composite/reconciler.go]. In a
# steady one hardly anything does: this is for a fleet in which much happens.
_PER_MINUTE = 1.5
# How Crossplane spreads its calls over what a function's headless Service resolves to
# [crossplane/crossplane, internal/xfn/function_runner.go].
_ROUND_ROBIN = '{"loadBalancingConfig": [{"round_robin": {}}]}'
_SETTLED_CALLS = 1_000
_QUOTA = "create failed: async create failed: [{0 [ERR] quota_limit_reached: 16 of 16  []}]"


class Fleet:
    """Clusters with 1 to 8 pools, each somewhere in its life; the same ones for the same seed."""

    def __init__(self, size: int, seed: int) -> None:
        """Make a fleet of a number of clusters."""
        chance = random.Random(seed)  # noqa: S311 - chance, no secret
        self._lives = [
            [(moment.request().SerializeToString(), moment.composed) for moment in _life(chance)]
            for _ in range(min(_LIVES, size))
        ]
        self._ages = [chance.randrange(100) for _ in range(size)]

    def turn(self, number: int) -> tuple[str, bytes, frozenset[str]]:
        """Return a cluster's name, its next request, and what must be composed.

        Every cluster has its turn, and then again, a moment later in its life.
        """
        rounds, cluster = divmod(number, len(self._ages))
        life = self._lives[cluster % len(self._lives)]
        request, composed = life[(self._ages[cluster] + rounds) % len(life)]
        name, namespace = f"cluster-{cluster:05}", f"team-{cluster // _PER_NAMESPACE:03}"
        request = request.replace(_NAME.encode(), name.encode())
        return name, request.replace(_NAMESPACE.encode(), namespace.encode()), composed


def _life(chance: random.Random) -> Iterator[Moment]:
    """Yield a cluster's passes until all is ready, and then troubles that come and go."""
    moments = list(clusters.moments(clusters.any_cluster(chance, _NAME, _NAMESPACE)))
    yield from moments
    steady = moments[-1]
    pool = chance.choice([name for name in steady.observed if name.startswith("node-pool-")])
    for name, condition in (
        ("cluster", {"type": "Ready", "status": "False", "reason": "Unavailable"}),
        ("cluster", {"type": "Ready", "status": "Unknown"}),
        (pool, {"type": "Ready", "status": "False", "reason": "Creating"}),
        (pool, {"type": "Synced", "status": "False", "message": _QUOTA}),
    ):
        yield from [steady] * chance.randint(1, 4)
        observed = copy.deepcopy(dict(steady.observed))
        observed[name]["status"]["conditions"] = [condition]
        # Nothing that is composed goes for it.
        yield dataclasses.replace(steady, observed=observed)


@dataclass
class Run:
    """What came of driving a fleet at servers."""

    name: str
    taken: list[float] = field(default_factory=list)
    """How long each call took, in seconds."""
    errors: list[str] = field(default_factory=list)
    seconds: float = 0
    processor_seconds: float = 0
    """Of all servers."""
    memory: float = 0
    """Of the largest server at the end, in MiB."""
    growth: float = 0
    """Of the largest server since its first thousand calls, in MiB."""

    def figures(self) -> dict[str, float]:
        """Return what it comes to."""
        calls = len(self.taken)
        return {
            "calls": calls,
            "errors": len(self.errors),
            "calls_per_second": calls / self.seconds,
            "p50_seconds": percentile(self.taken, 0.50),
            "p99_seconds": percentile(self.taken, 0.99),
            "processor_seconds_per_call": self.processor_seconds / calls,
            "memory_mib": self.memory,
            "growth_mib": self.growth,
        }

    @contextmanager
    def measured(self, servers: Sequence[Server]) -> Iterator[None]:
        """Measure what happens meanwhile."""
        self.taken.clear()
        start, settled = time.perf_counter(), max(one.memory() for one in servers)
        busy = sum(one.processor_seconds() for one in servers)
        yield
        self.seconds = time.perf_counter() - start
        self.processor_seconds = sum(one.processor_seconds() for one in servers) - busy
        self.memory = max(one.memory() for one in servers)
        self.growth = self.memory - settled


class Driver:
    """Makes a fleet's calls, turn by turn, and checks every answer."""

    def __init__(self, fleet: Fleet, call: Call, run: Run) -> None:
        """Make ready to call."""
        self._fleet, self._call, self._run = fleet, call, run
        self._turns = itertools.count()

    async def next(self, due: float | None = None) -> None:
        """Make the next call, which was due at a time of `time.perf_counter`, or is now."""
        name, request, composed = self._fleet.turn(next(self._turns))
        start = due or time.perf_counter()
        try:
            answered = await self._call(request)
        except grpc.RpcError as error:
            self._run.errors.append(f"{name}: {error}")
            return
        self._run.taken.append(time.perf_counter() - start)
        answer = fnv1.RunFunctionResponse.FromString(answered)
        if answer.meta.tag != name:
            self._run.errors.append(f"{name}: got the answer of {answer.meta.tag}")
        if answer.desired.resources.keys() != composed:
            self._run.errors.append(f"{name}: {answer.results or sorted(answer.desired.resources)}")

    async def flat_out(self, callers: int, seconds: float) -> None:
        """Have callers at once make one call after the other until time is up."""
        end = time.monotonic() + seconds

        async def caller() -> None:
            while time.monotonic() < end:
                await self.next()

        await asyncio.gather(*(caller() for _ in range(callers)))

    async def paced(self, calls_per_second: float, seconds: float) -> None:
        """Call at random moments, so many times a second, however long the answers take."""
        chance = random.Random(0)  # noqa: S311 - chance, no secret
        due = time.perf_counter()
        end = due + seconds
        calls = []
        while (due := due + chance.expovariate(calls_per_second)) < end:
            await asyncio.sleep(due - time.perf_counter())
            calls.append(asyncio.create_task(self.next(due)))
        await asyncio.gather(*calls)

    async def settle(self) -> None:
        """Make the first thousand calls, which nobody measures."""
        for _ in range(_SETTLED_CALLS // 10):
            await asyncio.gather(*(self.next() for _ in range(10)))


async def drive(
    fleet: Fleet, name: str, replicas: int, load: Callable[[Driver], Awaitable[None]]
) -> Run:
    """Put a load on replicas behind one address."""
    run = Run(name)
    async with AsyncExitStack() as stack:
        certificates = stack.enter_context(Certificates.issued())
        servers = [stack.enter_context(serving(FUNCTION, certificates)) for _ in range(replicas)]
        addresses = [one.address for one in servers]
        option = ("grpc.service_config", _ROUND_ROBIN)
        channel = certificates.channel(*addresses, options=(option,))
        driver = Driver(fleet, method(await stack.enter_async_context(channel)), run)
        await driver.settle()
        with run.measured(servers):
            await load(driver)
    return run


@click.command()
@click.option("--clusters", "size", default=10_000, show_default=True, help="How many.")
@click.option("--minutes", default=10.0, show_default=True, help="How long one replica is driven.")
@click.option("--callers", default=32, show_default=True, help="How many call at once.")
@click.option("--seed", default=0, show_default=True, help="Another one makes another fleet.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cli(*, size: int, minutes: float, callers: int, seed: int, as_json: bool) -> None:
    """Drive a fleet of CivoClusters at one replica and at two, and once at Crossplane's pace."""
    logging.configure(logging.Level.DISABLED)
    fleet = Fleet(size, seed)
    long, short = minutes * 60, minutes * 60 / 5
    pace = size * _PER_MINUTE / 60
    loads: list[tuple[str, int, Callable[[Driver], Awaitable[None]]]] = [
        ("1 replica, flat out", 1, lambda driver: driver.flat_out(callers, long)),
        ("2 replicas, flat out", 2, lambda driver: driver.flat_out(callers, short)),
        (f"1 replica, {pace:.0f} a second", 1, lambda driver: driver.paced(pace, short)),
    ]
    runs = [asyncio.run(drive(fleet, *load)) for load in loads]
    if as_json:
        figures = {run.name: run.figures() for run in runs}
        click.echo(json.dumps({"machine": machine.described(), "runs": figures}, indent=2))
    else:
        console = Console()
        # Whole lines where nobody watches: in a file, or for a program.
        console = console if console.is_terminal else Console(width=160)
        console.print(table(runs))
        console.print(f"Crossplane's pace: {_PER_MINUTE:g} calls a minute for each cluster.")
        console.print(", ".join(f"{name} {value}" for name, value in machine.described().items()))
    if errors := [error for run in runs for error in run.errors]:
        raise click.ClickException("\n".join(errors[:10]))


def table(runs: Sequence[Run]) -> Table:
    """Return the table of the runs."""
    drawn = Table(box=box.SIMPLE)
    drawn.add_column("Driven")
    for column in (
        *("calls", "errors", "a second", "clusters", "p50", "p99"),
        *("processor a call", "memory", "growth"),
    ):
        drawn.add_column(column, justify="right", no_wrap=True)
    for run in runs:
        found = run.figures()
        drawn.add_row(
            run.name,
            f"{found['calls']:,}",
            f"{found['errors']}",
            f"{found['calls_per_second']:.0f}",
            f"{found['calls_per_second'] * 60 / _PER_MINUTE:,.0f}",
            amount(found["p50_seconds"], "s"),
            amount(found["p99_seconds"], "s"),
            amount(found["processor_seconds_per_call"], "s"),
            amount(found["memory_mib"], "MiB"),
            amount(found["growth_mib"], "MiB"),
        )
    return drawn


if __name__ == "__main__":
    cli(prog_name="python -m benchmarks.fleet")
