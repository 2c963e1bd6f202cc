"""What the composed resources have in common.

Their types name only the fields that this function sets, as they are on the wire; `kinds` checks
what is built against them. A field that isn't there isn't sent, so the function owns nothing that
it has no opinion about.
"""

from typing import Literal

from typing_extensions import TypedDict

from function import names
from function.api import CivoCluster
from function.observed import Observed

ManagementPolicies = list[Literal["Observe", "Create", "Update", "Delete"]]


class ProviderConfigRef(TypedDict):
    """The provider config that a managed resource authenticates with."""

    kind: Literal["ProviderConfig", "ClusterProviderConfig"]
    name: str


class ManagedSpec(TypedDict):
    """What the spec of every Civo resource has."""

    managementPolicies: ManagementPolicies
    providerConfigRef: ProviderConfigRef


class Selector(TypedDict):
    """Selects the one resource of its kind that the same XR composes."""

    matchControllerRef: Literal[True]


# All but LateInitialize: with it the provider copies Civo's answers (version, target node count,
# pools) into the spec, and from then on fights every later change.
MANAGEMENT_POLICIES: ManagementPolicies = ["Observe", "Create", "Update", "Delete"]

SAME_XR: Selector = {"matchControllerRef": True}


def provider_config_ref(xr: CivoCluster) -> ProviderConfigRef:
    """Reference the provider config that an XR names."""
    return {"kind": xr.spec.credentials.type, "name": xr.spec.credentials.name}


def civo_name(xr: CivoCluster, observed: Observed, resource: str, field: str) -> str:
    """Return the name of a resource in Civo.

    A name once given is kept. The provider finds a firewall by name, so under another one it
    would create a second and leave the first to its cluster; and who was composed before names
    carried a hash keeps the name that people know.

    Args:
        xr: The XR.
        observed: What exists of it.
        resource: The composition resource name.
        field: The field of `forProvider` that holds the name.
    """
    given = observed.for_provider(resource, field)
    if isinstance(given, str) and given:
        return given
    return names.civo(xr.metadata.namespace, xr.metadata.name)
