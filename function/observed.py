"""A read-only view of the composed resources that exist: it answers questions about them."""

from collections.abc import Mapping
from typing import Any

from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from function import names, structs

EXTERNAL_NAME = "crossplane.io/external-name"

# The second is where upjet reports what became of a creation that it didn't wait for
# [crossplane/upjet, pkg/resource/conditions.go].
_ERRORS_IN = ("Synced", "LastAsyncOperation")
# What crossplane-runtime's message begins with [pkg/reconciler/managed/reconciler.go].
_UNRESOLVED = "cannot resolve references"


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
        return self._condition(name, "Ready").get("status") == "True"

    def error(self, name: str) -> str | None:
        """Return the provider's message of why it can't reconcile the resource, None if it can.

        That it can't resolve references yet is no error: what they refer to is still to come.
        """
        for kind in _ERRORS_IN:
            condition = self._condition(name, kind)
            message = condition.get("message")
            if condition.get("status") == "False" and isinstance(message, str) and message:
                return None if message.startswith(_UNRESOLVED) else message
        return None

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

    def cluster_was_ready(self) -> bool:
        """Whether the cluster is ready, or was: whether anything exists that waited for it."""
        return self.ready(names.CLUSTER) or any(
            name.startswith(names.NODE_POOL_PREFIX)
            or name in (names.PROVIDER_CONFIG, names.RELEASE)
            for name in self._resources
        )

    def _condition(self, name: str, kind: str) -> dict[str, Any]:
        conditions = self._dig(name, "status", "conditions")
        for condition in conditions if isinstance(conditions, list) else []:
            if isinstance(condition, dict) and condition.get("type") == kind:
                return condition
        return {}

    def _object(self, name: str, *path: str) -> dict[str, Any]:
        value = self._dig(name, *path)
        return value if isinstance(value, dict) else {}

    def _dig(self, name: str, *path: str) -> Any:
        # .get(): brackets would create the entry.
        resource = self._resources.get(name)
        return None if resource is None else structs.dig(resource.resource, *path)
