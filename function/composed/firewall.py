"""The Civo firewall of a cluster's nodes and API server."""

from typing import Literal, NotRequired

from typing_extensions import TypedDict

from function import names
from function.api import CivoCluster
from function.composed import base
from function.observed import Observed


class Rule(TypedDict):
    """Traffic that the firewall lets through; what no rule allows is dropped."""

    label: str
    protocol: Literal["tcp", "udp", "icmp"]
    portRange: NotRequired[str]
    cidr: list[str]
    action: Literal["allow"]


class Parameters(TypedDict):
    """The firewall to create."""

    name: str
    region: str
    networkIdSelector: base.Selector
    createDefaultRules: Literal[False]
    ingressRule: list[Rule]
    egressRule: list[Rule]


class Spec(base.ManagedSpec):
    """A Firewall's spec."""

    forProvider: Parameters


class Firewall(TypedDict):
    """A Firewall of provider-civo."""

    apiVersion: Literal["vpc.civo.m.upbound.io/v1beta1"]
    kind: Literal["Firewall"]
    spec: Spec


def _allow(label: str, protocol: Literal["tcp", "udp"], ports: str) -> Rule:
    return {
        "label": label,
        "protocol": protocol,
        "portRange": ports,
        "cidr": ["0.0.0.0/0"],
        "action": "allow",
    }


# In place of Civo's default rules, which leave every port open to the world. These are the ports
# that Civo's own CLI opens for a cluster [civo/cli, cmd/kubernetes/kubernetes_create.go].
INGRESS = [
    _allow("kubernetes-api", "tcp", "6443"),
    _allow("http", "tcp", "80"),
    _allow("https", "tcp", "443"),
]

# Without a way out, nodes get no DNS and never join the cluster.
EGRESS: list[Rule] = [
    _allow("all-tcp", "tcp", "1-65535"),
    _allow("all-udp", "udp", "1-65535"),
    {"label": "all-icmp", "protocol": "icmp", "cidr": ["0.0.0.0/0"], "action": "allow"},
]


def build(xr: CivoCluster, observed: Observed) -> Firewall:
    """Build an XR's firewall."""
    return {
        "apiVersion": "vpc.civo.m.upbound.io/v1beta1",
        "kind": "Firewall",
        "spec": {
            "managementPolicies": base.MANAGEMENT_POLICIES,
            "providerConfigRef": base.provider_config_ref(xr),
            "forProvider": {
                "name": base.civo_name(xr, observed, names.FIREWALL, "name"),
                "region": xr.spec.region,
                "networkIdSelector": base.SAME_XR,
                "createDefaultRules": False,
                "ingressRule": INGRESS,
                "egressRule": EGRESS,
            },
        },
    }
