"""The function behind its server, against the floor behind the same server."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack

import grpc

from benchmarks import clusters, in_process
from benchmarks.figures import Case
from benchmarks.servers import FLOOR, FUNCTION, Certificates, serving

Call = Callable[[bytes], Awaitable[bytes]]

_METHOD = "/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction"
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


async def _measure(request: bytes, rounds: int, calls: int) -> list[Case]:
    cases: list[tuple[Case, Call, int]] = []
    async with AsyncExitStack() as stack:
        certificates = stack.enter_context(Certificates.issued())
        for secured in (False, True):
            calls_to = []
            for module in (FLOOR, FUNCTION):
                server = stack.enter_context(serving(module, certificates if secured else None))
                channel = (
                    certificates.channel(server.address)
                    if secured
                    else grpc.aio.insecure_channel(server.address)
                )
                calls_to.append(method(await stack.enter_async_context(channel)))
            to_floor, to_function = calls_to
            over = "Over mTLS" if secured else "Over plain gRPC"
            for callers in (1, 32):
                by = f"{over}, {callers} caller{'s' if callers > 1 else ''}"
                floor = Case(f"{by}, floor")
                limit = 2.0 if secured else None
                cases.append((floor, to_floor, callers))
                cases.append((Case(by, against=floor, limit=limit), to_function, callers))

        for _, call, callers in cases:
            await load(call, [request], callers, _WARM_UP)
        for _ in range(rounds):
            for case, call, callers in cases:
                case.rounds.append(await load(call, [request], callers, calls))
    return [case for case, _, _ in cases]
