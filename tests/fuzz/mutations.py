"""Absurd things in the place of sensible ones, anywhere in a request."""

import math
import random
from collections.abc import Callable, Iterable, Iterator

from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from google.protobuf.struct_pb2 import NULL_VALUE, ListValue, Struct, Value

Container = Struct | ListValue
Place = tuple[Container, str | int]
"""Where a value is: the field of a Struct, or the item of a list."""

TEXTS = [
    "",
    " ",
    "\n",
    "\x00",
    "True",
    "False",
    "workers",
    "system",
    "1.34.1-k3s1",
    "1.99999999999999999999.0-k3s1",
    "quota_limit_reached",
    "cannot resolve references",
    "[{0 [ERR] " * 50,
    "[]}]" * 50,
    "{0} {name} %s %n",
    "../../etc/passwd",
    "\x1b[2J\x1b]0;title\x07",
    "e\u0301" * 40,  # combining
    "\u202egnitirw tfel-ot-thgir",
    "\u200b\ufeff\u2060",  # invisible
    "\u2028\u2029\x85",  # line ends
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "\ufdfa\u1e9e\u0130\u0131\u017f",  # change their length with their case
    "\ue000\U0010ffff\ufffd",  # private, last, replacement
    "\u0661.\u0663\u0664.\u0661-k3s\u0661",  # digits of another script
    "\uff57orkers",  # full width
]
NUMBERS = [0.0, -0.0, 1.0, -1.0, 1.5, 2.0**53, 2.0**63, 1e308, 5e-324, *(math.nan, math.inf)]
KEYS = [
    *("name", "role", "size", "gpu", "nodeCount", "maxNodeCount", "minNodeCount"),
    *("type", "status", "message", "conditions", "atProvider", "forProvider"),
    *("metadata", "spec", "region", "annotations", "crossplane.io/external-name"),
    *("", "\n", "__class__", "model_config"),
]
NAMES = [
    *("network", "firewall", "cluster", "provider-config-helm", "release-cluster-autoscaler"),
    *("node-pool-workers", "node-pool-gpu-l40s", "node-pool-", "", "\u202e\n", "x" * 300),
]
# About as deep as protobuf reads: every level is three messages of a hundred.
DEPTH_MAX = 28


def mutate(request: fnv1.RunFunctionRequest, chance: random.Random) -> None:
    """Change a request in one way."""
    chance.choice(_CHANGES)(request, chance)


def absurd(chance: random.Random) -> Value:
    """Return a value that nobody expects."""
    return chance.choice(_ABSURD)(chance)


def _nothing(_chance: random.Random) -> Value:
    return Value()


def _null(_chance: random.Random) -> Value:
    return Value(null_value=NULL_VALUE)


def _boolean(chance: random.Random) -> Value:
    return Value(bool_value=chance.random() < 0.5)


def _number(chance: random.Random) -> Value:
    return Value(number_value=chance.choice(NUMBERS))


def _text(chance: random.Random) -> Value:
    return Value(string_value=chance.choice(TEXTS) * chance.choice([1, 1, 1, 100]))


def _deep(chance: random.Random) -> Value:
    return deep(chance.randrange(1, DEPTH_MAX), in_lists=chance.random() < 0.5)


def _list(chance: random.Random) -> Value:
    values = [_flat(chance) for _ in range(chance.choice([0, 1, 3]))]
    return Value(list_value=ListValue(values=values * chance.choice([1, 1, 10])))


def _object(chance: random.Random) -> Value:
    keys = chance.sample(KEYS, chance.choice([0, 1, 3]))
    return Value(struct_value=Struct(fields={key: _flat(chance) for key in keys}))


def _flat(chance: random.Random) -> Value:
    return chance.choice(_FLAT)(chance)


_FLAT = [_nothing, _null, _boolean, _number, _text, _text]
_ABSURD = [*_FLAT, _deep, _list, _object]


def deep(depth: int, *, in_lists: bool) -> Value:
    """Return a value inside of others, as many levels deep."""
    value = Value(string_value="deep")
    for _ in range(depth):
        if in_lists:
            value = Value(list_value=ListValue(values=[value]))
        else:
            value = Value(struct_value=Struct(fields={"name": value}))
    return value


