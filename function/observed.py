"""A read-only view of what was observed: it answers questions about what exists."""

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
    """What Crossplane observed of one XR: its status, and its composed resources."""

    def __init__(self, state: fnv1.State) -> None:
        """View the `observed` of a request; nothing in it is changed or created."""
        self._composite = state.composite.resource
        self._resources = state.resources
        # What was asked for already: the same questions come again and again.
        self._dug: dict[tuple[str, ...], Any] = {}

    @property
    def status(self) -> dict[str, Any]:
        """The status that the run before gave the XR, empty if none did."""
        return _object(structs.dig(self._composite, "status"))

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
        return _object(self._dig(name, "spec", "forProvider"))

    def at_provider(self, name: str) -> dict[str, Any]:
        """Return what the provider last reported, empty if nothing."""
        return _object(self._dig(name, "status", "atProvider"))

    def kubernetes_version(self) -> Any:
        """Return the version that the cluster runs, None while unknown.

        Where an observation comes without it, it is what it was: the autoscaler's image depends
        on it.
        """
        observed = self.at_provider(names.CLUSTER).get("kubernetesVersion")
        return observed or _object(self.status.get("cluster")).get("kubernetesVersion")

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

    def _dig(self, name: str, *path: str) -> Any:
        key = (name, *path)
        if key not in self._dug:
            # .get(): brackets would create the entry.
            resource = self._resources.get(name)
            self._dug[key] = None if resource is None else structs.dig(resource.resource, *path)
        return self._dug[key]


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}
