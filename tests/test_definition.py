"""One source of truth: the XRD and the model of the API agree on everything."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import specs
from function import api, immutable, rules, structs
from function.observed import Observed
from function.violations import InvalidError
from running import Object, request, run
from schema import Finding, Rule, Schema, Structure, defaulted, nodes, rules_broken
from schema import rules as rules_of

APIS = Path(__file__).parent.parent / "apis" / "civoclusters"
XRD = yaml.safe_load((APIS / "definition.yaml").read_text())
COMPOSITION = yaml.safe_load((APIS / "composition.yaml").read_text())
[VERSION] = XRD["spec"]["versions"]
SCHEMA: Schema = VERSION["schema"]["openAPIV3Schema"]
SPEC: Schema = SCHEMA["properties"]["spec"]
STATUS: Schema = SCHEMA["properties"]["status"]
SPEC_STRUCTURE = Structure(SPEC)

# What says nothing of which values are accepted, or is compared by tests of its own.
_ASIDE = {
    "description",
    "items",
    "properties",
    "title",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-list-type",
    "x-kubernetes-validations",
}

GPU = {"acceleratorType": "nvidia-l40s"}


def pool(**fields: Any) -> Object:
    return {"name": "a", "role": "System", "size": "small", **fields}


def gpu_pool(**fields: Any) -> Object:
    return pool(role="GPU", gpu=GPU, **fields)


def spec(*pools: Object, **fields: Any) -> Object:
    return {"region": "LON1", "nodePools": list(pools) or [pool()], **fields}


def by_xrd(spec: Any, old: Any = None) -> set[Finding]:
    """Return what the API server finds wrong with a spec, or with its update from an old one."""
    value = defaulted(SPEC, spec)
    found = SPEC_STRUCTURE.findings(value, "spec")
    if found or old is None:
        return found or set(rules_broken(SPEC, value, "spec"))
    return set(rules_broken(SPEC, value, "spec", old=defaulted(SPEC, old)))


def by_model(spec: Any) -> set[Finding]:
    """Return what the function finds wrong with a spec."""
    try:
        api.CivoCluster.parse({"metadata": {"name": "x", "namespace": "ns"}, "spec": spec})
    except InvalidError as error:
        return {Finding(one.path, one.message) for one in error.violations}
    return set()


# Structure.


def model_schema() -> Schema:
    """Return the schema of the model's spec in the form of a structural schema."""
    schema = api.Spec.model_json_schema(by_alias=True)
    return _structural(schema, schema.pop("$defs"))


def _structural(node: Schema, models: Schema) -> Schema:
    node = dict(node)
    if "$ref" in node:
        node = {**models[node.pop("$ref").removeprefix("#/$defs/")], **node}
    if "anyOf" in node:
        # A field that may be absent: None in Python, and never null on the wire.
        [inner] = [one for one in node.pop("anyOf") if one != {"type": "null"}]
        assert node.pop("default") is None
        node = {**node, **inner}
        return _structural(node, models)
    if "properties" in node:
        node["properties"] = {
            name: _structural(inner, models) for name, inner in node["properties"].items()
        }
        # An object that is absent is as one without fields: each has its default.
        own = {name: inner.get("default") for name, inner in node["properties"].items()}
        assert node.pop("default", own) == own
    if "items" in node:
        node["items"] = _structural(node["items"], models)
    return node


def facts(schema: Schema) -> dict[str, Schema]:
    """Return what a schema says of every place in it, by path."""
    return {
        at: {key: value for key, value in node.items() if key not in _ASIDE}
        for at, node in nodes(schema)
    }


def test_the_model_has_the_fields_bounds_and_defaults_of_the_xrd() -> None:
    assert facts(model_schema()) == facts(SPEC)


def test_the_xrd_names_what_the_function_answers_to() -> None:
    group, version = api.API_VERSION.split("/")
    names = XRD["spec"]["names"]
    assert XRD["apiVersion"] == "apiextensions.crossplane.io/v2"
    assert XRD["metadata"]["name"] == f"{names['plural']}.{group}"
    assert XRD["spec"]["group"] == group
    assert XRD["spec"]["scope"] == "Namespaced"
    assert names["kind"] == api.KIND
    assert names["plural"] == "civoclusters"
    assert names["categories"] == ["crossplane", "modelplane"]
    assert VERSION["name"] == version
    assert VERSION["served"]
    assert VERSION["referenceable"]
    assert COMPOSITION["spec"]["compositeTypeRef"] == {
        "apiVersion": api.API_VERSION,
        "kind": api.KIND,
    }


