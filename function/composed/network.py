"""The Civo network that a cluster has for itself."""

from typing import Literal

from typing_extensions import TypedDict

from function import names
from function.api import CivoCluster
from function.composed import base
from function.observed import Observed


class Parameters(TypedDict):
    """The network to create."""

    label: str
    region: str


class Spec(base.ManagedSpec):
    """A Network's spec."""

    forProvider: Parameters


class Network(TypedDict):
    """A Network of provider-civo."""

    apiVersion: Literal["vpc.civo.m.upbound.io/v1beta1"]
    kind: Literal["Network"]
    spec: Spec


def build(xr: CivoCluster, observed: Observed) -> Network:
    """Build an XR's network."""
    return {
        "apiVersion": "vpc.civo.m.upbound.io/v1beta1",
        "kind": "Network",
        "spec": {
            "managementPolicies": base.MANAGEMENT_POLICIES,
            "providerConfigRef": base.provider_config_ref(xr),
            "forProvider": {
                "label": base.civo_name(xr, observed, names.NETWORK, "label"),
                "region": xr.spec.region,
            },
        },
    }
