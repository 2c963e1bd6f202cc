"""The Civo Kubernetes cluster, with the built-in system pool."""

from typing import Any, Literal

from function import names
from function.api import CivoCluster
from function.composed import base
from function.observed import Observed

# Civo deprecates flannel.
_CNI = "cilium"
# The serving stack brings its own gateway: "-" removes a default application. metrics-server,
# the other default, stays.
_APPLICATIONS = "-traefik2-nodeport"


class SystemPool(base.Model):
    """The pool that Civo creates together with the cluster."""

    label: Literal["system"] = "system"
    size: str = "g4p.kube.small"
    nodeCount: int = 2
    labels: dict[str, str] = {names.POOL_LABEL: names.SYSTEM_POOL}


class InitParameters(base.Model):
    """What is honored when the cluster is created and left alone afterwards."""

    # In forProvider the provider would compare it with whichever pool Civo lists first.
    pools: SystemPool = SystemPool()


class Parameters(base.Model):
    """The cluster to create."""

    name: str
    region: str
    kubernetesVersion: str | None
    cni: str | None
    applications: str | None
    networkIdSelector: base.Selector = base.Selector()
    firewallIdSelector: base.Selector = base.Selector()
    # Without it the connection Secret stays empty.
    writeKubeconfig: Literal[True] = True


class SecretRef(base.Model):
    """A Secret in the namespace of the XR."""

    name: str


class Spec(base.ManagedSpec):
    """A Cluster's spec."""

    forProvider: Parameters
    initProvider: InitParameters = InitParameters()
    writeConnectionSecretToRef: SecretRef


class Cluster(base.Composed):
    """A Cluster of provider-civo."""

    apiVersion: Literal["kubernetes.civo.m.upbound.io/v1beta1"] = (
        "kubernetes.civo.m.upbound.io/v1beta1"
    )
    kind: Literal["Cluster"] = "Cluster"
    spec: Spec


def build(xr: CivoCluster, observed: Observed) -> Cluster:
    """Build an XR's cluster."""
    return Cluster(
        spec=Spec(
            providerConfigRef=base.ProviderConfigRef.of(xr),
            forProvider=Parameters(
                name=base.civo_name(xr, observed, names.CLUSTER, "name"),
                region=xr.spec.region,
                kubernetesVersion=xr.spec.kubernetes_version,
                cni=_fixed_at_creation(observed, "cni", _CNI),
                applications=_fixed_at_creation(observed, "applications", _APPLICATIONS),
            ),
            writeConnectionSecretToRef=SecretRef(name=names.kubeconfig_secret(xr.metadata.name)),
        )
    )


def _fixed_at_creation(observed: Observed, field: str, value: str) -> str | None:
    """Return a field that can't change any more once the cluster exists in Civo.

    The provider answers a change with an error on every observation, deletion included. So a
    cluster that was created with another value, or with none, keeps that.
    """
    exists = observed.external_name(names.CLUSTER) and observed.for_provider(names.CLUSTER)
    if not exists:
        return value
    kept: Any = observed.for_provider(names.CLUSTER, field) or observed.at_provider(
        names.CLUSTER, field
    )
    return kept if isinstance(kept, str) else None
