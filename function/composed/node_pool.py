"""A node pool that the user asks for."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from function import names
from function.api import CivoCluster, NodePool
from function.composed import base


class Taint(TypedDict):
    """A taint on every node of a pool."""

    key: str
    value: str
    effect: Literal["NoSchedule"]


class Parameters(TypedDict):
    """The pool to create."""

    label: str
    region: str
    size: str
    nodeCount: NotRequired[int]
    labels: dict[str, str]
    taint: NotRequired[list[Taint]]
    clusterIdSelector: base.Selector


class InitParameters(TypedDict):
    """What is honored when the pool is created and left alone afterwards."""

    nodeCount: int


class Spec(base.ManagedSpec):
    """A NodePool's spec."""

    forProvider: Parameters
    initProvider: NotRequired[InitParameters]


class NodePoolResource(TypedDict):
    """A NodePool of provider-civo."""

    apiVersion: Literal["kubernetes.civo.m.upbound.io/v1beta1"]
    kind: Literal["NodePool"]
    spec: Spec


# Keeps pods that need no GPU off the nodes that cost most.
GPU_TAINT: Taint = {"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}


def build(xr: CivoCluster, pool: NodePool) -> NodePoolResource:
    """Build one of an XR's node pools."""
    parameters: Parameters = {
        "label": pool.name,
        # Without it the provider calls the default region of the account.
        "region": xr.spec.region,
        "size": pool.size,
        "labels": {names.POOL_LABEL: pool.name},
        "clusterIdSelector": base.SAME_XR,
    }
    spec: Spec = {
        "managementPolicies": base.MANAGEMENT_POLICIES,
        "providerConfigRef": base.provider_config_ref(xr),
        "forProvider": parameters,
    }
    if pool.role == "GPU" and pool.gpu:
        parameters["labels"][names.GPU_LABEL] = pool.gpu.accelerator_type
        parameters["taint"] = [GPU_TAINT]
    if pool.autoscaled:
        # The autoscaler owns the count from creation on: in forProvider the provider would set
        # it back on every reconcile.
        spec["initProvider"] = {"nodeCount": pool.initial_nodes}
    else:
        parameters["nodeCount"] = pool.node_count
    return {"apiVersion": "kubernetes.civo.m.upbound.io/v1beta1", "kind": "NodePool", "spec": spec}