def test_printer_columns_show_fields_of_the_schema() -> None:
    fields = {f".{at}" for at, _ in nodes(SCHEMA)}
    shown = {column["jsonPath"] for column in VERSION["additionalPrinterColumns"]}
    assert shown
    assert shown <= fields


def test_every_field_has_a_description() -> None:
    # The items of a list are described by the list.
    silent = [
        at for at, node in nodes(SCHEMA) if not at.endswith("[]") and not node.get("description")
    ]
    assert silent == []


def test_every_string_and_list_of_the_spec_is_bounded() -> None:
    """The API server refuses CEL rules whose cost it can't bound."""
    bounds = {"string": {"maxLength", "enum"}, "array": {"maxItems"}, "integer": {"maximum"}}
    boundless = [
        at
        for at, node in nodes(SPEC)
        if node["type"] in bounds and not bounds[node["type"]] & node.keys()
    ]
    assert boundless == []


def test_nothing_stands_where_crossplane_drops_it() -> None:
    """Of the root, Crossplane copies no `required`; of spec no combination of schemas."""
    assert SCHEMA.keys() == {"type", "description", "properties"}
    assert SCHEMA["properties"].keys() == {"spec", "status"}
    assert SPEC.keys() == {"type", "description", "required", "properties"}


def test_pools_are_told_apart_by_name() -> None:
    pools = SPEC["properties"]["nodePools"]
    assert pools["x-kubernetes-list-type"] == "map"
    assert pools["x-kubernetes-list-map-keys"] == ["name"]


# Bounds and required fields, by value.


@dataclass(frozen=True)
class Bound:
    """The shortest or least, and the longest or greatest, that a field may be."""

    path: str
    least: int
    most: int
    spec: Any
    """Builds a spec with a field of that length or number."""


def _version(length: int) -> str:
    version = "1.34.1-k3s1-gpu"
    return version + "9" * (length - len(version)) if length > 15 else "9" * length


BOUNDS = [
    Bound("spec.region", 1, 32, lambda n: spec(region="é" * n)),
    Bound("spec.credentials.name", 1, 253, lambda n: spec(credentials={"name": "a" * n})),
    Bound("spec.nodePools", 1, 8, lambda n: spec() | {"nodePools": _pools(n)}),
    Bound("spec.nodePools[0].name", 1, 40, lambda n: spec(pool(name="a" * n))),
    Bound("spec.nodePools[0].size", 1, 63, lambda n: spec(pool(size="a" * n))),
    Bound("spec.nodePools[0].nodeCount", 1, 1000, lambda n: spec(pool(nodeCount=n))),
    Bound("spec.nodePools[0].maxNodeCount", 1, 1000, lambda n: spec(pool(maxNodeCount=n))),
    Bound(
        "spec.nodePools[0].minNodeCount",
        1,
        1000,
        lambda n: spec(pool(minNodeCount=n, maxNodeCount=1000)),
    ),
    Bound(
        "spec.nodePools[0].gpu.acceleratorType",
        1,
        63,
        lambda n: spec(pool(gpu={"acceleratorType": "a" * n})),
    ),
]


def _pools(number: int) -> list[Object]:
    return [pool(name=f"a{index}") for index in range(number)]


@pytest.mark.parametrize("bound", BOUNDS, ids=lambda bound: bound.path)
def test_a_bound_is_where_the_api_says(bound: Bound) -> None:
    for inside in (bound.least, bound.most):
        assert by_xrd(bound.spec(inside)) == by_model(bound.spec(inside)) == set()
    for outside in (bound.least - 1, bound.most + 1):
        assert bound.path in {one.path for one in by_xrd(bound.spec(outside))}
        assert bound.path in {one.path for one in by_model(bound.spec(outside))}


def test_a_kubernetes_version_has_up_to_32_characters() -> None:
    assert by_xrd(spec(kubernetesVersion=_version(32))) == set()
    assert by_model(spec(kubernetesVersion=_version(32))) == set()
    for outside in ("", _version(33)):
        found = {one.path for one in by_xrd(spec(kubernetesVersion=outside))}
        assert found == {"spec.kubernetesVersion"}
        assert {one.path for one in by_model(spec(kubernetesVersion=outside))} == found


COUNTS = ("nodeCount", "minNodeCount", "maxNodeCount")


