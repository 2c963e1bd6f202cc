"""What holds whatever is asked for, whatever exists and whatever arrives."""

import copy
import json
import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, TypeVar

from crossplane.function import resource
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from hypothesis import given, settings
from hypothesis import strategies as st

import crds
import specs
from function import structs
from running import Object, request, respond
from schema import Finding, Structure
from situations import ALL, cluster_xr
from test_definition import STATUS, by_xrd

BASE = {"network", "firewall", "cluster"}
HELM = {"provider-config-helm", "release-cluster-autoscaler"}
RELEASE = "release-cluster-autoscaler"
EXTERNAL_NAME = "crossplane.io/external-name"

STATUS_STRUCTURE = Structure(STATUS)

# 8.0 where 8 is meant, but neither a version nor an address.
FLOAT = re.compile(r"(?<![\w.])\d+\.0(?![\w.])")
PASSWORD = b"of nobody's business"

Objects = dict[str, Object]
T = TypeVar("T")


# What the tests know of an object, which may be anything.


def dig(value: Any, *path: str) -> Any:
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def is_ready(observed: Any) -> bool:
    conditions = dig(observed, "status", "conditions")
    for one in conditions if isinstance(conditions, list) else []:
        if dig(one, "type") == "Ready":
            return bool(one.get("status") == "True")
    return False


def external_name(observed: Any) -> str | None:
    name = dig(observed, "metadata", "annotations", EXTERNAL_NAME)
    return name if isinstance(name, str) and name else None


def asked_for(spec: Object, observed: Objects) -> set[str]:
    """Return what a spec asks for once the cluster is ready."""
    pools = {f"node-pool-{pool['name']}" for pool in spec["nodePools"]}
    autoscaled = any("maxNodeCount" in pool for pool in spec["nodePools"])
    return BASE | pools | (HELM if autoscaled or HELM & observed.keys() else set())


def has_been_ready(observed: Objects) -> bool:
    return is_ready(observed.get("cluster")) or any(
        name.startswith("node-pool-") or name in HELM for name in observed
    )


# A pipeline with a function before this one, and secrets that are for neither.


def in_a_pipeline(xr: Object, observed: Objects) -> fnv1.RunFunctionRequest:
    built = request(xr, observed)
    built.meta.tag = "a tag"
    built.context["apiextensions.crossplane.io/environment"] = {"some": "context"}
    resource.update(built.desired.composite, {"status": {"earlier": {"has": "said"}}})
    resource.update(built.desired.resources["earlier"], {"kind": "Other", "spec": {"one": 1}})
    built.observed.composite.connection_details["password"] = PASSWORD
    built.credentials["account"].credential_data.data["password"] = PASSWORD
    return built


def answer_to(xr: Object, observed: Objects) -> fnv1.RunFunctionResponse:
    """Return the function's answer, checked for what holds of every answer."""
    asked = in_a_pipeline(xr, observed)
    before = asked.SerializeToString(deterministic=True)

    answer = respond(asked)

    answered = answer.SerializeToString(deterministic=True)
    assert asked.SerializeToString(deterministic=True) == before, "it changed the request"
    again = in_a_pipeline(xr, dict(reversed(observed.items())))
    assert respond(again).SerializeToString(deterministic=True) == answered, "not repeatable"
    assert PASSWORD not in answered
    assert answer.meta.tag == asked.meta.tag
    assert answer.context == asked.context
    assert answer.desired.resources["earlier"] == asked.desired.resources["earlier"]
    assert structs.dig(answer.desired.composite.resource, "status", "earlier") == {"has": "said"}
    assert structs.to_dict(answer.desired.composite.resource).keys() == {"status"}, "echoed"
    assert answer.desired.composite.ready == fnv1.READY_UNSPECIFIED, "Crossplane derives it"
    for message in [one.message for one in answer.results] + [
        one.message for one in answer.conditions
    ]:
        assert not FLOAT.search(message), message
    if any(result.severity == fnv1.SEVERITY_FATAL for result in answer.results):
        assert len(answer.results) == 1
        assert not answer.conditions
        assert answer.desired == asked.desired
    return answer


