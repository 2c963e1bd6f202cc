"""The function in this process, without a server."""

import asyncio
import gc
import io
import time
from collections.abc import Callable, Coroutine
from contextlib import redirect_stdout
from typing import Any

from crossplane.function import logging
from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from benchmarks import clusters, reference
from benchmarks.figures import Case
from function.api import CivoCluster
from function.fn import FunctionRunner

Call = Callable[[], Coroutine[Any, Any, fnv1.RunFunctionResponse]]

POOLS = 8


class _Nowhere(io.TextIOBase):
    def write(self, text: str) -> int:
        return len(text)


def measure(rounds: int, calls: int) -> list[Case]:
    """Measure RunFunction on the first pass and on every later one, and the reference builder.

    It logs as it does when it serves, but nowhere. It waits for nothing, so what counts is the time
    of the processor: on a machine that does nothing else, that is the time that passes.
    """
    cases = _cases()
    logging.configure(logging.Level.INFO)
    with redirect_stdout(_Nowhere()):
        asyncio.run(_time(cases, rounds, calls))
    logging.configure(logging.Level.DISABLED)
    return [case for case, _ in cases]


def _cases() -> list[tuple[Case, Call]]:
    largest = clusters.cluster(POOLS)
    xr = CivoCluster.parse(largest)

    async def build() -> fnv1.RunFunctionResponse:
        response = fnv1.RunFunctionResponse()
        reference.compose(response, xr)
        return response

    request = clusters.steady(largest)

    async def straightforward() -> fnv1.RunFunctionResponse:
        return reference.run(request)

    composed = asyncio.run(_running(request)())
    for reference_call in (build, straightforward):
        _check_same(asyncio.run(reference_call()), composed)

    builder = Case(f"In process, {POOLS} pools, reference builder")
    around = Case(f"In process, {POOLS} pools, reference function", against=builder)
    cases: list[tuple[Case, Call]] = [(builder, build), (around, straightforward)]
    for pools in (1, POOLS):
        cluster = clusters.cluster(pools)
        named = f"In process, {pools} pool{'s' if pools > 1 else ''}"
        steady = Case(f"{named}, steady")
        if pools == POOLS:
            steady.against, steady.limit = builder, 0.6
        cases.append((Case(f"{named}, first pass"), _running(clusters.first(cluster))))
        cases.append((steady, _running(clusters.steady(cluster))))
    return cases


def _running(request: fnv1.RunFunctionRequest) -> Call:
    runner = FunctionRunner()
    return lambda: runner.RunFunction(request, None)


async def _time(cases: list[tuple[Case, Call]], rounds: int, calls: int) -> None:
    for _ in range(rounds):
        for case, call in cases:
            gc.collect()
            case.rounds.append([await _timed(call) for _ in range(calls)])


async def _timed(call: Call) -> float:
    start = time.thread_time()
    await call()
    return time.thread_time() - start


def _check_same(built: fnv1.RunFunctionResponse, composed: fnv1.RunFunctionResponse) -> None:
    """Check that the reference builds what the function composes."""
    for name, resource in composed.desired.resources.items():
        if built.desired.resources[name].resource != resource.resource:
            raise AssertionError(f"the reference builds another {name}")
