"""The soak itself: a short one, and that it would find what it looks for."""

from collections import Counter
from pathlib import Path

import pytest

from .harness.civo import Call
from .harness.live import Live
from .soak import verdict
from .soak.lives import Asked
from .soak.world import World


@pytest.mark.timeout(600)
def test_short_soak(tmp_path: Path, crds: Path) -> None:
    with Live.running(tmp_path, crds) as live:
        world = World(live, size=12, seed=0)
        assert verdict.after(world, seconds=60, tell=print) == []
        assert world.asked.actions["create"] >= 12
        assert world.troubles["function killed"] + world.troubles["Crossplane killed"] > 0


CREATED = [Call("create", "cluster", "a"), Call("create", "pool", "a/gpu")]
POOL_DELETED = Call("delete", "pool", "a/gpu")
CLUSTER_DELETED = Call("delete", "cluster", "a")
SCALED = Call("scale", "pool", "a/gpu")


@pytest.mark.parametrize(
    ("done", "asked"),
    [
        pytest.param([*CREATED, POOL_DELETED], Asked(removed={"a/gpu": [2]}), id="pool removed"),
        pytest.param([*CREATED, POOL_DELETED], Asked(deleted={"a": [2]}), id="all deleted"),
        pytest.param(
            [*CREATED, CLUSTER_DELETED, *CREATED], Asked(deleted={"a": [1]}), id="created again"
        ),
        pytest.param(
            [*CREATED, CLUSTER_DELETED, *CREATED, CLUSTER_DELETED],
            Asked(deleted={"a": [1, 2]}),
            id="deleted twice, both late",
        ),
        pytest.param([*CREATED, SCALED], Asked(scales=Counter({"a/gpu": 2})), id="scaled"),
    ],
)
def test_what_was_asked_for(done: list[Call], asked: Asked) -> None:
    assert list(verdict.unasked(done, asked)) == []


@pytest.mark.parametrize(
    ("done", "asked", "found"),
    [
        pytest.param(
            [*CREATED, POOL_DELETED],
            Asked(removed={"a/cpu": [2]}),
            "the pool a/gpu was deleted, and nobody asked for it",
            id="another pool was removed",
        ),
        pytest.param(
            [*CREATED, CLUSTER_DELETED, *CREATED, CLUSTER_DELETED],
            Asked(deleted={"a": [2]}),
            "the cluster a was deleted, and nobody asked for it",
            id="deleted twice, asked for once",
        ),
        pytest.param(
            [*CREATED, CLUSTER_DELETED, *CREATED, CLUSTER_DELETED],
            Asked(deleted={"a": [1, 2]}, settled={"a": [4]}),
            "the cluster a was deleted, and nobody asked for it",
            id="deleted again when it was ready",
        ),
        pytest.param(
            [*CREATED, *CREATED[:1]], Asked(), "the cluster a was created twice", id="created twice"
        ),
        pytest.param(
            [*CREATED, Call("rename", "cluster", "a")],
            Asked(),
            "the cluster a was renamed",
            id="renamed",
        ),
        pytest.param(
            [*CREATED, SCALED],
            Asked(),
            "the count of a/gpu was set 1 times, asked for 0 times",
            id="scaled back",
        ),
    ],
)
def test_what_nobody_asked_for(done: list[Call], asked: Asked, found: str) -> None:
    (told,) = verdict.unasked(done, asked)
    assert told.startswith(found)