def check_composed(xr: Object, observed: Objects, answer: fnv1.RunFunctionResponse) -> None:
    """Check an answer that isn't FATAL."""
    spec = structs.to_dict(request(xr).observed.composite.resource)["spec"]
    desired = {
        name: structs.to_dict(one.resource)
        for name, one in answer.desired.resources.items()
        if name != "earlier"
    }
    wanted = asked_for(spec, observed)
    assert desired.keys() >= BASE
    assert desired.keys() >= observed.keys() & wanted, "deleted what is asked for"
    assert desired.keys() == (wanted if has_been_ready(observed) else BASE)

    for name, composed in desired.items():
        assert crd_findings(json.dumps(composed)) == set(), name
        ready = name == "provider-config-helm" or is_ready(observed.get(name))
        assert (answer.desired.resources[name].ready == fnv1.READY_TRUE) == ready, name
        if name not in HELM:
            assert composed["spec"]["forProvider"]["region"] == spec["region"]
    check_kept(desired, observed)
    for pool in spec["nodePools"]:
        if (name := f"node-pool-{pool['name']}") in desired:
            check_pool(pool, desired[name])
    if RELEASE in desired:
        check_groups(spec, observed, desired[RELEASE])

    status = structs.dig(answer.desired.composite.resource, "status")
    del status["earlier"]
    assert STATUS_STRUCTURE.findings(status) == set()
    assert [secret["type"] for secret in status["secrets"]] == ["Kubeconfig"]


@cache
def crd_findings(composed: str) -> set[Finding]:
    """Return what the CRDs find wrong with an object in JSON: most are the same every time.

    All else is checked without CRDs too: the tests of the check itself then tell what is missing.
    """
    return crds.findings(json.loads(composed)) if crds.available() else set()


def check_kept(desired: Objects, observed: Objects) -> None:
    """Check that nothing changes of which Civo would make a second one, or an error."""
    for name, key in (("network", "label"), ("firewall", "name"), ("cluster", "name")):
        was = dig(observed.get(name), "spec", "forProvider", key)
        if isinstance(was, str) and was:
            assert desired[name]["spec"]["forProvider"][key] == was, "renamed"
    asked = dig(observed.get("cluster"), "spec", "forProvider")
    cluster = desired["cluster"]["spec"]["forProvider"]
    if external_name(observed.get("cluster")) and isinstance(asked, dict):
        for key in ("cni", "applications"):
            if isinstance(value := asked.get(key), str) and value:
                assert cluster.get(key) == value, "can't change any more"
    assert "pools" not in cluster
    assert desired["firewall"]["spec"]["forProvider"]["createDefaultRules"] is False


def check_pool(pool: Object, composed: Object) -> None:
    """Check that a pool's count is where its owner is: the spec, or the autoscaler."""
    count = pool.get("nodeCount", 1)
    if "maxNodeCount" in pool:
        assert "nodeCount" not in composed["spec"]["forProvider"]
        initial = max(count, pool.get("minNodeCount", 1))
        assert composed["spec"]["initProvider"] == {"nodeCount": initial}
    else:
        assert composed["spec"]["forProvider"]["nodeCount"] == count
        assert "initProvider" not in composed["spec"]


def check_groups(spec: Object, observed: Objects, release: Object) -> None:
    """Check that the autoscaler has the pools that it may scale, of those that exist."""
    assert release["spec"]["forProvider"]["values"]["autoscalingGroups"] == [
        {
            "name": identity,
            "minSize": pool.get("minNodeCount", pool.get("nodeCount", 1)),
            "maxSize": pool["maxNodeCount"],
        }
        for pool in spec["nodePools"]
        if "maxNodeCount" in pool
        and (identity := external_name(observed.get(f"node-pool-{pool['name']}")))
    ]


# Sequences of events.


def nothing(_spec: Object) -> Objects:
    return {}


def left_by_an_earlier_function(spec: Object) -> Objects:
    """Return what exists of an XR that was composed before names carried a hash."""
    region = spec["region"]
    world: Objects = {
        "network": {"spec": {"forProvider": {"label": "inference", "region": region}}},
        "firewall": {
            "spec": {
                "forProvider": {"name": "inference", "region": region, "createDefaultRules": True}
            }
        },
        "cluster": {
            "metadata": {"annotations": {EXTERNAL_NAME: "cluster-id"}},
            "spec": {
                "forProvider": {
                    "name": "inference",
                    "region": region,
                    "cni": "flannel",
                    "applications": "metrics-server",
                    "pools": {"size": "g4p.kube.small", "nodeCount": 2},
                }
            },
        },
        "node-pool-long-gone": {"spec": {"forProvider": {"label": "long-gone", "nodeCount": 1}}},
    }
    for pool in spec["nodePools"]:
        wanted = {"label": pool["name"], "size": pool["size"], "nodeCount": 7}
        world[f"node-pool-{pool['name']}"] = {"spec": {"forProvider": wanted}}
    return world


