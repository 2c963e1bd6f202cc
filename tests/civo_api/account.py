"""The account behind the API: networks, firewalls and clusters, and how they come and go.

Time passes by a clock that tests may replace: a cluster is BUILDING, SCALING or DELETING for as
long as the pace says, and nobody has to sleep for it.
"""

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from civo_api import offers
from civo_api.errors import Refused, not_found

T = TypeVar("T", "Cluster", "Firewall", "Instance", "Network", "Pool")

# What Civo makes of a pool that is created without nodes.
_COUNT_FOR_ZERO = 3


@dataclass(frozen=True)
class Pace:
    """How many seconds things take."""

    build: float = 0
    boot: float = 0
    scale: float = 0
    delete: float = 0


@dataclass
class Instance:
    """A node of a pool."""

    id: str
    hostname: str
    size: str
    active_at: float


@dataclass
class Pool:
    """A pool of a cluster; its ID is its label."""

    id: str
    size: str
    count: int
    labels: dict[str, str]
    taints: list[Any]
    instances: list[Instance] = field(default_factory=list)


@dataclass
class Cluster:
    """A cluster; its status changes when it is due."""

    id: str
    name: str
    region: str
    network_id: str
    firewall_id: str
    version: str
    cni: str
    applications: str
    pools: list[Pool]
    status: str
    due: float


@dataclass
class Network:
    """A private network."""

    id: str
    region: str
    label: str
    default: bool = False


@dataclass
class Firewall:
    """A firewall with its rules."""

    id: str
    region: str
    name: str
    network_id: str
    rules: list[dict[str, Any]]


