"""The API server takes what the API allows, with its defaults, and refuses the rest in our words.

Nothing here is stored but one XR that Crossplane is told to leave alone: requests are dry runs.
"""

from copy import deepcopy
from typing import Any

import pytest

from .harness.api import CRD, Object, RefusedError, condition, is_true
from .harness.crossplane import ACTIVATION_POLICY, XR, XRD_NAME
from .harness.live import Live, User, pool
from .harness.process import eventually

Pools = list[Object]


def manifest(user: User, spec: Object) -> Object:
    """Return a CivoCluster that Crossplane leaves alone."""
    return {
        "apiVersion": XR.api_version,
        "kind": XR.name,
        "metadata": {
            "namespace": user.namespace,
            "name": "inference",
            "annotations": {"crossplane.io/paused": "true"},
        },
        "spec": spec,
    }


def spec(*pools: Object, **more: Any) -> Object:
    """Return a spec with these pools, or with one that is good."""
    return {"region": "NYC1", "nodePools": list(pools) or [pool("a")], **more}


def without(field: str, manifest: Object) -> Object:
    """Return an object without a field."""
    return {key: value for key, value in manifest.items() if key != field}


EIGHT = [
    pool(f"gpu-{each}", "GPU", nodeCount=2, minNodeCount=1, maxNodeCount=9) for each in "abcdefgh"
]

TAKEN = {
    "one pool": spec(),
    "eight pools with everything": spec(*EIGHT, kubernetesVersion="1.34.1-k3s1"),
    "region of one letter": spec(region="X"),
    "region of 32": spec(region="X" * 32),
    "version with a GPU suffix": spec(kubernetesVersion="1.34.1-k3s1-gpu"),
    "pool name of 40": spec(pool("a" * 40)),
    "pool name with every kind of character": spec(pool("A.b_c-9")),
    "size of 63": spec(pool("a") | {"size": "s" * 63}),
    "accelerator of 63": spec(pool("a", "GPU", gpu={"acceleratorType": "a" * 63})),
    "a thousand nodes": spec(pool("a", nodeCount=1000)),
    "minimum, count and maximum alike": spec(
        pool("a", nodeCount=3, minNodeCount=3, maxNodeCount=3)
    ),
    "count below the minimum": spec(pool("a", nodeCount=1, minNodeCount=2, maxNodeCount=3)),
    "fixed pool named workers": spec(pool("workers", nodeCount=3)),
    "system pool with a GPU": spec(pool("a", gpu={"acceleratorType": "nvidia-l40s"})),
    "provider config": spec(credentials={"type": "ProviderConfig", "name": "mine"}),
}

