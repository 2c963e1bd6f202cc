"""The Civo Kubernetes cluster, with the built-in system pool."""

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from function import names
from function.api import CivoCluster
from function.composed import base
from function.observed import Observed


class SystemPool(TypedDict):
    """The pool that Civo creates together with the cluster."""

    label: Literal["system"]
    size: str
    nodeCount: int
    labels: dict[str, str]


class InitParameters(TypedDict):
    """What is honored when the cluster is created and left alone afterwards."""

    pools: SystemPool


class Parameters(TypedDict):
    """The cluster to create."""

    name: str
    region: str
    kubernetesVersion: NotRequired[str]
    cni: NotRequired[str]
    applications: NotRequired[str]
    networkIdSelector: base.Selector
    firewallIdSelector: base.Selector
    writeKubeconfig: Literal[True]


class SecretRef(TypedDict):
    """A Secret in the namespace of the XR."""

    name: str


class Spec(base.ManagedSpec):
    """A Cluster's spec."""

    forProvider: Parameters
    initProvider: InitParameters
    writeConnectionSecretToRef: SecretRef


class Cluster(TypedDict):
    """A Cluster of provider-civo."""

    apiVersion: Literal["kubernetes.civo.m.upbound.io/v1beta1"]
    kind: Literal["Cluster"]
    spec: Spec


# Civo deprecates flannel.
_CNI = "cilium"
# The serving stack brings its own gateway: "-" removes a default application. metrics-server,
# the other default, stays.
_APPLICATIONS = "-traefik2-nodeport"

SYSTEM_POOL: SystemPool = {
    "label": "system",
    "size": "g4p.kube.small",
    "nodeCount": 2,
    "labels": {names.POOL_LABEL: names.SYSTEM_POOL},
}


def build(xr: CivoCluster, observed: Observed) -> Cluster:
    """Build an XR's cluster."""
    parameters: Parameters = {
        "name": base.civo_name(xr, observed, names.CLUSTER, "name"),
        "region": xr.spec.region,
        "networkIdSelector": base.SAME_XR,
        "firewallIdSelector": base.SAME_XR,
        # Without it the connection Secret stays empty.
        "writeKubeconfig": True,
    }
    if version := xr.spec.kubernetes_version:
        parameters["kubernetesVersion"] = version
    if (cni := _fixed_at_creation(observed, "cni", _CNI)) is not None:
        parameters["cni"] = cni
    applications = _fixed_at_creation(observed, "applications", _APPLICATIONS)
    if applications is not None:
        parameters["applications"] = applications
    return {
        "apiVersion": "kubernetes.civo.m.upbound.io/v1beta1",
        "kind": "Cluster",
        "spec": {
            "managementPolicies": base.MANAGEMENT_POLICIES,
            "providerConfigRef": base.provider_config_ref(xr),
            "forProvider": parameters,
            # In forProvider the provider would compare it with whichever pool Civo lists first.
            "initProvider": {"pools": SYSTEM_POOL},
            "writeConnectionSecretToRef": {"name": names.kubeconfig_secret(xr.metadata.name)},
        },
    }


def _fixed_at_creation(observed: Observed, field: str, value: str) -> str | None:
    """Return a field that can't change any more once the cluster exists in Civo.

    The provider answers a change with an error on every observation, deletion included. So a
    cluster that was created with another value, or with none, keeps that.
    """
    if not observed.created(names.CLUSTER):
        return value
    kept: Any = observed.for_provider(names.CLUSTER, field) or observed.at_provider(
        names.CLUSTER, field
    )
    return kept if isinstance(kept, str) else None
