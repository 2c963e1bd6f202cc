"""Structural schemas of Kubernetes, evaluated as the API server evaluates them.

First `defaulted`, then `structure`, and on what passes that the CEL rules, with `rules_broken`.
"""

import copy
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from cel_expr_python import cel
from jsonschema import Draft202012Validator, FormatChecker

from function.violations import path

Schema = dict[str, Any]

# What an old value is where there is none.
ABSENT = object()

_CEL = cel.NewEnv(variables={"self": cel.Type.DYN, "oldSelf": cel.Type.DYN})
_FORMATS = FormatChecker(formats=())


@_FORMATS.checks("int32")
def _int32(value: object) -> bool:
    return not isinstance(value, int) or -(2**31) <= value < 2**31


@_FORMATS.checks("int64")
def _int64(value: object) -> bool:
    return not isinstance(value, int) or -(2**63) <= value < 2**63


class Finding(NamedTuple):
    """What is wrong with a value."""

    path: str
    message: str


class Rule(NamedTuple):
    """A CEL rule, and the path of the schema under which it stands, lists as `[]`."""

    at: str
    rule: str
    message: str

    @property
    def is_transition(self) -> bool:
        return "oldSelf" in self.rule


def nodes(schema: Schema, at: str = "") -> Iterator[tuple[str, Schema]]:
    """Yield every place of a schema that can hold a value, with its path, lists as `[]`."""
    yield at, schema
    for name, inner in schema.get("properties", {}).items():
        yield from nodes(inner, f"{at}.{name}".removeprefix("."))
    if "items" in schema:
        yield from nodes(schema["items"], f"{at}[]")


def rules(schema: Schema) -> list[Rule]:
    """Return the CEL rules of a schema."""
    return [
        Rule(at, one["rule"], one["message"])
        for at, node in nodes(schema)
        for one in node.get("x-kubernetes-validations", [])
    ]


def defaulted(schema: Schema, value: Any) -> Any:
    """Return a value without the nulls that the API server drops, and with defaults."""
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        others = schema.get("additionalProperties")
        known = {
            key: inner
            for key, inner in value.items()
            if inner is not None or properties.get(key, {"nullable": True}).get("nullable")
        }
        for key, inner in properties.items():
            if "default" in inner:
                known.setdefault(key, copy.deepcopy(inner["default"]))
        return {
            key: defaulted(properties.get(key, others if isinstance(others, dict) else {}), inner)
            for key, inner in known.items()
        }
    if isinstance(value, list):
        return [defaulted(schema.get("items", {}), item) for item in value]
    return value


def closed(schema: Schema) -> Schema:
    """Return a schema that refuses fields it doesn't know, which the API server would drop."""
    result = dict(schema)
    if schema.get("x-kubernetes-preserve-unknown-fields"):
        return result
    if "properties" in schema:
        result["properties"] = {name: closed(inner) for name, inner in schema["properties"].items()}
    if "items" in schema:
        result["items"] = closed(schema["items"])
    if isinstance(schema.get("additionalProperties"), dict):
        result["additionalProperties"] = closed(schema["additionalProperties"])
    elif schema.get("type") == "object":
        result["additionalProperties"] = False
    return result


class Structure:
    """Checks values against a schema's structure: types, bounds, unknown fields, map keys."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._validator = Draft202012Validator(closed(schema), format_checker=_FORMATS)

    def findings(self, value: Any, *at: str | int) -> set[Finding]:
        """Return what is wrong with a value that stands at a path."""
        found = {
            Finding(path(*at, *where), error.message)
            for error in self._validator.iter_errors(value)
            for where in _locations(error.validator, error)
        }
        return found or set(_duplicates(self._schema, value, at))


def _locations(keyword: Any, error: Any) -> list[tuple[str | int, ...]]:
    """Return where an error is: of a field that is missing or unknown, at that field."""
    at = tuple(error.absolute_path)
    if keyword == "required":
        return [(*at, name) for name in error.validator_value if name not in error.instance]
    if keyword == "additionalProperties":
        known = error.schema.get("properties", {})
        return [(*at, name) for name in error.instance if name not in known]
    return [at]


def _duplicates(schema: Schema, value: Any, at: tuple[str | int, ...]) -> Iterator[Finding]:
    """Yield an item of a list map whose key another item has before it, at its key.

    The API server says it of the item as a whole.
    """
    for step, inner_schema, inner in _inside(schema, value):
        yield from _duplicates(inner_schema, inner, (*at, step))
    if schema.get("x-kubernetes-list-type") == "map":
        keys = schema["x-kubernetes-list-map-keys"]
        identities = [[item.get(key) for key in keys] for item in value]
        for index, identity in enumerate(identities):
            if identity in identities[:index]:
                yield Finding(path(*at, index, keys[0]), "Duplicate value")


def rules_broken(
    schema: Schema, value: Any, *at: str | int, old: Any = ABSENT
) -> Iterator[Finding]:
    """Yield the CEL rules that a value of the right structure breaks.

    Args:
        schema: Its schema.
        value: The value, defaults applied.
        at: The path at which it stands.
        old: The value before an update, for transition rules; they aren't run without.
    """
    for one in schema.get("x-kubernetes-validations", []):
        if unsupported := one.keys() - {"rule", "message", "fieldPath"}:
            raise NotImplementedError(f"{path(*at)}: a rule with {unsupported}")
        transition = "oldSelf" in one["rule"]
        if transition and old is ABSENT:
            continue
        data = {"self": value, "oldSelf": old} if transition else {"self": value}
        # A rule that can't be evaluated is an error, which is no True either.
        if _compiled(one["rule"]).eval(data=data).plain_value() is not True:
            yield Finding(path(*at) + one.get("fieldPath", ""), one["message"])
    for step, inner_schema, inner in _inside(schema, value):
        inner_old = _counterpart(schema, old, step, inner)
        yield from rules_broken(inner_schema, inner, *at, step, old=inner_old)


@cache
def _compiled(rule: str) -> cel.Expression:
    return _CEL.compile(rule)


def _inside(schema: Schema, value: Any) -> Iterator[tuple[str | int, Schema, Any]]:
    """Yield the values directly in a value, each with its step and its schema."""
    if isinstance(value, dict):
        for name, inner in schema.get("properties", {}).items():
            if name in value:
                yield name, inner, value[name]
    elif isinstance(value, list) and "items" in schema:
        for index, item in enumerate(value):
            yield index, schema["items"], item


def _counterpart(schema: Schema, old: Any, step: str | int, inner: Any) -> Any:
    """Return what a value was before, if the API server can tell: list maps go by their keys."""
    if isinstance(old, dict):
        return old.get(str(step), ABSENT)
    if isinstance(old, list) and schema.get("x-kubernetes-list-type") == "map":
        keys = schema["x-kubernetes-list-map-keys"]
        same = [item for item in old if all(item.get(key) == inner.get(key) for key in keys)]
        return same[0] if same else ABSENT
    return ABSENT
