"""Structs to plain values and back."""

import json
import math
from typing import Any

import pytest
from google.protobuf.struct_pb2 import Struct

from function import structs


def struct(values: dict[str, Any]) -> Struct:
    struct = Struct()
    struct.update(values)
    return struct


@pytest.mark.parametrize(
    ("values", "expected", "reason"),
    [
        ({"a": 8.0, "b": 1.5}, {"a": 8, "b": 1.5}, "a number without a fraction is an integer"),
        ({"a": None, "b": {"c": None}}, {"b": {}}, "null fields of objects are dropped"),
        ({"a": [None, {}, []]}, {"a": [None, {}, []]}, "null items of lists stay"),
        ({"a": True, "b": "x"}, {"a": True, "b": "x"}, "a boolean is no number"),
        ({"a": math.inf}, {"a": math.inf}, "what is no JSON arrives all the same"),
    ],
)
def test_to_dict(values: dict[str, Any], expected: dict[str, Any], reason: str) -> None:
    found = structs.to_dict(struct(values))

    assert found == expected, reason
    # 8 == 8.0 and True == 1, but not in JSON.
    assert json.dumps(found, sort_keys=True) == json.dumps(expected, sort_keys=True), reason


@pytest.mark.parametrize("path", [("a",), ("a", "b"), ("a", "b", "c"), ("x",), ("a", "x", "y")])
def test_dig(path: tuple[str, ...]) -> None:
    found: Any = {"a": {"b": 1}}
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    values = struct({"a": {"b": 1}})

    assert structs.dig(values, *path) == found
    assert values == struct({"a": {"b": 1}}), "looking creates nothing"


def test_pick() -> None:
    values = struct({"a": {"b": 8}, "c": None, "d": 1})

    assert structs.pick(values, ("a", "c", "x")) == {"a": {"b": 8}}
    assert values == struct({"a": {"b": 8}, "c": None, "d": 1}), "looking creates nothing"


def test_update_is_what_protobuf_does() -> None:
    values: dict[str, Any] = {
        "a": {"b": [1, "x", True, {"c": {}}], "d": {}},
        "e": [],
        "f": 1.5,
    }
    before = {"a": {"gone": 1}, "e": "gone", "kept": 1}
    ours, theirs = struct(before), struct(before)

    structs.update(ours, values)
    theirs.update(values)

    assert ours == theirs
    assert structs.to_dict(ours) == {**values, "kept": 1}


def test_update_refuses_what_a_struct_cannot_hold() -> None:
    with pytest.raises(TypeError, match="a Struct can't hold NoneType"):
        structs.update(Struct(), {"a": None})
