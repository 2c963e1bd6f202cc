"""Civo, and the provider for it: STAND-INS, for tests only.

`Account` is the cloud: what exists, what it refuses, and what it was asked. `ProviderCivo` is the
provider: it turns managed resources into calls of the account. A test looks at the account to see
what would have happened, and changes it to play what happens in a cloud.
"""

import base64
import json
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, NamedTuple

from .api import SECRET, Api, Kind, Object
from .crossplane import CLUSTER, FIREWALL, NETWORK, NODE_POOL
from .provider import ExternalError, Managed, Provider, controlled

DEFAULT_VERSION = "1.34.2-k3s1"
# How long a cluster is BUILDING, UPGRADING or DELETING: long enough for others to meet it so.
_SECONDS = 0.5


class Call(NamedTuple):
    """A request that changed, or would have changed, something in the account."""

    verb: str
    kind: str
    name: str


@dataclass
class Release:
    """A Helm release in a cluster."""

    chart: str
    values: Object
    revision: int = 1


@dataclass
class Pool:
    """A node pool; its label is its ID."""

    size: str
    count: int
    labels: dict[str, str]
    taints: list[dict[str, str]]


@dataclass
class Network:
    """A network."""

    id: str
    region: str
    label: str
    volumes: int = 0


@dataclass
class Firewall:
    """A firewall, in a network."""

    id: str
    region: str
    name: str
    network: str
    default_rules: bool


@dataclass
class Cluster:
    """A k3s cluster, in a network and behind a firewall."""

    id: str
    region: str
    name: str
    network: str
    firewall: str
    version: str
    fixed: dict[str, Any]
    pools: dict[str, Pool]
    releases: dict[str, Release] = field(default_factory=dict)
    doing: str = "BUILDING"
    until: float = 0

    @property
    def status(self) -> str:
        """What it is doing, ACTIVE when it is done."""
        return self.doing if monotonic() < self.until else "ACTIVE"

    @property
    def gone(self) -> bool:
        """Whether its deletion is over."""
        return self.doing == "DELETING" and monotonic() >= self.until

    def begin(self, doing: str) -> None:
        """Be busy for a moment."""
        self.doing, self.until = doing, monotonic() + _SECONDS


