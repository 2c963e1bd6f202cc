"""The function behind its server, against the floor behind the same server."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass

import grpc

from benchmarks import clusters, in_process
from benchmarks.figures import Case
from benchmarks.servers import FLOOR, FUNCTION, Certificates, Server, serving

Call = Callable[[bytes], Awaitable[bytes]]

_METHOD = "/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction"
_MTLS = "Over mTLS"
_WARM_UP = 200


def method(channel: grpc.aio.Channel) -> Call:
    """Return RunFunction on bytes, so that callers measure the server and not themselves."""
    call: Callable[..., Awaitable[bytes]] = channel.unary_unary(_METHOD)
    return lambda request: call(request, timeout=30)


async def load(call: Call, requests: Sequence[bytes], callers: int, calls: int) -> list[float]:
    """Make a number of calls in all, by callers at once that each wait for their answers.

    Returns:
        How long each call took, in seconds.
    """
    turns = iter(range(calls))
    taken: list[float] = []

    async def caller() -> None:
        for turn in turns:
            start = time.perf_counter()
            await call(requests[turn % len(requests)])
            taken.append(time.perf_counter() - start)

    await asyncio.gather(*(caller() for _ in range(callers)))
    return taken


def measure(rounds: int, calls: int) -> list[Case]:
    """Measure calls of 8 pools, steady: plain and over mTLS, by 1 and by 32 callers at once."""
    request = clusters.steady(clusters.cluster(in_process.POOLS)).SerializeToString()
    return asyncio.run(_measure(request, rounds, calls))


@dataclass(frozen=True)
class _Load:
    """A load on a server, and what is measured meanwhile."""

    server: Server
    call: Call
    callers: int
    taken: Case
    busy: Case
    """How long the server's processor is busy with a call, whatever else the machine does."""


async def _measure(request: bytes, rounds: int, calls: int) -> list[Case]:
    loads: list[_Load] = []
    async with AsyncExitStack() as stack:
        certificates = stack.enter_context(Certificates.issued())
        for over, secured in (("Over plain gRPC", False), (_MTLS, True)):
            servers: list[tuple[Server, Call]] = []
            for module in (FLOOR, FUNCTION):
                server = stack.enter_context(serving(module, certificates if secured else None))
                channel = (
                    certificates.channel(server.address)
                    if secured
                    else grpc.aio.insecure_channel(server.address)
                )
                servers.append((server, method(await stack.enter_async_context(channel))))
            for callers in (1, 32):
                loads += _pair(servers, callers, over)

        for one in loads:
            await load(one.call, [request], one.callers, _WARM_UP)
        for _ in range(rounds):
            for one in loads:
                before = one.server.processor_seconds()
                one.taken.rounds.append(await load(one.call, [request], one.callers, calls))
                one.busy.rounds.append([(one.server.processor_seconds() - before) / calls])
    return [one.taken for one in loads] + [loads[-2].busy, loads[-1].busy]


def _pair(servers: list[tuple[Server, Call]], callers: int, over: str) -> list[_Load]:
    """Return the same load on the floor and on the function."""
    by = f"{over}, {callers} caller{'s' if callers > 1 else ''}"
    busy = f"{by}, processor of the server a call"
    (floor, to_floor), (function, to_function) = servers
    first = _Load(floor, to_floor, callers, Case(f"{by}, floor"), Case(f"{busy}, floor"))
    limit = 2.0 if over == _MTLS else None
    taken = Case(by, against=first.taken, limit=limit)
    return [first, _Load(function, to_function, callers, taken, Case(busy, against=first.busy))]