@pytest.mark.parametrize("wrong", ["2", True, 1.5, [2], {}], ids=repr)
@pytest.mark.parametrize("count", COUNTS)
def test_nothing_is_taken_for_a_number_that_is_none(count: str, wrong: object) -> None:
    broken = spec(pool(**{"maxNodeCount": 3, count: wrong}))
    at = f"spec.nodePools[0].{count}"
    assert {one.path for one in by_xrd(broken)} == {at}
    assert at in {one.path for one in by_model(broken)}


def test_required_fields_and_no_others() -> None:
    required = {at: node["required"] for at, node in nodes(SPEC) if "required" in node}
    assert required == {
        "": ["region", "nodePools"],
        "nodePools[]": ["name", "role", "size"],
        "nodePools[].gpu": ["acceleratorType"],
    }


def test_defaults() -> None:
    assert defaulted(SPEC, spec(pool(), credentials={})) == spec(
        pool(nodeCount=1), credentials={"type": "ClusterProviderConfig", "name": "default"}
    )


# Rules.


@dataclass(frozen=True)
class Case:
    """A spec, and what is wrong with it."""

    name: str
    reason: str
    spec: Object
    broken: dict[str, str] = field(default_factory=dict)
    """Messages by path."""


def _named(name: str, message: str | None, reason: str) -> Case:
    broken = {"spec.nodePools[0].name": message} if message else {}
    return Case(f"name {name!r}", reason, spec(pool(name=name)), broken)


def _version_case(version: str, reason: str, *, valid: bool = False) -> Case:
    broken = {} if valid else {"spec.kubernetesVersion": rules.VERSION_FORMAT}
    return Case(f"version {version!r}", reason, spec(kubernetesVersion=version), broken)


