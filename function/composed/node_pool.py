"""A node pool that the user asks for."""

from typing import Literal

from function import names
from function.api import CivoCluster, NodePool
from function.composed import base


class Taint(base.Model):
    """A taint on every node of a pool."""

    key: str
    value: str
    effect: Literal["NoSchedule"]


# Keeps pods that need no GPU off the nodes that cost most.
GPU_TAINT = Taint(key="nvidia.com/gpu", value="true", effect="NoSchedule")


class Parameters(base.Model):
    """The pool to create."""

    label: str
    # Without it the provider calls the default region of the account.
    region: str
    size: str
    nodeCount: int | None
    labels: dict[str, str]
    taint: tuple[Taint] | None
    clusterIdSelector: base.Selector = base.Selector()


class InitParameters(base.Model):
    """What is honored when the pool is created and left alone afterwards."""

    nodeCount: int


class Spec(base.ManagedSpec):
    """A NodePool's spec."""

    forProvider: Parameters
    initProvider: InitParameters | None


class NodePoolResource(base.Composed):
    """A NodePool of provider-civo."""

    apiVersion: Literal["kubernetes.civo.m.upbound.io/v1beta1"] = (
        "kubernetes.civo.m.upbound.io/v1beta1"
    )
    kind: Literal["NodePool"] = "NodePool"
    spec: Spec


def build(xr: CivoCluster, pool: NodePool) -> NodePoolResource:
    """Build one of an XR's node pools."""
    labels = {names.POOL_LABEL: pool.name}
    gpu = pool.gpu if pool.role == "GPU" else None
    if gpu:
        labels[names.GPU_LABEL] = gpu.accelerator_type
    return NodePoolResource(
        spec=Spec(
            providerConfigRef=base.ProviderConfigRef.of(xr),
            forProvider=Parameters(
                label=pool.name,
                region=xr.spec.region,
                size=pool.size,
                # The autoscaler owns the count of an autoscaled pool from creation on: here the
                # provider would set it back on every reconcile.
                nodeCount=None if pool.autoscaled else pool.node_count,
                labels=labels,
                taint=(GPU_TAINT,) if gpu else None,
            ),
            initProvider=InitParameters(nodeCount=pool.initial_nodes) if pool.autoscaled else None,
        )
    )
