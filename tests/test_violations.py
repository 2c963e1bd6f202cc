"""The words in which bad input is refused."""

from typing import Any

import pytest

from function.api import CivoCluster
from function.violations import ABSENT, InvalidError, Violation, shown


@pytest.mark.parametrize(
    ("value", "expected", "reason"),
    [
        ("NYC1", '"NYC1"', "as JSON"),
        ({"b": 1, "a": [True, None]}, '{"a": [true, null], "b": 1}', "as JSON, in one order"),
        ("\u202e\x1b", '"\\u202e\\u001b"', "nothing that moves a cursor"),
        ("x" * 1_000_000, '"' + "x" * 76 + "...", "bounded"),
    ],
)
def test_shown(value: Any, expected: str, reason: str) -> None:
    assert shown(value) == expected, reason


def test_the_list_is_bounded_and_says_so() -> None:
    error = InvalidError(Violation(f"spec.f{number:03}", ABSENT, "no") for number in range(103))

    lines = str(error).splitlines()

    assert lines[0] == "spec.f000: no"
    assert lines[-2:] == ["spec.f099: no", "and 3 more"]
    assert len(error.violations) == 103


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({}, "spec.region: is required; add it"),
        ({"region": 8}, "spec.region: must be a string (got 8)"),
        ({"region": ""}, 'spec.region: must be at least 1 characters long (got "")'),
        ({"region": "x" * 33}, "spec.region: must be at most 32 characters long"),
        ({"credentials": []}, "spec.credentials: must be an object (got [])"),
        ({"credentials": {"type": "a"}}, "must be 'ProviderConfig' or 'ClusterProviderConfig'"),
        ({"nodePools": {}}, "spec.nodePools: must be a list (got {})"),
        ({"nodePools": []}, "spec.nodePools: must have at least 1 items (got [])"),
        ({"nodePools": [{}] * 9}, "spec.nodePools: must have at most 8 items"),
        ({"nodePools": [1]}, "spec.nodePools[0]: must be an object (got 1)"),
        ({"nodePools": [{"nodeCount": "1"}]}, 'nodeCount: must be an integer (got "1")'),
        ({"nodePools": [{"nodeCount": 0}]}, "nodeCount: must be at least 1 (got 0)"),
        ({"nodePools": [{"nodeCount": 1001}]}, "nodeCount: must be at most 1000 (got 1001)"),
    ],
)
def test_bounds_in_words_that_know_nothing_of_python(spec: Any, message: str) -> None:
    with pytest.raises(InvalidError) as refused:
        CivoCluster.parse({"metadata": {"name": "a", "namespace": "b"}, "spec": spec})

    assert message in str(refused.value)
