"""What nobody sends who means well: RunFunction gives a right answer or one FATAL result.

The short part of what `tests/fuzz` does for hours, the same on every run.
"""

import copy
import itertools
import math
import random
import tracemalloc
from collections.abc import Callable, Iterator
from functools import reduce
from operator import getitem
from typing import Any

import pytest
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from google.protobuf.message import DecodeError

from fuzz import mutations, seeds
from fuzz.verdict import check
from running import Object, request, respond
from situations import ALL, CLUSTER, SEEN_CLUSTER, SEEN_WORKERS, WORKERS, cluster_xr, failing

SEEDS = list(seeds.requests())
MB = 1_000_000
HUGE = "x" * (10 * MB)

Request = fnv1.RunFunctionRequest


def observed(**resources: Object) -> Request:
    return request(cluster_xr(), {**ALL, **resources})


def is_fatal(answer: fnv1.RunFunctionResponse) -> bool:
    return any(result.severity == fnv1.SEVERITY_FATAL for result in answer.results)


def test_requests_changed_at_random() -> None:
    fatal = 0
    for number in range(400):
        chance = random.Random(number)  # noqa: S311 - chance, no secret
        asked = Request()
        asked.CopyFrom(chance.choice(SEEDS))
        for _ in range(chance.choice([1, 2, 4])):
            mutations.mutate(asked, chance)

        answer = respond(asked)

        check(asked, answer)
        fatal += is_fatal(answer)
    assert 20 < fatal < 380, "both kinds of answers were checked"


def test_bytes_changed_at_random() -> None:
    read = 0
    for number in range(600):
        chance = random.Random(number)  # noqa: S311 - chance, no secret
        data = bytearray(chance.choice(SEEDS).SerializeToString(deterministic=True))
        for _ in range(chance.choice([1, 2, 3])):
            data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            asked = Request.FromString(bytes(data))
        except DecodeError:
            continue  # The server refuses it: no request.

        check(asked, respond(asked))
        read += 1
    assert read > 60


# Every type there is; a field of any of them gets each of the others.
WRONG: list[Any] = [None, True, 1.5, math.nan, -math.inf, "", "\u202e", [], [None], {}, {"": {}}]