REFUSED = {
    "no region": (without("region", spec()), "spec.region: Required value"),
    "empty region": (spec(region=""), "spec.region"),
    "long region": (spec(region="X" * 33), "spec.region: Too long"),
    "no pools": (without("nodePools", spec()), "spec.nodePools: Required value"),
    "empty pools": ({"region": "NYC1", "nodePools": []}, "should have at least 1 items"),
    "nine pools": (spec(*EIGHT, pool("i")), "must have at most 8 items"),
    "two pools of a name": (spec(pool("a"), pool("a")), "Duplicate value"),
    "pool without a name": (spec(without("name", pool("a"))), "name: Required value"),
    "pool without a role": (spec(without("role", pool("a"))), "role: Required value"),
    "pool without a size": (spec(without("size", pool("a"))), "size: Required value"),
    "unknown role": (spec(pool("a", role="CPU")), 'supported values: "System", "GPU"'),
    "empty size": (spec(pool("a", size="")), "nodePools[0].size"),
    "long size": (spec(pool("a", size="s" * 64)), "nodePools[0].size: Too long"),
    "long pool name": (spec(pool("a" * 41)), "nodePools[0].name: Too long"),
    "pool name that ends in a dash": (spec(pool("a-")), "must be a Kubernetes label value"),
    "pool name that begins with a dot": (spec(pool(".a")), "must be a Kubernetes label value"),
    "pool name with a space": (spec(pool("a b")), "must be a Kubernetes label value"),
    "pool named system": (spec(pool("system")), "'system' is the name of the built-in pool"),
    "autoscaled pool named workers": (
        spec(pool("workers", maxNodeCount=3)),
        "takes to mean every pool of the cluster; choose another name",
    ),
    "GPU pool without gpu": (
        spec(without("gpu", pool("a", "GPU"))),
        "is required for role GPU; add gpu.acceleratorType",
    ),
    "second pool is the bad one": (
        spec(pool("a"), without("gpu", pool("b", "GPU"))),
        "spec.nodePools[1]",
    ),
    "gpu without a type": (spec(pool("a", "GPU", gpu={})), "acceleratorType: Required value"),
    "empty accelerator": (spec(pool("a", "GPU", gpu={"acceleratorType": ""})), "acceleratorType"),
    "long accelerator": (
        spec(pool("a", "GPU", gpu={"acceleratorType": "a" * 64})),
        "acceleratorType: Too long",
    ),
    "accelerator with a slash": (
        spec(pool("a", "GPU", gpu={"acceleratorType": "nvidia/l40s"})),
        "must be a Kubernetes label value",
    ),
    "no node": (spec(pool("a", nodeCount=0)), "greater than or equal to 1"),
    "too many nodes": (spec(pool("a", nodeCount=1001)), "less than or equal to 1000"),
    "half a node": (spec(pool("a", nodeCount=1.5)), "nodePools[0].nodeCount"),
    "nodes as text": (spec(pool("a", nodeCount="2")), "nodePools[0].nodeCount"),
    "minimum of none": (
        spec(pool("a", minNodeCount=0, maxNodeCount=2)),
        "greater than or equal to 1",
    ),
    "maximum of none": (spec(pool("a", maxNodeCount=0)), "greater than or equal to 1"),
    "maximum too high": (spec(pool("a", maxNodeCount=1001)), "less than or equal to 1000"),
    "minimum without a maximum": (
        spec(pool("a", minNodeCount=1)),
        "minNodeCount needs maxNodeCount; add maxNodeCount",
    ),
    "minimum above the maximum": (
        spec(pool("a", minNodeCount=3, maxNodeCount=2)),
        "minNodeCount can't exceed maxNodeCount",
    ),
    "count above the maximum": (
        spec(pool("a", nodeCount=3, maxNodeCount=2)),
        "nodeCount can't exceed maxNodeCount",
    ),
    "version without the k3s suffix": (
        spec(kubernetesVersion="1.34.1"),
        "must be a k3s version with its build suffix",
    ),
    "version with a v": (
        spec(kubernetesVersion="v1.34.1-k3s1"),
        "must be a k3s version with its build suffix",
    ),
    "empty version": (spec(kubernetesVersion=""), "spec.kubernetesVersion"),
    "unknown kind of provider config": (
        spec(credentials={"type": "Secret"}),
        'supported values: "ProviderConfig", "ClusterProviderConfig"',
    ),
    "empty provider config": (spec(credentials={"name": ""}), "spec.credentials.name"),
    "no spec": ({}, "spec.region: Required value"),
}

# An XR that exists, and what becomes of it.
BEFORE = spec(
    pool("a", nodeCount=2),
    pool("b", "GPU", minNodeCount=1, maxNodeCount=4),
    kubernetesVersion="1.34.1-k3s1",
)
A, B = BEFORE["nodePools"]

ALLOWED_CHANGES = {
    "nothing": BEFORE,
    "more nodes": spec(A | {"nodeCount": 9}, B),
    "a higher minimum": spec(A, B | {"minNodeCount": 3}),
    "a fixed pool is autoscaled": spec(A | {"maxNodeCount": 5}, B),
    "an autoscaled pool is fixed": spec(A, without("minNodeCount", without("maxNodeCount", B))),
    "a pool is added": spec(A, B, pool("c")),
    "a pool is added in front": spec(pool("c", "GPU"), A, B),
    "a pool is removed": spec(B),
    "pools are in another order": spec(B, A),
    "a pool is replaced by one of another size": spec(pool("a2", size="g4p.kube.large"), B),
    "another accelerator": spec(A, B | {"gpu": {"acceleratorType": "nvidia-h100"}}),
    "a newer version": spec(A, B, kubernetesVersion="1.35.2-k3s1"),
    "no version": spec(A, B),
    "other credentials": spec(A, B, credentials={"name": "other"}),
}

