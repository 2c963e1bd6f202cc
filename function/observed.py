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
# What crossplane-runtime's message begins with [pkg/reconciler/managed/reconciler.go].
_UNRESOLVED = "cannot resolve references"

# Status and all of a condition that isn't there.
_NO_CONDITION = ("", Struct())


class _Resource:
    """One resource as it was observed: what is asked of it again and again, found once."""

    def __init__(self, resource: Struct) -> None:
        annotations = structs.object_at(resource, "metadata", "annotations")
        self.external_name = structs.text(annotations, EXTERNAL_NAME) or None
        self.for_provider = structs.object_at(resource, "spec", "forProvider")
        status = structs.object_at(resource, "status")
        self.at_provider = structs.object_at(status, "atProvider")
        conditions = {
            structs.text(one, "type"): (structs.text(one, "status"), one)
            for one in structs.objects(status, "conditions")
        }
        self.ready = conditions.get("Ready", _NO_CONDITION)[0] == "True"
        self.error = _error(conditions)


def _error(conditions: dict[str, tuple[str, Struct]]) -> str | None:
    for kind in _ERRORS_IN:
        status, condition = conditions.get(kind, _NO_CONDITION)
        if status == "False" and (message := structs.text(condition, "message")):
            return None if message.startswith(_UNRESOLVED) else message[:_MESSAGE_MAX]
    return None


_ABSENT = _Resource(Struct())


class Observed:
    """What Crossplane observed of one XR: its status, and its composed resources."""

    def __init__(self, state: fnv1.State) -> None:
        """View the `observed` of a request; nothing in it is changed or created."""
        self.status = structs.object_at(state.composite.resource, "status")
        """The status that the run before gave the XR, empty if none did."""
        self._resources = state.resources
        self._found: dict[str, _Resource] = {}

    def exists(self, name: str) -> bool:
        """Whether the resource was composed before."""
        return name in self._resources

    def ready(self, name: str) -> bool:
        """Whether the resource's condition Ready is True."""
        return self._find(name).ready

    def error(self, name: str) -> str | None:
        """Return the provider's message of why it can't reconcile the resource, None if it can.

        It is cut to a length that is quick to search: what counts stands at its beginning.
        That it can't resolve references yet is no error: what they refer to is still to come.
        """
        return self._find(name).error

    def external_name(self, name: str) -> str | None:
        """Return the resource's name or ID in the external system, None while unknown."""
        return self._find(name).external_name

    def created(self, name: str) -> bool:
        """Whether the resource exists in the external system, created as its spec asks."""
        resource = self._find(name)
        return bool(resource.external_name and resource.for_provider.fields)

    def for_provider(self, name: str, field: str) -> Any:
        """Return a field of what was last asked of the provider, None if it wasn't."""
        return structs.get(self._find(name).for_provider, field)

    def at_provider(self, name: str, field: str) -> Any:
        """Return a field of what the provider last reported, None if it didn't."""
        return structs.get(self._find(name).at_provider, field)

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

    def _find(self, name: str) -> _Resource:
        """Return a resource; one with nothing in it where none was observed."""
        if name not in self._found:
            # .get(): brackets would create the entry.
            resource = self._resources.get(name)
            self._found[name] = _ABSENT if resource is None else _Resource(resource.resource)
        return self._found[name]