def places(value: Any, *at: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the path of everything in a value."""
    inside: Any = value.items() if isinstance(value, dict) else ()
    for key, inner in enumerate(value) if isinstance(value, list) else inside:
        yield (*at, key)
        yield from places(inner, *at, key)


def with_value(whole: Any, path: tuple[Any, ...], value: Any) -> Any:
    changed = copy.deepcopy(whole)
    *parents, last = path
    reduce(getitem, parents, changed)[last] = copy.deepcopy(value)
    return changed


def test_every_type_in_every_field_of_the_xr() -> None:
    xr = cluster_xr(kubernetesVersion="1.35.0-k3s1", credentials={"name": "default"})
    for place, value in itertools.product(places(xr), WRONG):
        asked = request(with_value(xr, place, value), ALL)

        check(asked, respond(asked))


def test_every_field_of_what_is_observed() -> None:
    values = itertools.cycle(WRONG)  # In turn, and not each everywhere: there are many fields.
    for name, resource in ALL.items():
        for place in places(resource):
            for value in itertools.islice(values, 2):
                asked = observed(**{name: with_value(resource, place, value)})

                check(asked, respond(asked))


@pytest.mark.parametrize("text", mutations.TEXTS, ids=ascii)
def test_unicode_of_every_kind(text: str) -> None:
    """What is no label value is refused; what may be anything passes through as it is."""
    name = {**cluster_xr(), "metadata": {"name": text, "namespace": text}}
    region = cluster_xr(region=text, credentials={"name": text})
    pool = cluster_xr({**WORKERS, "name": text, "size": text})
    for xr in (name, region, pool):
        asked = request(xr, {"cluster": SEEN_CLUSTER} if xr is name else {})

        check(asked, respond(asked))


def at_depth(depth: int, *, in_lists: bool) -> Request:
    asked = request(cluster_xr(), ALL)
    for struct in list(mutations.structs(asked)):
        for place in list(mutations.places(struct)):
            if place[1] in ("spec", "status", "conditions", "forProvider", "atProvider"):
                mutations.value_at(place).CopyFrom(mutations.deep(depth, in_lists=in_lists))
    # It can be sent: protobuf reads no deeper than a hundred messages.
    return Request.FromString(asked.SerializeToString())


REFUSED: dict[str, Callable[[], Request]] = {
    "an empty request": Request,
    "a name of 10 MB": lambda: request(
        {**cluster_xr(), "metadata": {"name": HUGE, "namespace": "ml"}}, ALL
    ),
    # It would be in the answer twice.
    "a namespace of 10 MB": lambda: request(
        {**cluster_xr(), "metadata": {"name": "inference", "namespace": HUGE}}, ALL
    ),
    "a region of 10 MB": lambda: request(cluster_xr(region=HUGE), ALL),
    "a version of 10 MB": lambda: request(cluster_xr(kubernetesVersion="1." + HUGE), ALL),
    "a pool's name of 10 MB": lambda: request(cluster_xr({**WORKERS, "name": HUGE}), ALL),
    "a field of 10 MB": lambda: request({**cluster_xr(), "spec": {HUGE: HUGE}}, ALL),
    "10,000 pools": lambda: request(
        cluster_xr(*({**WORKERS, "name": f"p{number}"} for number in range(10_000))), ALL
    ),
    "10,000 pools that are none": lambda: request(cluster_xr(*[{}] * 10_000), ALL),
    "a node count beyond all counting": lambda: request(
        cluster_xr({**WORKERS, "nodeCount": 1e308}), ALL
    ),
    "objects as deep as protobuf reads": lambda: at_depth(mutations.DEPTH_MAX, in_lists=False),
    "lists as deep as protobuf reads": lambda: at_depth(mutations.DEPTH_MAX, in_lists=True),
}
TOLERATED: dict[str, Callable[[], Request]] = {
    "10,000 pools that exist": lambda: observed(
        **{f"node-pool-{number}": SEEN_WORKERS for number in range(10_000)}
    ),
    "10,000 pools in the status": lambda: request(
        {**cluster_xr(), "status": {"nodePools": [{"name": str(n)} for n in range(10_000)]}}, ALL
    ),
    "10,000 conditions without status": lambda: observed(
        cluster={**SEEN_CLUSTER, "status": {"conditions": [{"type": "Synced"}] * 10_000}}
    ),
    "a condition without anything": lambda: observed(
        cluster={**SEEN_CLUSTER, "status": {"conditions": [{}]}}
    ),
    "a version in the observation of 10 MB": lambda: observed(
        cluster={**SEEN_CLUSTER, "status": {"atProvider": {"kubernetesVersion": "1." * 5 * MB}}}
    ),
    "a phase of 10 MB": lambda: observed(
        cluster={**CLUSTER, "status": {"atProvider": {"status": HUGE}}}
    ),
    # Words that are slow to search for error codes.
    "errors of 500 kB each": lambda: observed(
        **{name: failing(one, "q u o t a _ l " * 35_000) for name, one in ALL.items()}
    ),
    "an error that is half a token": lambda: observed(
        cluster=failing(CLUSTER, "bearer bearer " * 100_000)
    ),
}


@pytest.mark.parametrize("name", [*REFUSED, *TOLERATED])
def test_absurd_requests(name: str) -> None:
    asked = (REFUSED | TOLERATED)[name]()
    size = len(asked.SerializeToString())
    tracemalloc.start()
    try:
        answer = respond(asked)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    check(asked, answer)
    assert is_fatal(answer) == (name in REFUSED)
    assert most < 20 * size + 4 * MB, "memory is bounded by the size of the request"


@pytest.mark.parametrize("phase", [{"a": 1, "b": 2}, [{"a": 1, "b": 2}], 8, True])
def test_what_is_no_phase_is_in_no_message(phase: Any) -> None:
    """The fields of an object come in protobuf's order, which differs from process to process."""
    asked = observed(cluster={**CLUSTER, "status": {"atProvider": {"status": phase}}})

    answer = respond(asked)

    assert answer.conditions[0].message == (
        "waiting for cluster, ready before; what is composed stays"
    )
