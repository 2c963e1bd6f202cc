"""What the user should know: conditions of the XR, and warnings.

None of it changes what is composed. A condition's message names what is awaited, or what failed
and the next step; no clock is in it, so it changes only when something happens. A healthy XR
gets no warning.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from crossplane.function.resource import Condition

from function import civo_errors, names, versions
from function.api import CivoCluster
from function.observed import Observed
from function.untrusted import clean

CLUSTER_READY = "ClusterReady"
NODE_POOLS_READY = "NodePoolsReady"
AUTOSCALER_READY = "AutoscalerReady"

_BASE = (names.NETWORK, names.FIREWALL, names.CLUSTER)

# What Crossplane, upjet and Terraform wrap around the message of Civo's API.
_WRAPPED = re.compile(
    r"(?:(?:async )?(?:create|observe|update|delete|apply|refresh) failed: "
    r"|cannot \w+ external resource: |failed to \w+ the resource: |\[\{0 |\[ERR\] )*"
    r"(?P<message>.*?)(?:\s*\[\]\}\])?"
)


@dataclass(frozen=True)
class Trouble:
    """Something that the user should know of."""

    reason: str
    """Why, in CamelCase, for events and conditions."""
    message: str
    """What is wrong, and the next step where it is known."""


def warnings(xr: CivoCluster, observed: Observed) -> Iterator[Trouble]:
    """Yield what keeps resources from being reconciled, and what the spec should have."""
    yield from _troubles([*_BASE, *_node_pools(xr).values(), names.RELEASE], observed)
    version = versions.minor(xr.spec.kubernetes_version)
    gpu_pools = [pool.name for pool in xr.spec.node_pools if pool.role == "GPU"]
    if version and version < versions.DRA_SINCE and gpu_pools:
        yield Trouble(
            "DynamicResourceAllocationUnavailable",
            f"spec.kubernetesVersion: {xr.spec.kubernetes_version} is older than the general "
            "availability of Dynamic Resource Allocation, with which workloads claim GPUs "
            f"(GPU pools: {', '.join(gpu_pools)}); set 1.34 or newer",
        )


def conditions(xr: CivoCluster, observed: Observed) -> list[Condition]:
    """Return whether an XR's cluster, node pools and autoscaler are ready, and why not."""
    return [
        _cluster_ready(observed),
        _node_pools_ready(xr, observed),
        _autoscaler_ready(xr, observed),
    ]


def _cluster_ready(observed: Observed) -> Condition:
    awaited = [name for name in _BASE if not observed.ready(name)]
    if not awaited:
        return _ready(CLUSTER_READY, "Available", "the cluster is ready")
    if trouble := next(_troubles(awaited, observed), None):
        return _not_ready(CLUSTER_READY, trouble.reason, trouble.message)
    message = f"waiting for {', '.join(awaited)}"
    phase = observed.at_provider(names.CLUSTER, "status")
    if isinstance(phase, str) and phase and names.CLUSTER in awaited:
        message += f" ({clean(phase)})"
    if observed.cluster_was_ready():
        message += ", ready before; what is composed stays"
        return _not_ready(CLUSTER_READY, "Unavailable", message)
    return _not_ready(CLUSTER_READY, "Creating", message)


def _node_pools_ready(xr: CivoCluster, observed: Observed) -> Condition:
    pools = _node_pools(xr)
    awaited = {pool: name for pool, name in pools.items() if not observed.ready(name)}
    if not awaited:
        return _ready(NODE_POOLS_READY, "Available", f"all node pools are ready ({len(pools)})")
    if trouble := next(_troubles(awaited.values(), observed), None):
        return _not_ready(NODE_POOLS_READY, trouble.reason, trouble.message)
    if not observed.cluster_was_ready():
        return _not_ready(NODE_POOLS_READY, "WaitingForCluster", "waiting for the cluster")
    return _not_ready(
        NODE_POOLS_READY,
        "Creating",
        f"{len(pools) - len(awaited)} of {len(pools)} node pools are ready; "
        f"waiting for {', '.join(awaited)}",
    )


def _autoscaler_ready(xr: CivoCluster, observed: Observed) -> Condition:
    autoscaled = [pool.name for pool in xr.spec.node_pools if pool.autoscaled]
    if not autoscaled:
        return _ready(AUTOSCALER_READY, "NotRequired", "no node pool is autoscaled")
    if trouble := next(_troubles([names.RELEASE], observed), None):
        return _not_ready(AUTOSCALER_READY, trouble.reason, trouble.message)
    if not observed.cluster_was_ready():
        return _not_ready(AUTOSCALER_READY, "WaitingForCluster", "waiting for the cluster")
    if not observed.ready(names.RELEASE):
        return _not_ready(
            AUTOSCALER_READY, "Installing", "waiting for the cluster autoscaler's Helm release"
        )
    unknown = [name for name in autoscaled if not observed.external_name(names.node_pool(name))]
    if unknown:
        message = f"waiting for the node pools to autoscale: {', '.join(unknown)}"
        return _not_ready(AUTOSCALER_READY, "WaitingForNodePools", message)
    message = f"the cluster autoscaler scales {', '.join(autoscaled)}"
    return _ready(AUTOSCALER_READY, "Available", message)


def _node_pools(xr: CivoCluster) -> dict[str, str]:
    """Return the composition resource names of an XR's node pools, by pool name."""
    return {pool.name: names.node_pool(pool.name) for pool in xr.spec.node_pools}


def _troubles(resources: Iterable[str], observed: Observed) -> Iterator[Trouble]:
    """Yield what keeps providers from reconciling resources."""
    for name in resources:
        if (error := observed.error(name)) is None:
            continue
        known = civo_errors.find(error)
        # Cleaned first: the pattern sees one line of bounded length.
        wrapped = _WRAPPED.fullmatch(clean(error))
        message = wrapped["message"] if wrapped else clean(error)
        if known:
            yield Trouble(known.reason, f"{name}: {known.cause}; {known.remedy} ({message})")
        else:
            yield Trouble("ReconcileError", f"{name}: {message}")


def _ready(kind: str, reason: str, message: str) -> Condition:
    return Condition(typ=kind, status="True", reason=reason, message=message)


def _not_ready(kind: str, reason: str, message: str) -> Condition:
    return Condition(typ=kind, status="False", reason=reason, message=message)
