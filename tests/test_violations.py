"""The words in which bad input is refused."""

from typing import Any

import pytest

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
