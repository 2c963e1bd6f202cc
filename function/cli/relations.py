"""What waits for what among the composed resources."""

from collections.abc import Mapping

from function import names
from function.api import CivoCluster

WaitsFor = Mapping[str, Mapping[str, str]]
"""By composition resource name, in the order in which the resources come: the names of those that
it waits for, each with what of them it needs."""


def waits_for(xr: CivoCluster) -> WaitsFor:
    """Return what each resource that an XR asks for waits for."""
    waits: dict[str, dict[str, str]] = {
        names.NETWORK: {},
        names.FIREWALL: {names.NETWORK: "its ID"},
        names.CLUSTER: {names.NETWORK: "its ID", names.FIREWALL: "its ID"},
    }
    for pool in xr.spec.node_pools:
        waits[names.node_pool(pool.name)] = {names.CLUSTER: "Ready"}
    autoscaled = [pool.name for pool in xr.spec.node_pools if pool.autoscaled]
    if autoscaled:
        waits[names.PROVIDER_CONFIG] = {names.CLUSTER: "its kubeconfig"}
        waits[names.RELEASE] = {names.PROVIDER_CONFIG: "access"} | {
            names.node_pool(pool): "its ID" for pool in autoscaled
        }
    return waits