class Account:
    """An account of Civo's: what it may have and what it has.

    Not safe for use by several threads at once: the server locks it.
    """

    def __init__(
        self, pace: Pace | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Open an account with a default network in the default region."""
        self.pace = pace or Pace()
        self.regions = [dict(region) for region in offers.REGIONS]
        self.sizes = [dict(size) for size in offers.SIZES]
        self.versions = [dict(version) for version in offers.VERSIONS]
        self.limits = {prefix: limit for prefix, (limit, _) in offers.QUOTA.items()}
        self.used = {prefix: used for prefix, (_, used) in offers.QUOTA.items()}
        # How many volumes hang on a network, by the network's ID.
        self.volumes: dict[str, int] = {}
        self._clock = clock
        self._networks = [Network(_id(), self.default_region, "Default", default=True)]
        self._firewalls: list[Firewall] = []
        self._clusters: list[Cluster] = []

    @property
    def default_region(self) -> str:
        """The region of requests that name none."""
        return str(next(region["code"] for region in self.regions if region["default"]))

    def region(self, code: str | None) -> str:
        """Return the code of a region that exists, the default one's for None."""
        if code is None:
            return self.default_region
        if code not in [region["code"] for region in self.regions]:
            raise Refused(404, "region_unavailable", f"The region {code} isn't available")
        return code

    # Quota

    def quota(self) -> dict[str, int]:
        """Return limits and usage, others' machines included."""
        self._settle()
        usage = dict(self.used)
        for cluster in self._clusters:
            for pool in cluster.pools:
                _add(usage, self._demand(pool.size, pool.count))
        usage["network_count"] += sum(not network.default for network in self._networks)
        usage["security_group"] += len(self._firewalls)
        usage["disk_volume_count"] += sum(self.volumes.values())
        limits = {f"{prefix}_limit": limit for prefix, limit in self.limits.items()}
        return limits | {f"{prefix}_usage": used for prefix, used in usage.items()}

    def _demand(self, size: str, count: int) -> dict[str, int]:
        of = self._size(size)
        return {
            "instance_count": count,
            "cpu_core": count * of["cpu_cores"],
            "ram_mb": count * of["ram_mb"],
            "disk_gb": count * of["disk_gb"],
        }

    def _take(self, demand: dict[str, int]) -> None:
        """Refuse what would exceed the quota."""
        quota = self.quota()
        for prefix, amount in demand.items():
            if quota[f"{prefix}_usage"] + amount > quota[f"{prefix}_limit"]:
                raise Refused(402, "quota_limit_reached", f"The quota of {prefix} is used up")

    # Networks

    def networks(self, region: str) -> list[Network]:
        """Return the networks of a region."""
        return [network for network in self._networks if network.region == region]

    def network(self, network_id: str) -> Network:
        """Return a network by its ID."""
        return _one(self._networks, network_id, "network")

    def create_network(self, region: str, label: str) -> Network:
        """Create a network; its label is unique in the region."""
        if label in [network.label for network in self.networks(region)]:
            raise Refused(409, "database_network_exists", "A network of this name exists already")
        self._take({"network_count": 1})
        network = Network(_id(), region, label)
        self._networks.append(network)
        return network

    def delete_network(self, network_id: str) -> None:
        """Delete a network that nothing hangs on any more."""
        self._settle()
        network = self.network(network_id)
        if self.volumes.get(network_id):
            raise Refused(409, "database_network_inuse_by_volumes", "Volumes use the network")
        if network_id in [cluster.network_id for cluster in self._clusters]:
            raise Refused(409, "database_network_inuse_by_cluster", "A cluster uses the network")
        self._networks.remove(network)

    # Firewalls

    def firewalls(self, region: str) -> list[Firewall]:
        """Return the firewalls of a region."""
        return [firewall for firewall in self._firewalls if firewall.region == region]

    def firewall(self, firewall_id: str) -> Firewall:
        """Return a firewall by its ID."""
        return _one(self._firewalls, firewall_id, "firewall")

    def create_firewall(self, region: str, name: str, network_id: str, **rules: Any) -> Firewall:
        """Create a firewall; its name is unique in the region.

        Unless `create_rules` is False, every port is open, in and out; `rules` come on top.
        """
        self.network(network_id)
        if name in [firewall.name for firewall in self.firewalls(region)]:
            raise Refused(409, "database_firewall_duplicate_name", "A firewall has this name")
        self._take({"security_group": 1})
        firewall = Firewall(_id(), region, name, network_id, [])
        if rules.get("create_rules", True):
            for direction in ("ingress", "egress"):
                for protocol in ("tcp", "udp", "icmp"):
                    self._add_rule(firewall, {"direction": direction, "protocol": protocol})
        for rule in rules.get("rules") or []:
            self._add_rule(firewall, rule)
        self._firewalls.append(firewall)
        return firewall

    def create_rule(self, firewall_id: str, rule: dict[str, Any]) -> dict[str, Any]:
        """Add a rule to a firewall."""
        return self._add_rule(self.firewall(firewall_id), rule)

    @staticmethod
    def _add_rule(firewall: Firewall, rule: dict[str, Any]) -> dict[str, Any]:
        added = {"cidr": ["0.0.0.0/0"], "action": "allow"} | rule
        added |= {"id": _id(), "firewall_id": firewall.id}
        firewall.rules.append(added)
        return added

    def delete_rule(self, firewall_id: str, rule_id: str) -> None:
        """Delete a rule of a firewall."""
        rules = self.firewall(firewall_id).rules
        rule = next((rule for rule in rules if rule["id"] == rule_id), None)
        if rule is None:
            raise not_found("firewall_rule")
        rules.remove(rule)

    def delete_firewall(self, firewall_id: str) -> None:
        """Delete a firewall that no cluster uses."""
        self._settle()
        firewall = self.firewall(firewall_id)
        if firewall_id in [cluster.firewall_id for cluster in self._clusters]:
            raise Refused(409, "database_firewall_inuse_by_cluster", "A cluster uses it")
        self._firewalls.remove(firewall)

    # Clusters

    def clusters(self, region: str) -> list[Cluster]:
        """Return the clusters of a region."""
        self._settle()
        return [cluster for cluster in self._clusters if cluster.region == region]

    def cluster(self, cluster_id: str) -> Cluster:
        """Return a cluster by its ID."""
        self._settle()
        return _one(self._clusters, cluster_id, "kubernetes_cluster")

    def create_cluster(self, region: str, wish: dict[str, Any]) -> Cluster:
        """Create a cluster; its name is unique in the region."""
        name = wish.get("name", "")
        if not name:
            raise Refused(400, "parameter_name_missing", "A cluster needs a name")
        if name in [cluster.name for cluster in self.clusters(region)]:
            code = "database_duplicate_cluster_name_not_allowed"
            raise Refused(409, code, "A cluster of this name exists already")
        if next(one for one in self.regions if one["code"] == region)["out_of_capacity"]:
            raise Refused(409, "region_unavailable", f"The region {region} is out of capacity")
        network = self.network(wish.get("network_id") or self._default_network(region).id)
        if firewall_id := wish.get("instance_firewall"):
            self.firewall(firewall_id)
        default = {
            "id": _id(),
            "size": wish.get("target_nodes_size", "g4s.kube.small"),
            "count": wish.get("num_target_nodes", 0),
        }
        pools = [_pool(pool) for pool in wish.get("pools") or [default]]
        demand: dict[str, int] = {}
        for pool in pools:
            _add(demand, self._demand(pool.size, pool.count))
        version = self._version(wish.get("kubernetes_version"))
        self._take(demand)
        if not firewall_id:
            firewall_id = self.create_firewall(region, f"cluster-{name}", network.id).id
        cluster = Cluster(
            id=_id(),
            name=name,
            region=region,
            network_id=network.id,
            firewall_id=firewall_id,
            version=version,
            cni=wish.get("cni_plugin") or "flannel",
            applications=wish.get("applications") or "",
            pools=pools,
            status="BUILDING",
            due=self._clock() + self.pace.build,
        )
        self._clusters.append(cluster)
        return cluster

    def update_cluster(self, cluster_id: str, wish: dict[str, Any]) -> Cluster:
        """Rename a cluster or upgrade its Kubernetes."""
        cluster = self._at_rest(cluster_id)
        cluster.name = wish.get("name") or cluster.name
        if version := wish.get("kubernetes_version"):
            cluster.version = self._version(version)
            cluster.status, cluster.due = "UPGRADING", self._clock() + self.pace.scale
        return cluster

    def delete_cluster(self, cluster_id: str) -> None:
        """Begin to delete a cluster; its volumes stay on the network."""
        cluster = self.cluster(cluster_id)
        if cluster.status != "DELETING":
            cluster.status, cluster.due = "DELETING", self._clock() + self.pace.delete

    # Pools

    def pool(self, cluster_id: str, pool_id: str) -> Pool:
        """Return a pool of a cluster."""
        return _one(self.cluster(cluster_id).pools, pool_id, "kubernetes_pool")

    def create_pool(self, cluster_id: str, wish: dict[str, Any]) -> Pool:
        """Add a pool to a cluster."""
        cluster = self._at_rest(cluster_id)
        pool = _pool(wish)
        if pool.id in [one.id for one in cluster.pools]:
            code = "database_kubernetes_pool_duplicate"
            raise Refused(409, code, "The cluster has a pool of this name already")
        self._take(self._demand(pool.size, pool.count))
        cluster.pools.append(pool)
        self._scale(cluster)
        return pool

    def update_pool(self, cluster_id: str, pool_id: str, wish: dict[str, Any]) -> Pool:
        """Scale a pool, or change its labels and taints."""
        cluster = self._at_rest(cluster_id)
        pool = self.pool(cluster_id, pool_id)
        if wish.get("size", pool.size) != pool.size:
            raise Refused(400, "parameter_size_invalid", "The size of a pool can't change")
        count = wish.get("count") or pool.count
        self._take(self._demand(pool.size, max(count - pool.count, 0)))
        pool.count = count
        pool.labels = wish.get("labels", pool.labels)
        pool.taints = wish.get("taints", pool.taints)
        self._scale(cluster)
        return pool

    def delete_pool(self, cluster_id: str, pool_id: str) -> None:
        """Delete a pool; a cluster keeps its last one."""
        cluster = self._at_rest(cluster_id)
        pool = self.pool(cluster_id, pool_id)
        if len(cluster.pools) == 1:
            raise Refused(409, "kubernetes_last_pool", "A cluster needs a pool")
        cluster.pools.remove(pool)
        self._scale(cluster)

    def delete_instance(self, cluster_id: str, pool_id: str, instance_id: str) -> None:
        """Take one node out of a pool, which is one smaller from then on."""
        cluster = self._at_rest(cluster_id)
        pool = self.pool(cluster_id, pool_id)
        pool.instances.remove(_one(pool.instances, instance_id, "instance"))
        pool.count -= 1
        self._scale(cluster)

    def active(self, instance: Instance) -> bool:
        """Return whether a node has booted."""
        return self._clock() >= instance.active_at

    # How time passes

    def _scale(self, cluster: Cluster) -> None:
        cluster.status, cluster.due = "SCALING", self._clock() + self.pace.scale

    def _settle(self) -> None:
        """Let happen what is due."""
        now = self._clock()
        for cluster in list(self._clusters):
            if now < cluster.due:
                continue
            if cluster.status == "DELETING":
                self._clusters.remove(cluster)
                continue
            if cluster.status != "ACTIVE":
                cluster.status = "ACTIVE"
                for pool in cluster.pools:
                    self._staff(cluster, pool)

    def _staff(self, cluster: Cluster, pool: Pool) -> None:
        """Give a pool as many nodes as it should have: the youngest go first."""
        del pool.instances[pool.count :]
        while len(pool.instances) < pool.count:
            number = _id()
            name = f"k3s-{cluster.name}-{pool.id}-{number[:4]}"
            pool.instances.append(Instance(number, name, pool.size, cluster.due + self.pace.boot))

    def _at_rest(self, cluster_id: str) -> Cluster:
        """Return a cluster that can be changed now."""
        cluster = self.cluster(cluster_id)
        if cluster.status not in ("ACTIVE", "SCALING"):
            code = "database_kubernetes_cluster_not_ready"
            raise Refused(409, code, f"The cluster is {cluster.status}")
        return cluster

    # Offers

    def _size(self, name: str) -> dict[str, Any]:
        found = [one for one in self.sizes if one["name"] == name and one["type"] == "Kubernetes"]
        if not found:
            raise Refused(404, "database_size_not_found", f"There is no size {name}")
        return found[0]

    def _version(self, number: str | None) -> str:
        for version in self.versions:
            if version["version"] == number or (number is None and version["default"]):
                return str(version["version"])
        code = "database_kubernetes_cluster_invalid_version"
        raise Refused(400, code, f"Kubernetes {number} isn't offered")

    def _default_network(self, region: str) -> Network:
        for network in self.networks(region):
            if network.default:
                return network
        network = Network(_id(), region, "Default", default=True)
        self._networks.append(network)
        return network


def _one(things: list[T], thing_id: str, kind: str) -> T:
    found = [thing for thing in things if thing.id == thing_id]
    if not found:
        raise not_found(kind)
    return found[0]


def _pool(wish: dict[str, Any]) -> Pool:
    return Pool(
        id=wish.get("id") or _id(),
        size=wish.get("size", ""),
        count=wish.get("count") or _COUNT_FOR_ZERO,
        labels=wish.get("labels") or {},
        taints=wish.get("taints") or [],
    )


def _add(total: dict[str, int], more: dict[str, int]) -> None:
    for key, amount in more.items():
        total[key] = total.get(key, 0) + amount


def _id() -> str:
    return str(uuid.uuid4())