REFUSED_CHANGES = {
    "region": (spec(A, B, region="LON1"), "region can't change"),
    "size": (
        spec(A | {"size": "g4p.kube.large"}, B),
        "size can't change; add a pool under a new name, then remove the old one",
    ),
    "role": (
        spec(A | {"role": "GPU", "gpu": {"acceleratorType": "x"}}, B),
        "role can't change; add a pool under a new name, then remove the old one",
    ),
    "size of a pool that moved": (spec(B, A | {"size": "g4p.kube.large"}), "size can't change"),
    "a change that breaks another rule": (
        spec(A, B | {"minNodeCount": 5}),
        "minNodeCount can't exceed maxNodeCount",
    ),
}


def test_the_table_is_long() -> None:
    assert len(TAKEN) + len(REFUSED) >= 40


def test_crd_is_established(live: Live) -> None:
    crd = live.api.get(CRD, "", XRD_NAME)
    assert is_true(crd, "Established")
    assert is_true(crd, "NamesAccepted")
    assert crd["spec"]["scope"] == "Namespaced"
    # Crossplane adds one of its own.
    assert {"crossplane", "modelplane"} <= set(crd["spec"]["names"]["categories"])


@pytest.mark.parametrize("name", TAKEN)
def test_taken_with_defaults(user: User, name: str) -> None:
    asked = TAKEN[name]
    expected = deepcopy(asked)
    for each in expected["nodePools"]:
        each.setdefault("nodeCount", 1)
    if "credentials" in expected:
        expected["credentials"].setdefault("type", "ClusterProviderConfig")
        expected["credentials"].setdefault("name", "default")
    stored = user.live.api.create(manifest(user, asked), dry_run=True)
    # What Crossplane keeps of its own in the spec is not what we asked for.
    assert without("crossplane", stored["spec"]) == expected


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ({}, {"type": "ClusterProviderConfig", "name": "default"}),
        ({"name": "mine"}, {"type": "ClusterProviderConfig", "name": "mine"}),
        ({"type": "ProviderConfig"}, {"type": "ProviderConfig", "name": "default"}),
    ],
)
def test_defaults_of_credentials(user: User, given: Object, stored: Object) -> None:
    found = user.live.api.create(manifest(user, spec(credentials=given)), dry_run=True)
    assert found["spec"]["credentials"] == stored


@pytest.mark.parametrize("name", REFUSED)
def test_refused(user: User, name: str) -> None:
    asked, message = REFUSED[name]
    with pytest.raises(RefusedError) as refused:
        user.live.api.create(manifest(user, asked), dry_run=True)
    assert message in refused.value.message


@pytest.fixture(scope="module")
def owner(live: Live) -> User:
    """Return a user with an XR that exists."""
    somebody = live.user()
    live.api.create(manifest(somebody, BEFORE))

    def paused() -> bool:
        return condition(somebody.xr("inference"), "Synced").get("reason") == "ReconcilePaused"

    eventually(paused, what="Crossplane leaves the XR alone")
    return somebody


def change(owner: User, after: Object) -> Object:
    """Try to make the XR that exists another one."""
    now = owner.xr("inference")
    return owner.live.api.replace(now | {"spec": after}, dry_run=True)


@pytest.mark.parametrize("name", ALLOWED_CHANGES)
def test_change_is_allowed(owner: User, name: str) -> None:
    after = ALLOWED_CHANGES[name]
    stored = change(owner, after)
    assert [each["name"] for each in stored["spec"]["nodePools"]] == [
        each["name"] for each in after["nodePools"]
    ]


@pytest.mark.parametrize("name", REFUSED_CHANGES)
def test_change_is_refused(owner: User, name: str) -> None:
    after, message = REFUSED_CHANGES[name]
    with pytest.raises(RefusedError) as refused:
        change(owner, after)
    assert message in refused.value.message


def test_the_composed_kinds_are_active(live: Live) -> None:
    policy = live.api.get(ACTIVATION_POLICY, "", XRD_NAME)
    assert sorted(policy["status"]["activated"]) == [
        "clusters.kubernetes.civo.m.upbound.io",
        "firewalls.vpc.civo.m.upbound.io",
        "networks.vpc.civo.m.upbound.io",
        "nodepools.kubernetes.civo.m.upbound.io",
        "releases.helm.m.crossplane.io",
    ]