class Account:
    """What exists in Civo, what was asked of it, and what it refuses. Threads may share it.

    Attributes:
        calls: Every request that changed something or would have.
        done: Those of them that were not refused.
        refusals: Error code for the requests that are refused.
    """

    def __init__(self) -> None:
        """Make an empty account."""
        self._lock = threading.RLock()
        self.networks: dict[str, Network] = {}
        self.firewalls: dict[str, Firewall] = {}
        self.clusters: dict[str, Cluster] = {}
        self.calls: list[Call] = []
        self.done: list[Call] = []
        self.refusals: dict[Call, str] = {}

    @contextmanager
    def asked(self, verb: str, kind: str, name: str) -> Iterator[None]:
        """Note a request, and refuse it if a test wants that."""
        with self._lock:
            call = Call(verb, kind, name)
            self.calls.append(call)
            if code := self.refusals.get(call):
                raise ExternalError(f"{code}: refused for {kind} {name}")
            yield
            self.done.append(call)

    def asked_about(self, name: str) -> list[Call]:
        """Return the requests about what has this name, and about what is in it."""
        return [call for call in self.calls if name in (call.name, call.name.split("/")[0])]

    def find_cluster(self, identity: str) -> Cluster | None:
        """Return a cluster by its ID, None if there is none (any more)."""
        with self._lock:
            found = self.clusters.get(identity)
            if found is not None and found.gone:
                del self.clusters[identity]
                return None
            return found

    def cluster_of(self, name: str) -> Cluster:
        """Return a cluster by its name in Civo."""
        with self._lock:
            return next(each for each in self.clusters.values() if each.name == name)

    def network_of(self, label: str) -> Network | None:
        """Return a network by its label, None if there is none."""
        with self._lock:
            return next((each for each in self.networks.values() if each.label == label), None)

    def lose(self, cluster: Cluster) -> None:
        """Let a cluster vanish, as if somebody had deleted it by hand."""
        with self._lock:
            del self.clusters[cluster.id]

    def autoscale(self, cluster: Cluster, pool: str, nodes: int) -> None:
        """Play the cluster autoscaler: give a pool so many nodes, if it was told that it may.

        Raises:
            AssertionError: No running autoscaler has the pool with bounds that allow it.
        """
        release = cluster.releases["kube-system/cluster-autoscaler"]
        groups = {group["name"]: group for group in release.values["autoscalingGroups"]}
        assert pool in groups, f"the autoscaler knows {sorted(groups)}, not {pool}"
        assert groups[pool]["minSize"] <= nodes <= groups[pool]["maxSize"], groups[pool]
        with self._lock:
            cluster.pools[pool].count = nodes

    def create_network(self, region: str, label: str) -> str:
        """Create a network."""
        with self.asked("create", "network", label):
            if any((each.region, each.label) == (region, label) for each in self.networks.values()):
                raise ExternalError(f"database_network_exists: {label}")
            identity = str(uuid.uuid4())
            self.networks[identity] = Network(identity, region, label)
            return identity

    def create_firewall(self, region: str, name: str, network: str, *, default_rules: bool) -> str:
        """Create a firewall, or find the one of this name again."""
        with self.asked("create", "firewall", name):
            for each in self.firewalls.values():
                if (each.region, each.name) == (region, name):
                    return each.id
            identity = str(uuid.uuid4())
            self.firewalls[identity] = Firewall(identity, region, name, network, default_rules)
            return identity

    def create_cluster(self, parameters: dict[str, Any]) -> str:
        """Create a cluster with its first pool."""
        name, region = parameters["name"], parameters["region"]
        with self.asked("create", "cluster", name):
            if any((each.region, each.name) == (region, name) for each in self.clusters.values()):
                raise ExternalError(f"database_duplicate_cluster_name_not_allowed: {name}")
            identity = str(uuid.uuid4())
            first = parameters["pools"]
            self.clusters[identity] = Cluster(
                id=identity,
                region=region,
                name=name,
                network=parameters["networkId"],
                firewall=parameters["firewallId"],
                version=parameters.get("kubernetesVersion", DEFAULT_VERSION),
                fixed={key: parameters.get(key) for key in ("cni", "applications")},
                pools={first["label"]: _pool(first)},
            )
            self.clusters[identity].begin("BUILDING")
            return identity

    def create_pool(self, cluster: Cluster, parameters: dict[str, Any]) -> str:
        """Add a pool to a cluster."""
        label = str(parameters["label"])
        with self.asked("create", "pool", f"{cluster.name}/{label}"):
            cluster.pools[label] = _pool(parameters)
            return label

    def delete_network(self, network: Network) -> None:
        """Delete a network that nothing is in."""
        with self.asked("delete", "network", network.label):
            if network.volumes:
                raise ExternalError("database_network_inuse_by_volumes: delete the volumes first")
            users = {each.network for each in self.clusters.values()}
            users |= {each.network for each in self.firewalls.values()}
            if network.id in users:
                raise ExternalError(f"the network {network.label} is in use")
            del self.networks[network.id]

    def delete_firewall(self, firewall: Firewall) -> None:
        """Delete a firewall that no cluster is behind."""
        with self.asked("delete", "firewall", firewall.name):
            if any(each.firewall == firewall.id for each in self.clusters.values()):
                raise ExternalError(f"database_firewall_inuse_by_cluster: {firewall.name}")
            del self.firewalls[firewall.id]

    def delete_cluster(self, cluster: Cluster) -> None:
        """Begin to delete a cluster with all of its pools."""
        if cluster.doing == "DELETING":
            return
        with self.asked("delete", "cluster", cluster.name):
            cluster.begin("DELETING")

    def delete_pool(self, cluster: Cluster, label: str) -> None:
        """Delete a pool with its nodes."""
        with self.asked("delete", "pool", f"{cluster.name}/{label}"):
            del cluster.pools[label]


