"""A read-only view of what was observed: it answers questions about what exists."""

from typing import Any

from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from google.protobuf.struct_pb2 import Struct

from function import names, structs

EXTERNAL_NAME = "crossplane.io/external-name"

# The second is where upjet reports what became of a creation that it didn't wait for
# [crossplane/upjet, pkg/resource/conditions.go].
_ERRORS_IN = ("Synced", "LastAsyncOperation")
_MESSAGE_MAX = 3000
_CONDITIONS = ("status", "conditions")
# What crossplane-runtime's message begins with [pkg/reconciler/managed/reconciler.go].
_UNRESOLVED = "cannot resolve references"


class Observed:
    """What Crossplane observed of one XR: its status, and its composed resources."""

    def __init__(self, state: fnv1.State) -> None:
        """View the `observed` of a request; nothing in it is changed or created."""
        self._composite = state.composite.resource
        self._resources = state.resources
        self._conditions: dict[str, dict[str, tuple[Any, Any]]] = {}

    @property
    def status(self) -> Struct:
        """The status that the run before gave the XR, empty if none did."""
        return structs.object_at(self._composite, "status")

    def exists(self, name: str) -> bool:
        """Whether the resource was composed before."""
        return name in self._resources

    def ready(self, name: str) -> bool:
        """Whether the resource's condition Ready is True."""
        return bool(self._condition(name, "Ready")[0] == "True")

    def error(self, name: str) -> str | None:
        """Return the provider's message of why it can't reconcile the resource, None if it can.

        It is cut to a length that is quick to search: what counts stands at its beginning.
        That it can't resolve references yet is no error: what they refer to is still to come.
        """
        for kind in _ERRORS_IN:
            status, message = self._condition(name, kind)
            if status == "False" and isinstance(message, str) and message:
                return None if message.startswith(_UNRESOLVED) else message[:_MESSAGE_MAX]
        return None

    def external_name(self, name: str) -> str | None:
        """Return the resource's name or ID in the external system, None while unknown."""
        value = self._dig(name, "metadata", "annotations", EXTERNAL_NAME)
        return value if isinstance(value, str) and value else None

    def for_provider(self, name: str, *field: str) -> Any:
        """Return what was last asked of the provider, or a field of it; None if nothing."""
        return self._dig(name, "spec", "forProvider", *field)

    def at_provider(self, name: str, field: str) -> Any:
        """Return a field of what the provider last reported, None if it didn't."""
        return self._dig(name, "status", "atProvider", field)

    def kubernetes_version(self) -> Any:
        """Return the version that the cluster runs, None while unknown.

        Where an observation comes without it, it is what it was: the autoscaler's image depends
        on it.
        """
        observed = self.at_provider(names.CLUSTER, "kubernetesVersion")
        return observed or structs.dig(self.status, "cluster", "kubernetesVersion")

    def cluster_was_ready(self) -> bool:
        """Whether the cluster is ready, or was: whether anything exists that waited for it."""
        return self.ready(names.CLUSTER) or any(
            name.startswith(names.NODE_POOL_PREFIX)
            or name in (names.PROVIDER_CONFIG, names.RELEASE)
            for name in self._resources
        )

    def _condition(self, name: str, kind: str) -> tuple[Any, Any]:
        """Return status and message of a condition, None for what isn't there."""
        if name not in self._conditions:
            resource = self._resources.get(name)
            conditions = structs.objects(resource.resource, *_CONDITIONS) if resource else []
            self._conditions[name] = {
                str(structs.dig(one, "type")): (
                    structs.dig(one, "status"),
                    structs.dig(one, "message"),
                )
                for one in conditions
            }
        return self._conditions[name].get(kind, (None, None))

    def _dig(self, name: str, *path: str) -> Any:
        # .get(): brackets would create the entry.
        resource = self._resources.get(name)
        return None if resource is None else structs.dig(resource.resource, *path)
