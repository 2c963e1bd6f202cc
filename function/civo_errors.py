"""The errors of Civo's API that reach users: what each means and what to do about it.

The codes are those of civogo's error table [civo/civogo, errors.go], as the provider and the API
report them.
"""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class CivoError:
    """What is known of an error code."""

    reason: str
    """The reason of conditions and events, in CamelCase."""
    cause: str
    """What the code means."""
    remedy: str
    """What to do."""


_BAD_TOKEN = CivoError(
    reason="Unauthenticated",
    cause="Civo doesn't accept the API token",
    remedy="put a valid token into the Secret that the provider config names",
)

BY_CODE = {
    "quota_limit_reached": CivoError(
        reason="QuotaExceeded",
        cause="the account's quota in this region is used up",
        remedy="delete what isn't needed, ask for fewer nodes, or have Civo raise the quota",
    ),
    "database_size_not_found": CivoError(
        reason="SizeNotFound",
        cause="the region has no instance size of this name",
        remedy="set size to one that `civocluster sizes` lists for the region",
    ),
    "region_unavailable": CivoError(
        reason="RegionUnavailable",
        cause="the region doesn't exist, or has no capacity left",
        remedy="wait, or create the CivoCluster in a region that `civocluster regions` lists",
    ),
    "database_kubernetes_cluster_invalid_version": CivoError(
        reason="VersionNotOffered",
        cause="Civo doesn't offer this Kubernetes version",
        remedy="set kubernetesVersion to one that `civocluster versions` lists, or remove it",
    ),
    "database_duplicate_cluster_name_not_allowed": CivoError(
        reason="NameTaken",
        cause="the account has a cluster of this name in the region already",
        remedy="delete the other cluster, or give this CivoCluster another name",
    ),
    "database_network_exists": CivoError(
        reason="NameTaken",
        cause="the account has a network of this name in the region already",
        remedy="delete the other network, or give this CivoCluster another name",
    ),
    "database_firewall_duplicate_name": CivoError(
        reason="NameTaken",
        cause="the account has a firewall of this name in the region already",
        remedy="delete the other firewall, or give this CivoCluster another name",
    ),
    "database_account_not_found": _BAD_TOKEN,
    "requires_authentication": _BAD_TOKEN,
    "database_network_inuse_by_volumes": CivoError(
        reason="VolumesLeft",
        cause="volumes of the deleted cluster's PersistentVolumeClaims are still on the network",
        remedy="delete these volumes in Civo; next time, delete the claims before the cluster",
    ),
    "database_firewall_inuse_by_cluster": CivoError(
        reason="FirewallInUse",
        cause="a cluster still uses the firewall",
        remedy="wait until the cluster is deleted; the deletion is tried again by itself",
    ),
}

_CODE = re.compile(r"\b(" + "|".join(BY_CODE) + r")\b", re.IGNORECASE)


def find(message: str) -> CivoError | None:
    """Return what is known of the first error code in a message, None if it has no known code."""
    match = _CODE.search(message)
    return BY_CODE[match[1].lower()] if match else None
