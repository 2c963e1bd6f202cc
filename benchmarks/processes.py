"""Whole processes: how long they take to start, and how much memory they hold."""

import asyncio
import subprocess
import sys
import time
from pathlib import Path

from benchmarks import clusters, in_process
from benchmarks.figures import Case
from benchmarks.over_grpc import load, method
from benchmarks.servers import FUNCTION, Certificates, serving

_XR = Path(__file__).parent.parent / "examples/gpu-inference/xr.yaml"
_CALLERS = 32
_SETTLED = 1_000


def measure(rounds: int, calls: int) -> list[Case]:
    """Measure starts, in rounds, and memory over a number of calls.

    The calls are those of every pass of clusters of every size.
    """
    cold = Case("Cold start to the first answer, mTLS", limit=0.6)
    preview = Case("civocluster preview, start to finish")
    requests = [
        moment.request().SerializeToString()
        for pools in range(1, in_process.POOLS + 1)
        for moment in clusters.moments(clusters.cluster(pools))
    ]
    with Certificates.issued() as certificates:
        for _ in range(rounds):
            cold.rounds.append([_cold_start(certificates, requests[0])])
            preview.rounds.append([_preview()])
        return [cold, preview, *asyncio.run(_memory(certificates, requests, calls))]


def _cold_start(certificates: Certificates, request: bytes) -> float:
    async def answered(address: str) -> float:
        async with certificates.channel(address) as channel:
            await method(channel)(request)
        return time.perf_counter()

    start = time.perf_counter()
    with serving(FUNCTION, certificates) as server:
        return asyncio.run(answered(server.address)) - start


def _preview() -> float:
    start = time.perf_counter()
    subprocess.run(  # noqa: S603 - our own program
        [Path(sys.executable).parent / "civocluster", "preview", _XR],
        stdout=subprocess.DEVNULL,
        check=True,
    )
    return time.perf_counter() - start


async def _memory(certificates: Certificates, requests: list[bytes], calls: int) -> list[Case]:
    with serving(FUNCTION, certificates) as server:
        async with certificates.channel(server.address) as channel:
            call = method(channel)
            await load(call, requests[:1], 1, 1)
            started = server.memory()
            await load(call, requests, _CALLERS, _SETTLED)
            settled = server.memory()
            await load(call, requests, _CALLERS, calls - _SETTLED)
            after = server.memory()
    return [
        Case("Memory after the first answer", "MiB", rounds=[[started]]),
        Case(f"Memory after {calls:,} calls", "MiB", rounds=[[after]]),
        Case("Growth after the first 1,000 calls", "MiB", limit=2, rounds=[[after - settled]]),
    ]
