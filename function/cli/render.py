"""Resources in the form in which `crossplane composition render` prints them.

What Crossplane adds to what a function desires, as read in its sources and seen in its output.
"""

import hashlib
import uuid
from collections.abc import Iterable, Mapping
from typing import Any

from function import api

COMPOSITION_RESOURCE_NAME = "crossplane.io/composition-resource-name"
COMPOSITE = "crossplane.io/composite"

# In place of the clock, that output may be compared.
TIME = "2024-01-01T00:00:00Z"

_NAME_MAX = 63
_SUFFIX_LENGTH = 12
_LISTED_MAX = 3


def uid(xr: Mapping[str, Any]) -> str:
    """Return an XR's UID: its own, or where it has none one made from its identity."""
    metadata = xr["metadata"]
    group_version_kind = f"{api.API_VERSION}, Kind={api.KIND}"
    identity = "\0".join((group_version_kind, metadata["namespace"], metadata["name"]))
    return metadata.get("uid") or str(uuid.uuid5(uuid.UUID(int=0), identity))


def composed(
    xr: Mapping[str, Any],
    resource_name: str,
    desired: Mapping[str, Any],
    observed: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Return a composed resource as Crossplane would apply it.

    Args:
        xr: The XR.
        resource_name: The resource's composition resource name.
        desired: What the function desires.
        observed: What exists of it already, if anything.
    """
    metadata = dict(desired.get("metadata", {}))
    if observed:
        metadata["name"] = observed["metadata"]["name"]
        if "generateName" in observed["metadata"]:
            metadata["generateName"] = observed["metadata"]["generateName"]
    elif "name" not in metadata:
        metadata["generateName"] = f"{xr['metadata']['name']}-"
        metadata["name"] = _generated_name(xr, resource_name)
    metadata["namespace"] = xr["metadata"]["namespace"]
    metadata["annotations"] = {
        **metadata.get("annotations", {}),
        COMPOSITION_RESOURCE_NAME: resource_name,
    }
    metadata["labels"] = {**metadata.get("labels", {}), COMPOSITE: xr["metadata"]["name"]}
    metadata["ownerReferences"] = [
        {
            "apiVersion": api.API_VERSION,
            "blockOwnerDeletion": True,
            "controller": True,
            "kind": api.KIND,
            "name": xr["metadata"]["name"],
            "uid": uid(xr),
        }
    ]
    return {**desired, "metadata": metadata}


def composite(
    xr: Mapping[str, Any],
    status: Mapping[str, Any],
    conditions: Iterable[Mapping[str, str]],
    resources: Iterable[Mapping[str, Any]],
    unready: Iterable[str],
) -> dict[str, Any]:
    """Return the XR as Crossplane would leave it after a run.

    Args:
        xr: The XR.
        status: The status that the function desires.
        conditions: The conditions that the function sets.
        resources: The composed resources, as Crossplane would apply them.
        unready: The composition resource names of those that aren't ready.
    """
    references = [
        {
            "apiVersion": one["apiVersion"],
            "kind": one["kind"],
            "name": one["metadata"]["name"],
        }
        for one in resources
    ]
    return {
        "apiVersion": api.API_VERSION,
        "kind": api.KIND,
        "metadata": {"name": xr["metadata"]["name"], "namespace": xr["metadata"]["namespace"]},
        "spec": {
            "crossplane": {
                "resourceRefs": sorted(references, key=lambda one: "".join(one.values()))
            }
        },
        "status": {
            **status,
            "conditions": [
                condition("Responsive", "True", "WatchCircuitClosed"),
                *conditions,
                condition("Synced", "True", "ReconcileSuccess"),
                _ready(sorted(unready)),
            ],
        },
    }


def condition(type_: str, status: str, reason: str, message: str = "") -> dict[str, str]:
    """Return a status condition."""
    found = {"type": type_, "status": status, "reason": reason, "lastTransitionTime": TIME}
    return {**found, "message": message} if message else found


def _ready(unready: list[str]) -> dict[str, str]:
    if not unready:
        return condition("Ready", "True", "Available")
    listed = unready[:_LISTED_MAX]
    if hidden := len(unready) - len(listed):
        names = f"{', '.join(listed)}, and {hidden} more"
    elif len(listed) == _LISTED_MAX:
        names = f"{', '.join(listed[:-1])}, and {listed[-1]}"
    else:
        names = ", ".join(listed)
    return condition("Ready", "False", "Creating", f"Unready resources: {names}")


def _generated_name(xr: Mapping[str, Any], resource_name: str) -> str:
    prefix = f"{xr['metadata']['name']}-"
    suffix = hashlib.sha256((uid(xr) + resource_name).encode()).hexdigest()[:_SUFFIX_LENGTH]
    if len(prefix) + len(suffix) > _NAME_MAX:
        prefix = f"{prefix[: _NAME_MAX - _SUFFIX_LENGTH - 1].removesuffix('-')}-"
    return prefix + suffix
