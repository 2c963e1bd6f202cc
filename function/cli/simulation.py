"""A deterministic simulation of Civo and provider-helm, in place of both.

A pure function of what is composed and what existed: no clock, no chance, no network. It knows
how things go when they go well, in the order in which they do.
"""

import uuid
from collections.abc import Mapping
from typing import Any

from function import names
from function.cli.render import condition
from function.observed import EXTERNAL_NAME

Object = dict[str, Any]
World = Mapping[str, Object]
"""Kubernetes objects by composition resource name."""

# Stands for whatever Civo's default version is on the day.
DEFAULT_VERSION = "1.34.1-k3s1"
# An address for documentation [RFC 5737].
_ADDRESS = "203.0.113.10"


def reconcile(composed: World, existing: World) -> dict[str, Object]:
    """Let the providers reconcile every composed resource once.

    Args:
        composed: The resources as Crossplane applied them.
        existing: What existed before, with its status.

    Returns:
        What exists now. What isn't composed any more is gone.
    """
    return {
        name: _RECONCILERS[resource["kind"]](resource, existing.get(name, {}), existing)
        for name, resource in composed.items()
    }


def _network(network: Object, _was: Object, _world: World) -> Object:
    wanted = network["spec"]["forProvider"]
    return _ready(network, _uuid(network), {"id": _uuid(network), **_only(wanted, "label")})


def _firewall(firewall: Object, _was: Object, world: World) -> Object:
    network = _external_name(world, names.NETWORK)
    if not network:
        return _unresolved(firewall, "NetworkID")
    wanted = firewall["spec"]["forProvider"]
    at_provider = {"id": _uuid(firewall), "networkId": network, **_only(wanted, "name", "region")}
    return _ready(firewall, _uuid(firewall), at_provider)


def _cluster(cluster: Object, was: Object, world: World) -> Object:
    network = _external_name(world, names.NETWORK)
    firewall = _external_name(world, names.FIREWALL)
    if not firewall:
        return _unresolved(cluster, "FirewallID" if network else "NetworkID")
    wanted, identity = cluster["spec"]["forProvider"], _uuid(cluster)
    at_provider = {
        "id": identity,
        "networkId": network,
        "firewallId": firewall,
        "kubernetesVersion": wanted.get("kubernetesVersion", DEFAULT_VERSION),
        **_only(wanted, "name", "region", "cni", "applications"),
    }
    if not _has_external_name(was):
        return _creating(cluster, identity, {**at_provider, "status": "BUILDING", "ready": False})
    return _ready(
        cluster,
        identity,
        {
            **at_provider,
            "status": "ACTIVE",
            "ready": True,
            "apiEndpoint": f"https://{_ADDRESS}:6443",
            "masterIp": _ADDRESS,
            "dnsEntry": f"{identity}.k8s.civo.com",
        },
    )


def _node_pool(pool: Object, was: Object, world: World) -> Object:
    wanted = pool["spec"]["forProvider"]
    # A pool's ID is its label.
    label = wanted["label"]
    count = (
        wanted.get("nodeCount")
        or was.get("status", {}).get("atProvider", {}).get("nodeCount")
        or pool["spec"]["initProvider"]["nodeCount"]
    )
    at_provider = {
        "id": label,
        "clusterId": _external_name(world, names.CLUSTER),
        "nodeCount": count,
        **_only(wanted, "label", "size"),
    }
    # A node with a GPU takes its time.
    if not was or ("taint" in wanted and not _has_external_name(was)):
        return _creating(pool, label if was else None, at_provider)
    instances = [f"{label}-{number}" for number in range(1, count + 1)]
    return _ready(pool, label, {**at_provider, "instanceNames": instances})


def _provider_config(provider_config: Object, _was: Object, _world: World) -> Object:
    # It is configuration: nothing reconciles it.
    return provider_config


def _release(release: Object, was: Object, _world: World) -> Object:
    name = release["metadata"]["annotations"][EXTERNAL_NAME]
    if not was:
        return _creating(release, name, {"state": "pending-install"})
    revision = was["status"]["atProvider"].get("revision", 0)
    if not revision or release["spec"] != was["spec"]:
        revision += 1
    version = release["spec"]["forProvider"]["chart"]["version"]
    return _ready(release, name, {"state": "deployed", "revision": revision, "version": version})


_RECONCILERS = {
    "Network": _network,
    "Firewall": _firewall,
    "Cluster": _cluster,
    "NodePool": _node_pool,
    "ProviderConfig": _provider_config,
    "Release": _release,
}


def _ready(resource: Object, external_name: str, at_provider: Object) -> Object:
    return _observed(
        resource,
        external_name,
        at_provider,
        condition("Synced", "True", "ReconcileSuccess"),
        condition("Ready", "True", "Available"),
    )


def _creating(resource: Object, external_name: str | None, at_provider: Object) -> Object:
    return _observed(
        resource,
        external_name,
        at_provider,
        condition("Synced", "True", "ReconcileSuccess"),
        condition("Ready", "False", "Creating"),
    )


def _unresolved(resource: Object, field: str) -> Object:
    message = (
        f"cannot resolve references: mg.Spec.ForProvider.{field}: referenced field was empty "
        "(referenced resource may not yet be ready)"
    )
    return _observed(resource, None, {}, condition("Synced", "False", "ReconcileError", message))


def _observed(
    resource: Object, external_name: str | None, at_provider: Object, *conditions: Object
) -> Object:
    metadata = resource["metadata"]
    if external_name:
        annotations = {**metadata["annotations"], EXTERNAL_NAME: external_name}
        metadata = {**metadata, "annotations": annotations}
    status = {"atProvider": at_provider, "conditions": list(conditions)}
    return {**resource, "metadata": metadata, "status": status}


def _external_name(world: World, name: str) -> str | None:
    found = world.get(name, {}).get("metadata", {}).get("annotations", {}).get(EXTERNAL_NAME)
    return found if isinstance(found, str) else None


def _has_external_name(resource: Object) -> bool:
    return EXTERNAL_NAME in resource.get("metadata", {}).get("annotations", {})


def _only(source: Object, *fields: str) -> Object:
    return {field: source[field] for field in fields if field in source}


def _uuid(resource: Object) -> str:
    metadata = resource["metadata"]
    identity = "/".join((resource["kind"], metadata["namespace"], metadata["name"]))
    return str(uuid.uuid5(uuid.NAMESPACE_URL, identity))