class ProviderCivo(Provider):
    """The provider for Civo."""

    kinds = (NETWORK, FIREWALL, CLUSTER, NODE_POOL)

    def __init__(self, api: Api, account: Account) -> None:
        """Make a provider for one account."""
        super().__init__(api)
        self.account = account

    def references(self, resource: Managed) -> dict[str, Any]:
        """Return the IDs that selectors stand for.

        Raises:
            ExternalError: What is selected has no ID yet.
        """
        selected = {
            FIREWALL: {"networkId": NETWORK},
            CLUSTER: {"networkId": NETWORK, "firewallId": FIREWALL},
            NODE_POOL: {"clusterId": CLUSTER},
        }
        found: dict[str, Any] = {}
        for parameter, kind in selected.get(resource.kind, {}).items():
            if parameter in resource.wanted:
                continue
            if not resource.wanted.get(f"{parameter}Selector", {}).get("matchControllerRef"):
                raise ExternalError(f"{parameter} is required")
            found |= self._reference(resource, parameter, kind)
        return found

    def observe(self, resource: Managed) -> Object | None:
        """Return what Civo says of a resource."""
        if resource.kind == NETWORK:
            network = self.account.networks.get(resource.external_name)
            if network is None:
                return None
            return {"id": network.id, "label": network.label, "name": network.label}
        if resource.kind == FIREWALL:
            firewall = self.account.firewalls.get(resource.external_name)
            return None if firewall is None else {"id": firewall.id, "name": firewall.name}
        if resource.kind == CLUSTER:
            return self._observe_cluster(resource)
        cluster, pool = self._pool(resource)
        if cluster is None or pool is None:
            return None
        return {
            "id": resource.external_name,
            "clusterId": cluster.id,
            "label": resource.external_name,
            "nodeCount": pool.count,
            "size": pool.size,
            "instanceNames": [f"{resource.external_name}-{each}" for each in range(pool.count)],
        }

    def create(self, resource: Managed) -> str:
        """Create a resource in Civo."""
        parameters = resource.initial
        region = parameters.get("region")
        if not region:
            raise ExternalError(f"region_unavailable: no region for {resource.name}")
        if resource.kind == NETWORK:
            return self.account.create_network(region, parameters["label"])
        if resource.kind == FIREWALL:
            default_rules = parameters.get("createDefaultRules", True)
            return self.account.create_firewall(
                region, parameters["name"], parameters["networkId"], default_rules=default_rules
            )
        if resource.kind == CLUSTER:
            return self.account.create_cluster(parameters)
        cluster, _ = self._pool(resource)
        if cluster is None:
            raise ExternalError(f"the cluster {parameters['clusterId']} was not found")
        return self.account.create_pool(cluster, parameters)

    def update(self, resource: Managed) -> None:
        """Change in Civo what differs from what is wanted."""
        wanted = resource.wanted
        if resource.kind == NETWORK:
            self._rename(self.account.networks[resource.external_name], "label", wanted)
        elif resource.kind == FIREWALL:
            firewall = self.account.firewalls[resource.external_name]
            self._rename(firewall, "name", wanted)
            firewall.default_rules = wanted.get("createDefaultRules", True)
        elif resource.kind == CLUSTER:
            self._update_cluster(resource)
        else:
            self._update_pool(resource)

    def destroy(self, resource: Managed) -> None:
        """Delete a resource in Civo."""
        identity = resource.external_name
        if resource.kind == NETWORK:
            self.account.delete_network(self.account.networks[identity])
        elif resource.kind == FIREWALL:
            self.account.delete_firewall(self.account.firewalls[identity])
        elif resource.kind == CLUSTER:
            if (cluster := self.account.find_cluster(identity)) is not None:
                self.account.delete_cluster(cluster)
        else:
            cluster, _ = self._pool(resource)
            if cluster is not None:
                self.account.delete_pool(cluster, identity)

    def late(self, resource: Managed) -> dict[str, Any]:
        """Return what the real provider would copy into the spec, if a policy let it."""
        if resource.kind == CLUSTER and (
            found := self.account.find_cluster(resource.external_name)
        ):
            known: dict[str, Any] = {"kubernetesVersion": found.version}
        elif resource.kind == NODE_POOL and (pool := self._pool(resource)[1]):
            known = {"nodeCount": pool.count}
        else:
            return {}
        return {key: value for key, value in known.items() if key not in resource.wanted}

    def available(self, resource: Managed) -> bool:
        """Say whether a cluster is built; everything else is ready when it exists."""
        if resource.kind != CLUSTER:
            return True
        cluster = self.account.find_cluster(resource.external_name)
        return cluster is not None and cluster.status != "BUILDING"

    def after(self, resource: Managed) -> None:
        """Write the kubeconfig of a cluster that is built into its Secret."""
        reference = resource.manifest["spec"].get("writeConnectionSecretToRef")
        if resource.kind != CLUSTER or not reference or not self.available(resource):
            return
        kubeconfig = json.dumps({"cluster": resource.external_name})
        data = {"kubeconfig": kubeconfig} if resource.wanted.get("writeKubeconfig") else {}
        if self._api.find(SECRET, resource.namespace, reference["name"]) is None:
            self._api.create(
                {
                    "apiVersion": SECRET.api_version,
                    "kind": SECRET.name,
                    "type": "connection.crossplane.io/v1alpha1",
                    "metadata": {
                        "namespace": resource.namespace,
                        "name": reference["name"],
                        "ownerReferences": [_owner(resource)],
                    },
                    "data": {
                        key: base64.b64encode(value.encode()).decode()
                        for key, value in data.items()
                    },
                }
            )

    def _reference(self, resource: Managed, parameter: str, kind: Kind) -> dict[str, Any]:
        manifests = self._api.list(kind, resource.namespace)
        for other in controlled(manifests, kind, resource.controller):
            if other.external_name:
                return {parameter: other.external_name, f"{parameter}Ref": {"name": other.name}}
        message = (
            f"cannot resolve references: {parameter}: referenced field was empty "
            "(referenced resource may not yet be ready)"
        )
        raise ExternalError(message)

    def _observe_cluster(self, resource: Managed) -> Object | None:
        cluster = self.account.find_cluster(resource.external_name)
        if cluster is None:
            return None
        for parameter, value in cluster.fixed.items():
            if resource.wanted.get(parameter) != value:
                raise ExternalError(f"{parameter} can't be changed")
        if cluster.region != resource.wanted["region"]:
            return None  # It is looked for in the region of the spec.
        return {
            "id": cluster.id,
            "name": cluster.name,
            "region": cluster.region,
            "status": cluster.status,
            "ready": cluster.status == "ACTIVE",
            "kubernetesVersion": cluster.version,
            "apiEndpoint": "https://203.0.113.7:6443",
            "masterIp": "203.0.113.7",
            "dnsEntry": f"{cluster.id}.k8s.civo.com",
            "numTargetNodes": sum(pool.count for pool in cluster.pools.values()),
        }

    def _update_cluster(self, resource: Managed) -> None:
        cluster = self.account.clusters[resource.external_name]
        if cluster.status != "ACTIVE":
            return
        self._rename(cluster, "name", resource.wanted)
        version = resource.wanted.get("kubernetesVersion", cluster.version)
        if version != cluster.version:
            with self.account.asked("upgrade", "cluster", cluster.name):
                cluster.version = version
                cluster.begin("UPGRADING")
        if pools := resource.wanted.get("pools"):
            # In forProvider it is compared with whichever pool comes first.
            first = min(cluster.pools)
            if cluster.pools[first].count != pools["nodeCount"]:
                with self.account.asked("scale", "pool", f"{cluster.name}/{first}"):
                    cluster.pools[first].count = int(pools["nodeCount"])

    def _update_pool(self, resource: Managed) -> None:
        cluster, pool = self._pool(resource)
        if cluster is None or pool is None:
            return
        name = f"{cluster.name}/{resource.external_name}"
        if resource.initial["size"] != pool.size:
            raise ExternalError(f"the size of the pool {name} can't change")
        count = resource.wanted.get("nodeCount", pool.count)
        if count != pool.count:
            with self.account.asked("scale", "pool", name):
                pool.count = int(count)

    def _rename(self, thing: Network | Firewall | Cluster, what: str, wanted: Object) -> None:
        old, new = getattr(thing, what), wanted[what]
        if old != new:
            with self.account.asked("rename", type(thing).__name__.lower(), old):
                setattr(thing, what, new)

    def _pool(self, resource: Managed) -> tuple[Cluster | None, Pool | None]:
        cluster = self.account.find_cluster(resource.wanted.get("clusterId", ""))
        if cluster is None or cluster.region != resource.wanted.get("region"):
            return None, None
        return cluster, cluster.pools.get(resource.external_name)


def _pool(parameters: dict[str, Any]) -> Pool:
    return Pool(
        size=parameters["size"],
        # Civo takes none to mean its own default.
        count=int(parameters["nodeCount"]) or 3,
        labels=dict(parameters.get("labels", {})),
        taints=list(parameters.get("taint", [])),
    )


def _owner(resource: Managed) -> Object:
    return {
        "apiVersion": resource.kind.api_version,
        "kind": resource.kind.name,
        "name": resource.name,
        "uid": resource.manifest["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