STATUSES = ["True", "False", "Unknown", None]
ERRORS = [
    "create failed: quota_limit_reached: 8 of 8 instances",
    "no such host",
    "cannot resolve references: mg.Spec.ForProvider.NetworkID",
    "",
]
REPORTS: list[Object] = [
    {},
    {"id": "an-id", "name": "inference", "status": "BUILDING", "nodeCount": 0},
    {"status": "SCALING", "kubernetesVersion": "1.33.2-k3s1", "nodeCount": 1000},
    {"status": "ACTIVE", "kubernetesVersion": "1.34.1-k3s1", "nodeCount": 3},
    {"kubernetesVersion": "1.36.3-k3s1", "apiEndpoint": "https://203.0.113.10:6443"},
]


@dataclass
class Life:
    """A CivoCluster whose user, providers and bad luck act in any order."""

    data: st.DataObject
    spec: Object
    observed: Objects
    status: Object = field(default_factory=dict)

    @property
    def xr(self) -> Object:
        return {**cluster_xr(), "spec": self.spec, "status": self.status}

    def reconciles(self) -> None:
        """Apply as Crossplane does: what isn't desired is deleted."""
        answer = respond(request(self.xr, self.observed))
        self.status = structs.dig(answer.desired.composite.resource, "status")
        applied = {}
        for name, one in answer.desired.resources.items():
            composed, was = structs.to_dict(one.resource), self.observed.get(name, {})
            annotations = {
                **(dig(was, "metadata", "annotations") or {}),
                **(dig(composed, "metadata", "annotations") or {}),
            }
            applied[name] = {**was, **composed, "metadata": {"annotations": annotations}}
        self.observed = applied

    def all_goes_well(self) -> None:
        for name, one in self.observed.items():
            one["metadata"] = {"annotations": {EXTERNAL_NAME: f"{name}-id"}}
            conditions = [{"type": "Ready", "status": "True"}]
            one["status"] = {"conditions": conditions, "atProvider": self.any(REPORTS)}

    def condition_changes(self) -> None:
        kind, status = self.any(["Ready", "Synced", "LastAsyncOperation"]), self.any(STATUSES)
        now = self.something().setdefault("status", {})
        conditions = [one for one in now.get("conditions", []) if one["type"] != kind]
        if status:
            message = self.any(ERRORS) if status == "False" else ""
            conditions.append({"type": kind, "status": status, "message": message})
        now["conditions"] = conditions

    def cluster_flaps(self) -> None:
        conditions = [{"type": "Ready", "status": self.any(STATUSES)}]
        self.observed.setdefault("cluster", {})["status"] = {"conditions": conditions}

    def provider_reports(self) -> None:
        self.something().setdefault("status", {})["atProvider"] = self.any(REPORTS)

    def identity_changes(self) -> None:
        metadata = self.something().setdefault("metadata", {})
        metadata.setdefault("annotations", {})[EXTERNAL_NAME] = self.any(["an-id", "other", ""])

    def resource_disappears(self) -> None:
        self.observed.pop(self.any([*self.observed, "network"]), None)

    def all_others_disappear(self) -> None:
        name = self.any([*HELM, *self.observed])
        self.observed = {name: self.observed.get(name, {})}

    def status_is_lost(self) -> None:
        self.status = {}

    def pool_is_added(self) -> None:
        taken = {pool["name"] for pool in self.spec["nodePools"]}
        names = [
            name
            for name in specs.POOL_NAMES
            # The role and size of one that exists can't change.
            if name not in taken and f"node-pool-{name}" not in self.observed
        ]
        if names:
            pool = self.data.draw(specs.pools(st.sampled_from(names)))
            self.spec["nodePools"].insert(self.any([0, len(taken)]), pool)

    def pool_is_removed(self) -> None:
        if len(self.spec["nodePools"]) > 1:
            self.spec["nodePools"].remove(self.any(self.spec["nodePools"]))

    def pool_is_scaled(self) -> None:
        """Make it autoscaled, fixed-size, larger or smaller."""
        pool = self.any(self.spec["nodePools"])
        for count in ("nodeCount", "minNodeCount", "maxNodeCount"):
            pool.pop(count, None)
        pool.update(self.data.draw(specs.node_counts(pool["name"])))

    def cluster_is_upgraded(self) -> None:
        self.spec["kubernetesVersion"] = self.data.draw(specs.VERSIONS)

    def any(self, choices: Sequence[T]) -> T:
        return self.data.draw(st.sampled_from(choices))

    def something(self) -> Object:
        """Return something that exists."""
        return self.observed[self.any([*self.observed])] if self.observed else {}


