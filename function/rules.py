"""The rules of the API beyond its types and bounds.

Each stands in the XRD too, as a CEL rule with the same message. They are checked on plain
values and each one alone, so that a wrong field never hides a broken rule.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from function import names
from function.violations import ABSENT, Violation, path

LABEL_VALUE = (
    "must be a Kubernetes label value: letters, digits, '-', '_' and '.', "
    "beginning and ending with a letter or digit"
)
NAME_RESERVED = "'system' is the name of the built-in pool; choose another name"
NAME_TAKES_ALL = (
    "an autoscaled pool can't be named 'workers', which the cluster autoscaler takes to mean "
    "every pool of the cluster; choose another name or remove maxNodeCount"
)
NAME_TAKEN = "another pool has this name; give every pool a name of its own"
VERSION_FORMAT = "must be a k3s version with its build suffix, for example 1.34.1-k3s1"
GPU_REQUIRED = "is required for role GPU; add gpu.acceleratorType, for example nvidia-l40s"
MIN_NEEDS_MAX = (
    "minNodeCount needs maxNodeCount; add maxNodeCount to autoscale the pool, "
    "or remove minNodeCount"
)
MIN_ABOVE_MAX = "minNodeCount can't exceed maxNodeCount; lower minNodeCount or raise maxNodeCount"
COUNT_ABOVE_MAX = "nodeCount can't exceed maxNodeCount; lower nodeCount or raise maxNodeCount"

# What the API allows: a rule looks no further in a list that is longer.
POOLS_MAX = 8

# A group of this name means every pool of the cluster to the autoscaler's Civo provider
# [kubernetes/autoscaler, cloudprovider/civo/civo_manager.go, Refresh].
_TAKES_ALL = "workers"

_LABEL_VALUE = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?")
_VERSION = re.compile(r"[0-9]+\.[0-9]+\.[0-9]+-k3s[0-9]+(-gpu[A-Za-z0-9.-]*)?")


def broken(spec: Any) -> Iterator[Violation]:
    """Yield a violation for every rule that a spec breaks.

    Args:
        spec: The XR's spec as plain values of any type, right or wrong. A rule whose fields
            aren't of the right type is passed over: their types are violations already.
    """
    if not isinstance(spec, dict):
        return
    yield from _unless_matches(_VERSION, VERSION_FORMAT, spec, "spec", "kubernetesVersion")
    pools = spec.get("nodePools")
    if not isinstance(pools, list):
        return
    taken = set()
    for index, pool in enumerate(islice(pools, POOLS_MAX)):
        if not isinstance(pool, dict):
            continue
        at = ("spec", "nodePools", index)
        yield from _broken_by_pool(pool, at)
        if isinstance(name := pool.get("name"), str):
            if name in taken:
                yield Violation(path(*at, "name"), name, NAME_TAKEN)
            taken.add(name)


def _broken_by_pool(pool: dict[str, Any], at: tuple[str | int, ...]) -> Iterator[Violation]:
    yield from _unless_matches(_LABEL_VALUE, LABEL_VALUE, pool, *at, "name")
    if pool.get("name") == names.SYSTEM_POOL:
        yield Violation(path(*at, "name"), names.SYSTEM_POOL, NAME_RESERVED)
    if pool.get("name") == _TAKES_ALL and "maxNodeCount" in pool:
        yield Violation(path(*at, "name"), _TAKES_ALL, NAME_TAKES_ALL)
    if pool.get("role") == "GPU" and "gpu" not in pool:
        yield Violation(path(*at, "gpu"), ABSENT, GPU_REQUIRED)
    if isinstance(gpu := pool.get("gpu"), dict):
        yield from _unless_matches(_LABEL_VALUE, LABEL_VALUE, gpu, *at, "gpu", "acceleratorType")
    if "minNodeCount" in pool and "maxNodeCount" not in pool:
        yield Violation(path(*at, "minNodeCount"), pool["minNodeCount"], MIN_NEEDS_MAX)
    for field, message in (("minNodeCount", MIN_ABOVE_MAX), ("nodeCount", COUNT_ABOVE_MAX)):
        count, maximum = pool.get(field), pool.get("maxNodeCount")
        if isinstance(count, int) and isinstance(maximum, int) and count > maximum:
            yield Violation(path(*at, field), count, message)


def _unless_matches(
    pattern: re.Pattern[str], message: str, parent: dict[str, Any], *at: str | int
) -> Iterator[Violation]:
    value = parent.get(str(at[-1]))
    if isinstance(value, str) and not pattern.fullmatch(value):
        yield Violation(path(*at), value, message)
