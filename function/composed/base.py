"""What the composed resources have in common.

The models know only the fields that this function sets, under their names on the wire, and
refuse any other: a wrong field name can't leave the process. A field that is None isn't sent,
so the function owns nothing that it has no opinion about.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from function import names
from function.api import CivoCluster
from function.observed import Observed

# Constants are tuples, here and in the builders: of a list pydantic makes a copy every time.
ManagementPolicies = tuple[Literal["Observe", "Create", "Update", "Delete"], ...]


class Model(BaseModel):
    """A part of a composed resource."""

    model_config = ConfigDict(strict=True, frozen=True, extra="forbid")


class Composed(Model):
    """A composed resource; each kind has its apiVersion and kind as fields."""

    def to_dict(self) -> dict[str, Any]:
        """Return the resource as plain values, ready for the desired state."""
        return self.model_dump(exclude_none=True)


class ProviderConfigRef(Model):
    """The provider config that a managed resource authenticates with."""

    kind: Literal["ProviderConfig", "ClusterProviderConfig"]
    name: str

    @classmethod
    def of(cls, xr: CivoCluster) -> "ProviderConfigRef":
        """Reference the provider config that an XR names."""
        return cls(kind=xr.spec.credentials.type, name=xr.spec.credentials.name)


class ManagedSpec(Model):
    """What the spec of every Civo resource has."""

    # All but LateInitialize: with it the provider copies Civo's answers (version, target node
    # count, pools) into the spec, and from then on fights every later change.
    managementPolicies: ManagementPolicies = ("Observe", "Create", "Update", "Delete")
    providerConfigRef: ProviderConfigRef


class Selector(Model):
    """Selects the one resource of its kind that the same XR composes."""

    matchControllerRef: Literal[True] = True


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
