"""What is composed, and when."""

from function import names
from function.api import CivoCluster
from function.composed import (
    cluster,
    firewall,
    kinds,
    network,
    node_pool,
    provider_config,
    release,
)
from function.observed import Observed


def compose(xr: CivoCluster, observed: Observed) -> dict[str, kinds.Composed]:
    """Return the composed resources of an XR by composition resource name.

    What is missing from the result is deleted, and that can be a GPU node with somebody's work
    on it. So what was composed once stays composed, whatever the cluster's condition says now;
    only what the user takes out of the spec goes.
    """
    desired: dict[str, kinds.Composed] = {
        names.NETWORK: network.build(xr, observed),
        names.FIREWALL: firewall.build(xr, observed),
        names.CLUSTER: cluster.build(xr, observed),
    }
    if not observed.cluster_was_ready():
        return desired

    for pool in xr.spec.node_pools:
        desired[names.node_pool(pool.name)] = node_pool.build(xr, pool)

    # Once there, the release stays when the last pool goes fixed-size: without it the
    # autoscaler would run on in the cluster, while a release without groups turns it off. The two
    # are composed together, so where only one exists a run broke off in the middle.
    autoscaled = any(pool.autoscaled for pool in xr.spec.node_pools)
    begun = observed.exists(names.RELEASE) or observed.exists(names.PROVIDER_CONFIG)
    if autoscaled or begun:
        desired[names.PROVIDER_CONFIG] = provider_config.build(xr)
        desired[names.RELEASE] = release.build(xr, observed)
    return desired
