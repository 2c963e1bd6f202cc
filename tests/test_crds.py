"""The check against the providers' CRDs: it must refuse what the API server would."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import crds
from running import Object, run
from situations import ALL, DESIRED_ALL, cluster_xr


@dataclass(frozen=True)
class Case:
    """A composed resource with a mistake in it."""

    name: str
    reason: str
    resource: str
    mistake: Callable[[Any], Any]
    path: str


CASES = [
    Case(
        "unknown field",
        "the API server would drop it in silence",
        "cluster",
        lambda it: it["spec"]["forProvider"].update(clusterName="x"),
        "spec.forProvider.clusterName",
    ),
    Case(
        "unknown field of the root",
        "nothing stands there but what the CRD names",
        "network",
        lambda it: it.update(data={}),
        "data",
    ),
    Case(
        "unknown field of metadata",
        "CRDs leave metadata open, the API server doesn't",
        "release-cluster-autoscaler",
        lambda it: it["metadata"].update(annotation={}),
        "metadata.annotation",
    ),
    Case(
        "unknown field in a list",
        "items are objects too",
        "firewall",
        lambda it: it["spec"]["forProvider"]["egressRule"][2].update(ports="1-65535"),
        "spec.forProvider.egressRule[2].ports",
    ),
    Case(
        "wrong type",
        "nothing is converted",
        "node-pool-workers",
        lambda it: it["spec"]["forProvider"].update(nodeCount="2"),
        "spec.forProvider.nodeCount",
    ),
    Case(
        "map with a value that is no string",
        "labels are strings",
        "node-pool-workers",
        lambda it: it["spec"]["forProvider"]["labels"].update(gpu=True),
        "spec.forProvider.labels.gpu",
    ),
    Case(
        "value outside of an enum",
        "policies are a closed set",
        "network",
        lambda it: it["spec"]["managementPolicies"].append("Remove"),
        "spec.managementPolicies[4]",
    ),
    Case(
        "missing field",
        "a provider config is found by its kind and name",
        "node-pool-gpu-l40s",
        lambda it: it["spec"]["providerConfigRef"].pop("kind"),
        "spec.providerConfigRef.kind",
    ),
    Case(
        "missing field of a ProviderConfig",
        "it has no defaults",
        "provider-config-helm",
        lambda it: it["spec"]["credentials"].pop("source"),
        "spec.credentials.source",
    ),
    Case(
        "number too large for its format",
        "int32",
        "release-cluster-autoscaler",
        lambda it: it["spec"].update(rollbackLimit=2**31),
        "spec.rollbackLimit",
    ),
    Case(
        "broken CEL rule of a NodePool",
        "a pool is created with a count",
        "node-pool-gpu-l40s",
        lambda it: it["spec"].pop("initProvider"),
        "spec",
    ),
    Case(
        "broken CEL rule of a Cluster",
        "a cluster is created with a pool",
        "cluster",
        lambda it: it["spec"]["initProvider"].pop("pools"),
        "spec",
    ),
    Case(
        "a kind that nobody serves",
        "there is no CRD for it",
        "network",
        lambda it: it.update(apiVersion="vpc.civo.upbound.io/v1beta1"),
        "",
    ),
]


@pytest.mark.parametrize("name", DESIRED_ALL)
def test_accepts_what_is_composed(name: str) -> None:
    assert crds.findings(DESIRED_ALL[name]) == set()


def test_every_kind_is_composed_by_the_function() -> None:
    assert run(cluster_xr(), ALL).desired.resources.keys() == DESIRED_ALL.keys()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_finds_a_mistake(case: Case) -> None:
    composed: Object = copy.deepcopy(DESIRED_ALL[case.resource])
    case.mistake(composed)

    assert {one.path for one in crds.findings(composed)} == {case.path}, case.reason


def test_values_of_a_chart_are_free() -> None:
    release = copy.deepcopy(DESIRED_ALL["release-cluster-autoscaler"])
    release["spec"]["forProvider"]["values"]["anything"] = [{"goes": None}]

    assert crds.findings(release) == set()


def test_without_crds_tests_are_skipped_and_fail_in_ci(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(crds.FOLDER, str(tmp_path / "absent"))

    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match=crds.FOLDER):
        crds.findings(DESIRED_ALL["network"])
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match=crds.FOLDER):
        crds.findings(DESIRED_ALL["network"])


def test_reads_what_kubectl_and_the_crossplane_cli_write(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A package is a stream with its meta in front; kubectl writes a List."""
    crd = """
  apiVersion: apiextensions.k8s.io/v1
  kind: CustomResourceDefinition
  spec:
    group: example.org
    names: {kind: KIND}
    versions:
    - name: v1
      schema: {openAPIV3Schema: {type: object, properties: {kind: {type: string}}}}
"""
    package = "---\n  apiVersion: meta.pkg.crossplane.io/v1\n  kind: Provider\n---\n"
    (tmp_path / "package.yaml").write_text(package + crd.replace("KIND", "Streamed"))
    listed = crd.replace("KIND", "Listed").replace("\n  apiVersion", "\n- apiVersion", 1)
    (tmp_path / "crds.yaml").write_text("kind: List\nitems:" + listed)
    monkeypatch.setenv(crds.FOLDER, str(tmp_path))

    for kind in ("Streamed", "Listed"):
        found = crds.findings({"apiVersion": "example.org/v1", "kind": kind})
        assert {one.path for one in found} == {"apiVersion"}, "it isn't in this small schema"
