"""What the benchmarks compare with, and how they count."""

import pytest

from benchmarks import in_process
from benchmarks.figures import Case, amount, figure
from benchmarks.fleet import Fleet


def test_the_reference_builds_what_the_function_composes() -> None:
    names = [case.name for case in in_process.measure(rounds=1, calls=1)]

    assert "In process, 8 pools, reference builder" in names


def test_a_ratio_is_that_of_the_rounds() -> None:
    """What slows both alike in one round doesn't count."""
    floor = Case("floor", rounds=[[1.0, 1.0, 1.0], [10.0, 10.0, 10.0], [1.0, 1.0, 9.0]])
    mine = Case("mine", against=floor, limit=2, rounds=[[2.0, 2.0, 2.0], [20.0] * 3, [2.0] * 3])

    found = figure(mine)

    assert (found.ratio, found.within) == (2.0, True)
    assert (found.median, found.p99, found.low, found.high) == (2.0, 20.0, 2.0, 20.0)


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (0.0000123, "s", "12 µs"),
        (0.0123, "s", "12.30 ms"),
        (1.5, "s", "1.50 s"),
        (2, "MiB", "2.0 MiB"),
    ],
)
def test_amounts(value: float, unit: str, expected: str) -> None:
    assert amount(value, unit) == expected


def test_a_fleet_is_the_same_for_the_same_seed_and_every_cluster_has_its_turn() -> None:
    fleet, same, other = Fleet(5, seed=1), Fleet(5, seed=1), Fleet(5, seed=2)
    turns = [fleet.turn(number) for number in range(10)]

    assert [turn[0] for turn in turns] == [f"cluster-0000{number}" for number in range(5)] * 2
    assert [turn[2] for turn in turns] == [same.turn(number)[2] for number in range(10)]
    assert [turn[2] for turn in turns] != [other.turn(number)[2] for number in range(10)]
    assert all(name.encode() in request for name, request, _ in turns)