EVENTS = [
    # Twice as often: all else wants something to act on.
    Life.reconciles,
    Life.reconciles,
    Life.all_goes_well,
    Life.all_goes_well,
    Life.condition_changes,
    Life.cluster_flaps,
    Life.provider_reports,
    Life.identity_changes,
    Life.resource_disappears,
    Life.all_others_disappear,
    Life.status_is_lost,
    Life.pool_is_added,
    Life.pool_is_removed,
    Life.pool_is_scaled,
    Life.cluster_is_upgraded,
]


@given(st.data(), specs.valid(), st.sampled_from([nothing, left_by_an_earlier_function]))
@settings(max_examples=60)
def test_nothing_is_lost_whatever_happens(
    data: st.DataObject, spec: Object, existing: Callable[[Object], Objects]
) -> None:
    life = Life(data, spec, existing(spec))
    for event in data.draw(st.lists(st.sampled_from(EVENTS), min_size=12, max_size=12)):
        event(life)
        answer = answer_to(life.xr, life.observed)
        assert all(result.severity == fnv1.SEVERITY_WARNING for result in answer.results)
        assert {condition.type for condition in answer.conditions}.isdisjoint(
            {"Ready", "Synced", "Healthy", "UpToDate", "Responsive"}
        ), "these are Crossplane's own"
        check_composed(life.xr, life.observed, answer)


# Whatever arrives.

KEYS = st.sampled_from(["name", "type", "status", "nodeCount", "conditions", "", "\n", "spec"])
# About as deep as protobuf reads.
DEEP: Any = json.loads("[" * 25 + '{"name": "x"}' + "]" * 25)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.just(DEEP)
    | st.sampled_from([0, -1, 1.5, 2**53, 1e308, math.nan, math.inf, -math.inf])
    | st.sampled_from(["", "True", "NYC1", "workers", "system", "\x00\u2028", "x" * 1000, "1.34"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)


@given(st.data(), st.integers(1, 3))
@settings(max_examples=250)
def test_wrong_values_anywhere_are_answered(data: st.DataObject, mistakes: int) -> None:
    xr, observed = copy.deepcopy((cluster_xr(), ALL))
    for _ in range(mistakes):
        holder, key = specs.place(data, data.draw(st.sampled_from([*[xr] * 5, *observed.values()])))
        holder[key] = copy.deepcopy(data.draw(VALUES))
    check_answer(xr, observed)


@given(st.dictionaries(KEYS, VALUES, max_size=4), st.dictionaries(KEYS, VALUES, max_size=4))
@settings(max_examples=50)
def test_nonsense_is_answered(xr: Object, observed: Object) -> None:
    check_answer(xr, dict.fromkeys(ALL, observed))


def test_values_that_are_nothing_are_answered() -> None:
    """A protobuf Value may be none of its kinds; then it is as a null."""
    asked = request(cluster_xr(), ALL)
    for name in ("metadata", "spec"):
        asked.observed.composite.resource.fields[name].Clear()
    for one in asked.observed.resources.values():
        one.resource.fields["status"].Clear()

    answer = respond(asked)

    assert [result.reason for result in answer.results] == ["InvalidCivoCluster"]
    assert "spec.region: is required" in answer.results[0].message
    assert "metadata.name: is required" in answer.results[0].message


def check_answer(xr: Object, observed: Objects) -> None:
    """Check that an answer is right, or FATAL for a reason that the user can do something about."""
    answer = answer_to(xr, observed)
    wrong = spec_findings(xr)
    if all(result.severity != fnv1.SEVERITY_FATAL for result in answer.results):
        # That the API tolerates fields that it doesn't know is Crossplane's wish.
        assert [one for one in wrong if "Additional properties" not in one.message] == []
        check_composed(xr, observed, answer)
        return
    [result] = answer.results
    assert result.reason == "InvalidCivoCluster", result.message
    first, *violations = result.message.split("\n")
    assert first == "the CivoCluster is invalid:"
    assert violations
    assert all(one.startswith(("spec", "metadata")) for one in violations)
    if not any(one.startswith("metadata") or "can't change" in one for one in violations):
        assert wrong, "refused what the API server accepts"


def spec_findings(xr: Object) -> set[Finding]:
    spec = xr.get("spec")
    if isinstance(spec, dict):
        spec = {key: value for key, value in spec.items() if key != "crossplane"}
    return by_xrd(spec)
