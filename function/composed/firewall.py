"""The Civo firewall of a cluster's nodes and API server."""

from typing import Literal

from function import names
from function.api import CivoCluster
from function.composed import base
from function.observed import Observed

_ANYWHERE = ("0.0.0.0/0",)


class Rule(base.Model):
    """Traffic that the firewall lets through; what no rule allows is dropped."""

    label: str
    protocol: Literal["tcp", "udp", "icmp"]
    portRange: str | None = None
    cidr: tuple[str, ...] = _ANYWHERE
    action: Literal["allow"] = "allow"


class Parameters(base.Model):
    """The firewall to create."""

    name: str
    region: str
    networkIdSelector: base.Selector = base.Selector()
    createDefaultRules: Literal[False] = False
    ingressRule: tuple[Rule, ...]
    egressRule: tuple[Rule, ...]


class Spec(base.ManagedSpec):
    """A Firewall's spec."""

    forProvider: Parameters


class Firewall(base.Composed):
    """A Firewall of provider-civo."""

    apiVersion: Literal["vpc.civo.m.upbound.io/v1beta1"] = "vpc.civo.m.upbound.io/v1beta1"
    kind: Literal["Firewall"] = "Firewall"
    spec: Spec


# In place of Civo's default rules, which leave every port open to the world. These are the ports
# that Civo's own CLI opens for a cluster [civo/cli, cmd/kubernetes/kubernetes_create.go].
INGRESS = (
    Rule(label="kubernetes-api", protocol="tcp", portRange="6443"),
    Rule(label="http", protocol="tcp", portRange="80"),
    Rule(label="https", protocol="tcp", portRange="443"),
)

# Without a way out, nodes get no DNS and never join the cluster.
EGRESS = (
    Rule(label="all-tcp", protocol="tcp", portRange="1-65535"),
    Rule(label="all-udp", protocol="udp", portRange="1-65535"),
    Rule(label="all-icmp", protocol="icmp"),
)


def build(xr: CivoCluster, observed: Observed) -> Firewall:
    """Build an XR's firewall."""
    return Firewall(
        spec=Spec(
            providerConfigRef=base.ProviderConfigRef.of(xr),
            forProvider=Parameters(
                name=base.civo_name(xr, observed, names.FIREWALL, "name"),
                region=xr.spec.region,
                ingressRule=INGRESS,
                egressRule=EGRESS,
            ),
        )
    )
