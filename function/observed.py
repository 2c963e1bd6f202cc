"""A read-only view of the composed resources that exist: it answers questions about them."""

from collections.abc import Mapping
from typing import Any

from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from function import names, structs

EXTERNAL_NAME = "crossplane.io/external-name"


class Observed:
    """The composed resources of one XR as Crossplane observed them, by composition name."""

    def __init__(self, resources: Mapping[str, fnv1.Resource]) -> None:
        """View the `observed.resources` of a request; nothing in it is changed or created."""
        self._resources = resources

    def exists(self, name: str) -> bool:
        """Whether the resource was composed before."""
        return name in self._resources

    def ready(self, name: str) -> bool:
        """Whether the resource's condition Ready is True."""
        conditions = self._dig(name, "status", "conditions")
        return isinstance(conditions, list) and any(
            isinstance(condition, dict)
            and condition.get("type") == "Ready"
            and condition.get("status") == "True"
            for condition in conditions
        )

    def external_name(self, name: str) -> str | None:
        """Return the resource's name or ID in the external system, None while unknown."""
        value = self._dig(name, "metadata", "annotations", EXTERNAL_NAME)
        return value if isinstance(value, str) and value else None

    def for_provider(self, name: str) -> dict[str, Any]:
        """Return what was last asked of the provider, empty if nothing."""
        return self._object(name, "spec", "forProvider")

    def at_provider(self, name: str) -> dict[str, Any]:
        """Return what the provider last reported, empty if nothing."""
        return self._object(name, "status", "atProvider")

    def any_dependent(self) -> bool:
        """Whether any resource exists that is composed only after the cluster was ready."""
        return any(
            name.startswith(names.NODE_POOL_PREFIX)
            or name in (names.PROVIDER_CONFIG, names.RELEASE)
            for name in self._resources
        )

    def _object(self, name: str, *path: str) -> dict[str, Any]:
        value = self._dig(name, *path)
        return value if isinstance(value, dict) else {}

    def _dig(self, name: str, *path: str) -> Any:
        # .get(): brackets would create the entry.
        resource = self._resources.get(name)
        return None if resource is None else structs.dig(resource.resource, *path)