CASES = [
    Case("smallest", "every optional field may be left out", spec()),
    Case(
        "largest",
        "every field may be there at once",
        spec(
            gpu_pool(nodeCount=2, minNodeCount=3, maxNodeCount=4),
            kubernetesVersion="1.34.1-k3s1",
            credentials={"type": "ProviderConfig", "name": "team"},
        ),
    ),
    # 1: role GPU needs gpu.
    Case(
        "GPU pool without gpu",
        "the accelerator type of a GPU pool is a label of its nodes",
        spec(pool(role="GPU")),
        {"spec.nodePools[0].gpu": rules.GPU_REQUIRED},
    ),
    Case(
        "GPU pool with gpu null",
        "the API server drops nulls before it validates",
        spec(pool(role="GPU", gpu=None)),
        {"spec.nodePools[0].gpu": rules.GPU_REQUIRED},
    ),
    Case("GPU pool", "it has what it needs", spec(gpu_pool())),
    Case("System pool with gpu", "what isn't needed does no harm", spec(pool(gpu=GPU))),
    Case(
        "second of two pools",
        "the path tells which pool it is",
        spec(pool(), pool(name="b", role="GPU")),
        {"spec.nodePools[1].gpu": rules.GPU_REQUIRED},
    ),
    # 2: the counts fit together.
    Case(
        "minimum alone",
        "a pool autoscales only where it has a maximum",
        spec(pool(minNodeCount=1)),
        {"spec.nodePools[0].minNodeCount": rules.MIN_NEEDS_MAX},
    ),
    Case(
        "minimum above maximum",
        "the autoscaler could satisfy neither",
        spec(pool(minNodeCount=3, maxNodeCount=2)),
        {"spec.nodePools[0].minNodeCount": rules.MIN_ABOVE_MAX},
    ),
    Case(
        "count above maximum",
        "the autoscaler would remove nodes at once",
        spec(pool(nodeCount=3, maxNodeCount=2)),
        {"spec.nodePools[0].nodeCount": rules.COUNT_ABOVE_MAX},
    ),
    Case(
        "both above maximum",
        "each is told",
        spec(pool(nodeCount=3, minNodeCount=4, maxNodeCount=2)),
        {
            "spec.nodePools[0].minNodeCount": rules.MIN_ABOVE_MAX,
            "spec.nodePools[0].nodeCount": rules.COUNT_ABOVE_MAX,
        },
    ),
    Case(
        "all counts equal",
        "a bound may be reached",
        spec(pool(nodeCount=2, minNodeCount=2, maxNodeCount=2)),
    ),
    Case(
        "count below minimum",
        "the pool starts with the minimum then",
        spec(pool(nodeCount=1, minNodeCount=2, maxNodeCount=3)),
    ),
    Case("maximum of one", "the count is one by default", spec(pool(maxNodeCount=1))),
    # 3: label values.
    _named("aZ09", None, "letters and digits"),
    _named("a", None, "one character is its own begin and end"),
    _named("a-b_c.d", None, "these three may stand between"),
    _named("-a", rules.LABEL_VALUE, "no label value begins with a hyphen"),
    _named("a-", rules.LABEL_VALUE, "nor ends with one"),
    _named("_", rules.LABEL_VALUE, "nor is one alone"),
    _named(".a", rules.LABEL_VALUE, "nor begins with a dot"),
    _named("a/b", rules.LABEL_VALUE, "a slash sets off a prefix in keys, not in values"),
    _named("a b", rules.LABEL_VALUE, "blanks aren't allowed"),
    _named("é", rules.LABEL_VALUE, "ASCII letters alone"),
    _named("a\n", rules.LABEL_VALUE, "the end is the end of the text, not of the line"),
    Case(
        "accelerator type",
        "a label value too",
        spec(pool(role="GPU", gpu={"acceleratorType": "nvidia l40s"})),
        {"spec.nodePools[0].gpu.acceleratorType": rules.LABEL_VALUE},
    ),
    # 4 and 5: names that are taken.
    _named("system", rules.NAME_RESERVED, "the built-in pool has this name"),
    _named("System", None, "another name to Civo and to Kubernetes"),
    _named("workers", None, "harmless for a pool of fixed size"),
    _named("worker", None, "another name to the autoscaler"),
    Case(
        "autoscaled workers",
        "the autoscaler would scale every pool",
        spec(pool(name="workers", maxNodeCount=2)),
        {"spec.nodePools[0].name": rules.NAME_TAKES_ALL},
    ),
    # 7: versions.
    _version_case("1.34.1-k3s1", "as Civo lists them", valid=True),
    _version_case("12.345.67-k3s89", "numbers of any length", valid=True),
    _version_case("1.34.1-k3s1-gpu", "Civo's build with GPU drivers", valid=True),
    _version_case("1.34.1-k3s1-gpu.2-rc", "its suffix goes on as it likes", valid=True),
    _version_case("1.34.1", "the build suffix is missing"),
    _version_case("1.34-k3s1", "the patch version is missing"),
    _version_case("1.34.1-k3s", "the build's number is missing"),
    _version_case("1.34.1+k3s1", "Civo writes a hyphen"),
    _version_case("v1.34.1-k3s1", "Civo writes no v"),
    _version_case("1.34.1-k3s1-arm", "no other suffix is known"),
    _version_case("1.34.1-k3s1-gpu_2", "an underscore isn't part of one"),
    _version_case("1x34x1-k3s1", "the dots are dots"),
    _version_case("1.34.1-k3s1\n", "the end is the end of the text"),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_both_find_the_same_rules_broken(case: Case) -> None:
    expected = {Finding(path, message) for path, message in case.broken.items()}
    assert by_xrd(case.spec) == expected, case.reason
    model = by_model(structs.to_dict(request(case.spec).observed.composite.resource))
    assert model == expected, case.reason


def test_both_refuse_a_name_twice() -> None:
    """The one rule that needs no CEL: pools are a map by name."""
    twice = spec(pool(), pool(name="b"), pool())
    assert {one.path for one in by_xrd(twice)} == {"spec.nodePools[2].name"}
    assert by_model(twice) == {Finding("spec.nodePools[2].name", rules.NAME_TAKEN)}


@dataclass(frozen=True)
class Change:
    """An update of a spec, and what is wrong with it."""

    name: str
    reason: str
    old: Object
    new: Object
    broken: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Message and old value by path."""


CHANGES = [
    Change("none", "an update may leave all as it is", spec(gpu_pool()), spec(gpu_pool())),
    Change(
        "region",
        "the cluster in the old region would be forgotten",
        spec(),
        spec(region="NYC1"),
        {"spec.region": (immutable.REGION, '"LON1"')},
    ),
    Change(
        "size",
        "the API refuses a new size",
        spec(pool(size="small")),
        spec(pool(size="large")),
        {"spec.nodePools[0].size": (immutable.SIZE, '"small"')},
    ),
    Change(
        "role, to GPU",
        "nodes that are there get no taint",
        spec(pool()),
        spec(gpu_pool()),
        {"spec.nodePools[0].role": (immutable.ROLE, '"System"')},
    ),
    Change(
        "role, to System",
        "the taint stays on the nodes",
        spec(gpu_pool()),
        spec(pool(gpu=GPU)),
        {"spec.nodePools[0].role": (immutable.ROLE, '"GPU"')},
    ),
    Change(
        "order",
        "pools go by name",
        spec(pool(name="a", size="small"), pool(name="b", size="large")),
        spec(pool(name="b", size="large"), pool(name="a", size="small")),
    ),
    Change(
        "order and size",
        "pools go by name, their paths by place",
        spec(pool(name="a", size="small"), pool(name="b", size="large")),
        spec(pool(name="b", size="small"), pool(name="a", size="small")),
        {"spec.nodePools[0].size": (immutable.SIZE, '"large"')},
    ),
    Change(
        "all at once",
        "every violation is told",
        spec(pool(size="small")),
        spec(gpu_pool(size="large"), region="NYC1"),
        {
            "spec.region": (immutable.REGION, '"LON1"'),
            "spec.nodePools[0].size": (immutable.SIZE, '"small"'),
            "spec.nodePools[0].role": (immutable.ROLE, '"System"'),
        },
    ),
    Change(
        "name",
        "a pool under a new name is another pool: that is the way to another size",
        spec(pool(name="a", size="small")),
        spec(pool(name="b", size="large")),
    ),
    Change(
        "all that may change",
        "counts, accelerator, version and credentials can",
        spec(gpu_pool(nodeCount=1), kubernetesVersion="1.34.1-k3s1"),
        spec(
            pool(role="GPU", gpu={"acceleratorType": "nvidia-h100"}, maxNodeCount=3),
            kubernetesVersion="1.35.1-k3s1",
            credentials={"name": "team"},
        ),
    ),
]


def composed(spec: Object) -> dict[str, Object]:
    """Return everything that is composed of a spec once its cluster has been ready."""
    xr = {"metadata": {"name": "x", "namespace": "ns"}, "spec": spec}
    ready = {"status": {"conditions": [{"type": "Ready", "status": "True"}]}}
    answer = run(xr, {"cluster": ready})
    assert not [one for one in answer.results if one.severity == 1], answer.results
    return {name: structs.to_dict(one.resource) for name, one in answer.desired.resources.items()}


def changed_by_model(old: Object, new: Object) -> set[Finding]:
    """Return which immutable fields the function finds changed in an update."""
    xr = api.CivoCluster.parse({"metadata": {"name": "x", "namespace": "ns"}, "spec": new})
    before = Observed(request({}, composed(old)).observed)
    return {Finding(one.path, one.message) for one in immutable.changed(xr, before)}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.name)
def test_both_refuse_the_same_changes(change: Change) -> None:
    assert by_xrd(change.new, change.old) == {
        Finding(path, message) for path, (message, _) in change.broken.items()
    }, change.reason
    assert changed_by_model(change.old, change.new) == {
        Finding(path, f"{message} (it was {was})") for path, (message, was) in change.broken.items()
    }, change.reason


def test_every_rule_of_the_xrd_is_broken_by_a_case_that_breaks_no_other() -> None:
    """With the tables above it follows that no rule can be taken away unnoticed."""
    alone = {
        (_place(path), message)
        for case in CASES
        if len(case.broken) == 1
        for path, message in case.broken.items()
    } | {
        (_place(path), message)
        for change in CHANGES
        if len(change.broken) == 1
        for path, (message, _) in change.broken.items()
    }
    assert alone == {(place, rule.message) for rule, place in _reported()}


def _place(path: str) -> str:
    """Return the place in the schema of spec for the path of a value."""
    return path.replace("[0]", "[]").replace("[1]", "[]").removeprefix("spec.")


def _reported() -> Iterator[tuple[Rule, str]]:
    """Yield every rule of the XRD with the place that it reports."""
    for at, node in nodes(SPEC):
        for one in node.get("x-kubernetes-validations", []):
            rule = Rule(at, one["rule"], one["message"])
            yield rule, at + one.get("fieldPath", "")


def test_every_message_of_the_function_is_one_of_the_xrd() -> None:
    messages = {
        value
        for module in (rules, immutable)
        for name, value in vars(module).items()
        if name.isupper() and not name.startswith("_") and isinstance(value, str)
    }
    # The API server has words of its own for an item that is there twice.
    assert messages - {rules.NAME_TAKEN} == {rule.message for rule in rules_of(SPEC)}


def test_what_a_rule_says_of_absence_stands_on_the_parent() -> None:
    """A rule on a field isn't run where the field is absent, or comes or goes."""
    optional = {
        f"{at}.{name}".removeprefix(".")
        for at, node in nodes(SPEC)
        for name in node.get("properties", {}).keys() - set(node.get("required", []))
    }
    assert {rule.at for rule in rules_of(SPEC) if rule.is_transition} & optional == set()


# Whatever a spec holds.


@given(specs.edgy)
@settings(max_examples=300)
def test_both_find_the_same_in_any_spec_of_the_right_structure(spec: Object) -> None:
    xrd, model = by_xrd(spec), by_model(spec)
    if SPEC_STRUCTURE.findings(defaulted(SPEC, spec)):
        # Names that are there twice: the API server looks no further then.
        taken = {one.path for one in model if one.message == rules.NAME_TAKEN}
        assert {one.path for one in xrd} >= taken
        assert {one.path for one in xrd} <= {one.path for one in model}
    else:
        assert model == xrd


WRONG = st.sampled_from([None, True, 0, 1, 1.5, 2**63, "", "x" * 300, [], [None], {}, {"a": 1}])


@given(specs.edgy, st.data())
@settings(max_examples=200)
def test_both_refuse_the_same_values_of_wrong_types(spec: Object, data: st.DataObject) -> None:
    holder, key = specs.place(data, spec)
    holder[key] = data.draw(WRONG)
    # As the function gets it: without nulls.
    model = by_model(structs.to_dict(request(spec).observed.composite.resource))
    structural = {
        one
        for one in SPEC_STRUCTURE.findings(defaulted(SPEC, spec), "spec")
        # That the API tolerates fields that it doesn't know is Crossplane's wish.
        if "Additional properties" not in one.message
    }
    if structural:
        assert {one.path for one in structural} <= {one.path for one in model}
    elif not SPEC_STRUCTURE.findings(defaulted(SPEC, spec), "spec"):
        assert model == by_xrd(spec)


@given(specs.valid(), specs.valid())
@settings(max_examples=100)
def test_both_refuse_the_same_changes_of_any_spec(old: Object, new: Object) -> None:
    assert by_xrd(old) == by_model(old) == set()
    assert by_xrd(new) == by_model(new) == set()
    stated = {
        Finding(one.path, one.message.partition(" (it was ")[0])
        for one in changed_by_model(old, new)
    }
    assert stated == by_xrd(new, old)


# Status.


def test_the_status_that_the_function_writes_is_that_of_the_xrd() -> None:
    old = spec(pool(name="a", maxNodeCount=3))
    observed = composed(old)
    for name, at_provider in {
        "cluster": {
            "name": "x-12345",
            "id": "c-id",
            "apiEndpoint": "https://203.0.113.10:6443",
            "kubernetesVersion": "1.34.1-k3s1",
        },
        "firewall": {},
        "node-pool-a": {"nodeCount": 2},
    }.items():
        observed[name].setdefault("metadata", {})["annotations"] = {
            "crossplane.io/external-name": f"{name}-id"
        }
        observed[name]["status"] = {"atProvider": at_provider}
    answer = run({"metadata": {"name": "x", "namespace": "ns"}, "spec": old}, observed)

    status = structs.dig(answer.desired.composite.resource, "status")

    assert Structure(STATUS).findings(status, "status") == set()
    written = {at for at, _ in _held(STATUS, status)}
    assert written == {at for at, _ in nodes(STATUS)}, "the XRD has a field that nothing writes"
    assert set(defaulted(STATUS, status)) == set(status)


def _held(schema: Schema, value: Any, at: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the places of a schema at which a value holds something."""
    yield at, value
    for name, inner in schema.get("properties", {}).items():
        if name in value:
            yield from _held(inner, value[name], f"{at}.{name}".removeprefix("."))
    if "items" in schema:
        for item in value:
            yield from _held(schema["items"], item, f"{at}[]")


def test_what_the_status_names_a_reader_can_rely_on() -> None:
    secrets = STATUS["properties"]["secrets"]["items"]
    assert secrets["required"] == ["type", "name", "key"]
    assert secrets["properties"]["type"]["enum"] == ["Kubeconfig"]
    assert secrets["properties"]["name"]["maxLength"] == 253
    assert secrets["properties"]["key"]["maxLength"] == 253
