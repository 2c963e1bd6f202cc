"""Protobuf Structs as plain Python values.

The SDK's `struct_to_dict` gives every number as a float and raises on the NaN that a hostile
caller may send. Kubernetes objects hold integers, and nothing that arrives may raise.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from google.protobuf.struct_pb2 import Struct, Value


def to_dict(struct: Struct) -> dict[str, Any]:
    """Convert a Struct, dropping fields that are null.

    The API server drops null fields of objects before it applies defaults and validates, so
    here too `gpu: null` means that there is no `gpu`.

    Returns:
        Plain values; numbers without a fraction (8 arrives as 8.0) are ints. The order of the
        fields is protobuf's: it differs from process to process.
    """
    fields = struct.fields
    # Not by items(), of which protobuf makes two steps of Python for every field.
    return {key: plain for key in fields if (plain := _to_python(fields[key])) is not None}


def dig(struct: Struct, *path: str) -> Any:
    """Return the plain value at `path`, or None where there is nothing.

    Only what is asked for is converted, and a resource can be large: ask for what you need.
    """
    return get(object_at(struct, *path[:-1]), path[-1])


# What isn't of the kind that is asked for, protobuf gives as empty. And fields.get(): brackets
# would create the entry.


def get(struct: Struct, field: str) -> Any:
    """Return the plain value of a field, or None where there is none."""
    value = struct.fields.get(field)
    return None if value is None else _to_python(value)


def pick(struct: Struct, fields: Iterable[str]) -> dict[str, Any]:
    """Return those of these fields that there are, as plain values."""
    found = {field: get(struct, field) for field in fields}
    return {field: value for field, value in found.items() if value is not None}


def text(struct: Struct, field: str) -> str:
    """Return the text of a field, an empty one where there is none."""
    value = struct.fields.get(field)
    return "" if value is None else value.string_value


def object_at(struct: Struct, *path: str) -> Struct:
    """Return the object at `path`, an empty one where there is none."""
    for key in path:
        value = struct.fields.get(key)
        if value is None:
            return Struct()
        struct = value.struct_value
    return struct


def objects(struct: Struct, field: str) -> list[Struct]:
    """Return the objects in the list that a field is, none where there is no list."""
    value = struct.fields.get(field)
    return [] if value is None else [item.struct_value for item in value.list_value.values]


def update(struct: Struct, values: Mapping[str, object]) -> None:
    """Set fields of a Struct, each replaced as a whole, as `Struct.update` does.

    That takes half as long again, and this is the largest part of a run. The values are plain:
    strings, numbers, booleans, lists and dicts.

    Raises:
        TypeError: A value is of another type.
    """
    fields = struct.fields
    for key in values:
        if key in fields:
            del fields[key]
    _fill(struct, values)


def _fill(struct: Struct, values: Mapping[str, object]) -> None:
    fields = struct.fields
    for key, value in values.items():
        # Most are strings, and a call for each takes longer.
        if type(value) is str:
            fields[key].string_value = value
        else:
            _set(fields[key], value)


def _set(field: Value, value: Any) -> None:
    # By type, the most frequent first: asking for instances takes longer.
    kind = type(value)
    if kind is dict:
        if value:
            _fill(field.struct_value, value)
        else:
            field.struct_value.Clear()  # So that it is there.
    elif kind is str:
        field.string_value = value
    elif kind is bool:
        field.bool_value = value
    elif kind in (int, float):
        field.number_value = value
    elif kind is list:
        if value:
            add = field.list_value.values.add
            for item in value:
                _set(add(), item)
        else:
            field.list_value.Clear()
    else:
        raise TypeError(f"a Struct can't hold {kind.__name__}")


def _to_python(value: Value) -> Any:
    match value.WhichOneof("kind"):
        case "string_value":
            return value.string_value
        case "struct_value":
            return to_dict(value.struct_value)
        case "list_value":
            return [_to_python(item) for item in value.list_value.values]
        case "number_value":
            number = value.number_value
            return int(number) if number.is_integer() else number
        case "bool_value":
            return value.bool_value
        case _:
            return None