def structs(request: fnv1.RunFunctionRequest) -> Iterator[Struct]:
    """Yield every Struct that is not inside of another."""
    for state in (request.observed, request.desired):
        yield state.composite.resource
        for _, one in sorted(state.resources.items()):
            yield one.resource
    yield request.context
    yield request.input


def places(container: Container) -> Iterator[Place]:
    """Yield the place of everything in a Struct or list, at every depth."""
    if isinstance(container, ListValue):
        keys: Iterable[str | int] = range(len(container.values))
    else:
        keys = sorted(container.fields)  # Protobuf's own order differs from process to process.
    for key in keys:
        yield container, key
        value = value_at((container, key))
        if value.HasField("struct_value"):
            yield from places(value.struct_value)
        elif value.HasField("list_value"):
            yield from places(value.list_value)


def value_at(place: Place) -> Value:
    """Return the value at a place."""
    container, key = place
    if isinstance(container, ListValue):
        return container.values[int(key)]
    return container.fields[str(key)]


def _replace(request: fnv1.RunFunctionRequest, chance: random.Random) -> None:
    if found := _any_place(request, chance):
        value_at(found).CopyFrom(absurd(chance))


def _remove(request: fnv1.RunFunctionRequest, chance: random.Random) -> None:
    if found := _any_place(request, chance):
        container, key = found
        if isinstance(container, ListValue):
            del container.values[int(key)]
        else:
            del container.fields[str(key)]


def _repeat(request: fnv1.RunFunctionRequest, chance: random.Random) -> None:
    if found := _any_place(request, chance):
        value = Value()
        value.CopyFrom(value_at(found))
        value_at(found).list_value.values.extend([value] * chance.choice([1, 2, 9, 100]))


def _move(request: fnv1.RunFunctionRequest, chance: random.Random) -> None:
    """Put a value of the request where another one is."""
    source, target = _any_place(request, chance), _any_place(request, chance)
    if source and target:
        value = Value()
        value.CopyFrom(value_at(source))
        value_at(target).CopyFrom(value)


def _add(request: fnv1.RunFunctionRequest, chance: random.Random) -> None:
    struct = chance.choice(list(structs(request)))
    inside = [
        value.struct_value
        for value in map(value_at, places(struct))
        if value.HasField("struct_value")
    ]
    chance.choice([struct, *inside]).fields[chance.choice(KEYS)].CopyFrom(absurd(chance))


def _rename_resource(request: fnv1.RunFunctionRequest, chance: random.Random) -> None:
    state = chance.choice([request.observed, request.observed, request.desired])
    name = chance.choice([*sorted(state.resources), *NAMES])
    one = fnv1.Resource()
    one.CopyFrom(state.resources[name])
    if chance.random() < 0.5:
        del state.resources[name]
    state.resources[chance.choice(NAMES)].CopyFrom(one)


def _change_the_rest(request: fnv1.RunFunctionRequest, chance: random.Random) -> None:
    request.meta.tag = chance.choice(TEXTS)
    one = chance.choice([request.desired.composite, request.desired.resources["network"]])
    one.ready = chance.choice([fnv1.READY_UNSPECIFIED, fnv1.READY_TRUE, fnv1.READY_FALSE])
    one.connection_details[chance.choice(TEXTS)] = chance.randbytes(chance.choice([0, 9]))
    request.context.fields[chance.choice(TEXTS)].CopyFrom(absurd(chance))
    request.input.fields[chance.choice(KEYS)].CopyFrom(absurd(chance))


def _any_place(request: fnv1.RunFunctionRequest, chance: random.Random) -> Place | None:
    struct = chance.choice([request.observed.composite.resource, *structs(request)])
    found = list(places(struct))
    return chance.choice(found) if found else None


_CHANGES: list[Callable[[fnv1.RunFunctionRequest, random.Random], None]] = [
    *(_replace, _replace, _replace, _move, _move),
    *(_remove, _repeat, _add, _add, _rename_resource, _change_the_rest),
]
