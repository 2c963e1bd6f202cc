"""The fields of the API that can't change, checked against what was composed before.

The XRD refuses such changes too. This stands behind it for XRs that got past the API server:
restored, deleted and recreated under the same name, or changed before the rule was there.
"""

from collections.abc import Iterator

from function import names
from function.api import CivoCluster
from function.observed import Observed
from function.violations import Violation, path, shown

REGION = (
    "region can't change: the cluster in the old region would be forgotten and go on costing "
    "money; set it back, or create another CivoCluster and delete this one"
)
SIZE = "size can't change; add a pool under a new name, then remove the old one"
ROLE = "role can't change; add a pool under a new name, then remove the old one"


def changed(xr: CivoCluster, observed: Observed) -> Iterator[Violation]:
    """Yield a violation for every immutable field that differs from what was composed."""
    spec = xr.spec
    for name in (names.CLUSTER, names.FIREWALL, names.NETWORK):
        if region := observed.for_provider(name, "region"):
            yield from _unless_same(REGION, region, spec.region, "spec", "region")
            break
    for index, pool in enumerate(spec.node_pools):
        name = names.node_pool(pool.name)
        at = ("spec", "nodePools", index)
        if size := observed.for_provider(name, "size"):
            yield from _unless_same(SIZE, size, pool.size, *at, "size")
        labels = observed.for_provider(name, "labels")
        # Only a pool that carries our labels tells its role.
        if isinstance(labels, dict) and names.POOL_LABEL in labels:
            role = "GPU" if names.GPU_LABEL in labels else "System"
            yield from _unless_same(ROLE, role, pool.role, *at, "role")


def _unless_same(message: str, old: object, new: str, *at: str | int) -> Iterator[Violation]:
    if old != new:
        yield Violation(path(*at), new, f"{message} (it was {shown(old)})")
