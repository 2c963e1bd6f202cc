"""What the user should know although nothing is wrong with the XR."""

from collections.abc import Iterator
from dataclasses import dataclass

from function import versions
from function.api import CivoCluster


@dataclass(frozen=True)
class Warn:
    """A warning; Crossplane makes an event of it."""

    reason: str
    message: str


def warnings(xr: CivoCluster) -> Iterator[Warn]:
    """Yield what the user should know about an XR."""
    version = versions.minor(xr.spec.kubernetes_version)
    gpu_pools = [pool.name for pool in xr.spec.node_pools if pool.role == "GPU"]
    if version and version < versions.DRA_SINCE and gpu_pools:
        yield Warn(
            reason="DynamicResourceAllocationUnavailable",
            message=(
                f"spec.kubernetesVersion: {xr.spec.kubernetes_version} has no generally available "
                f"Dynamic Resource Allocation, which GPU workloads claim GPUs with "
                f"(GPU pools: {', '.join(gpu_pools)}); set 1.34 or newer"
            ),
        )
