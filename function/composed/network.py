"""The Civo network that a cluster has for itself."""

from typing import Literal

from function import names
from function.api import CivoCluster
from function.composed import base
from function.observed import Observed


class Parameters(base.Model):
    """The network to create."""

    label: str
    region: str


class Spec(base.ManagedSpec):
    """A Network's spec."""

    forProvider: Parameters


class Network(base.Composed):
    """A Network of provider-civo."""

    apiVersion: Literal["vpc.civo.m.upbound.io/v1beta1"] = "vpc.civo.m.upbound.io/v1beta1"
    kind: Literal["Network"] = "Network"
    spec: Spec


def build(xr: CivoCluster, observed: Observed) -> Network:
    """Build an XR's network."""
    return Network(
        spec=Spec(
            providerConfigRef=base.ProviderConfigRef.of(xr),
            forProvider=Parameters(
                label=base.civo_name(xr, observed, names.NETWORK, "label"),
                region=xr.spec.region,
            ),
        )
    )
