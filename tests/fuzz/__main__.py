"""A coverage-guided fuzzer of RunFunction on the wire, with atheris.

    pip install atheris
    PYTHONPATH=tests python -m fuzz FOLDER -max_total_time=1800

FOLDER keeps what was tried and covered something new, and what was found; the options are
libFuzzer's. An input is a serialized request: a file of one reproduces it, as FOLDER does.
"""

import asyncio
import io
import random
import sys
from contextlib import redirect_stdout
from pathlib import Path

import atheris  # type: ignore[import-not-found, import-untyped, unused-ignore]

with atheris.instrument_imports(include=["function"]):
    from crossplane.function import logging
    from crossplane.function.proto.v1 import run_function_pb2 as fnv1
    from google.protobuf.message import DecodeError

    from function.fn import FunctionRunner

from fuzz import mutations, seeds, verdict

_DEFAULTS = ["-timeout=20", "-rss_limit_mb=1024", "-max_len=131072", "-len_control=0"]


class _Nowhere(io.TextIOBase):
    def write(self, text: str) -> int:
        return len(text)


def main() -> None:
    """Fuzz until told to stop, or until something is found."""
    if not sys.argv[1:]:
        sys.exit(__doc__)
    folder, *options = sys.argv[1:]
    if Path(folder).is_dir() or not Path(folder).exists():
        Path(folder).mkdir(parents=True, exist_ok=True)
        for number, request in enumerate(seeds.requests()):
            (Path(folder) / f"seed-{number}").write_bytes(request.SerializeToString())
    logging.configure(logging.Level.INFO)
    atheris.Setup(
        [sys.argv[0], folder, f"-artifact_prefix={folder}.found-", *_DEFAULTS, *options],
        run,
        custom_mutator=mutate,
    )
    with redirect_stdout(_Nowhere()):
        atheris.Fuzz()


_LOOP = asyncio.new_event_loop()


def run(data: bytes) -> None:
    """Run the function on what may be a serialized request, and check the answer."""
    if request := _parsed(data):
        verdict.check(
            request, _LOOP.run_until_complete(FunctionRunner().RunFunction(request, None))
        )


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """Change an input: the request that it is, or its bytes."""
    chance = random.Random(seed)  # noqa: S311 - chance, no secret
    request = _parsed(data)
    if request is None or chance.random() < 0.3:
        return bytes(atheris.Mutate(data, max_size))
    try:
        for _ in range(chance.choice([1, 1, 2, 4])):
            mutations.mutate(request, chance)
    except DecodeError:
        pass  # Deeper than protobuf copies.
    mutated = request.SerializeToString()
    return mutated if len(mutated) <= max_size else data[:max_size]


def _parsed(data: bytes) -> fnv1.RunFunctionRequest | None:
    try:
        return fnv1.RunFunctionRequest.FromString(data)
    except DecodeError:
        return None


if __name__ == "__main__":
    main()
