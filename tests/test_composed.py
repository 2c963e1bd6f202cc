"""The check that all that is composed passes."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

from function.composed import base, kinds
from running import Object
from situations import DESIRED_ALL

# Whoever names them chooses their fields: people, Kubernetes and the chart.
_OPEN = {"annotations", "labels", "values"}


def objects(value: Any) -> Iterator[Object]:
    """Yield every object in a value whose fields its kind names, itself included."""
    if isinstance(value, list):
        for item in value:
            yield from objects(item)
    elif isinstance(value, dict):
        yield value
        for field, inner in value.items():
            if field not in _OPEN:
                yield from objects(inner)


@pytest.mark.parametrize("name", DESIRED_ALL)
def test_what_is_right_can_be_emitted(name: str) -> None:
    composed: Any = {name: DESIRED_ALL[name]}

    assert kinds.checked(composed) == composed


@pytest.mark.parametrize("name", DESIRED_ALL)
def test_a_wrong_field_cannot_be_emitted(name: str) -> None:
    composed: Any = {name: copy.deepcopy(DESIRED_ALL[name])}
    for one in objects(composed[name]):
        one["wrong"] = "x"
        with pytest.raises(ValidationError, match="extra_forbidden"):
            kinds.checked(composed)
        del one["wrong"]


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [
        ("kind", "Secret", "literal_error"),
        ("kind", None, "literal_error"),
        ("name", 8, "string_type"),
        ("name", None, "string_type"),
    ],
)
def test_a_wrong_value_cannot_be_emitted(field: str, value: Any, error: str) -> None:
    composed: Any = {"network": copy.deepcopy(DESIRED_ALL["network"])}
    reference = composed["network"]["spec"]["providerConfigRef"]

    reference[field] = value
    with pytest.raises(ValidationError, match=error):
        kinds.checked(composed)
    del reference[field]
    with pytest.raises(ValidationError, match="missing"):
        kinds.checked(composed)


def test_what_is_shared_cannot_be_changed() -> None:
    composed: Any = {"network": copy.deepcopy(DESIRED_ALL["network"])}
    composed["network"]["spec"]["managementPolicies"] = base.MANAGEMENT_POLICIES

    checked: Any = kinds.checked(composed)
    checked["network"]["spec"]["managementPolicies"].append("Delete")

    assert base.MANAGEMENT_POLICIES == ["Observe", "Create", "Update", "Delete"]
