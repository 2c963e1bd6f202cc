"""CivoClusters that live random lives, and what their users asked for."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from time import monotonic

from e2e.harness.api import Object
from e2e.harness.civo import Account, Call
from e2e.harness.live import User, is_ready, pool
from function import names

_REGION = "NYC1"
_VERSIONS = ("1.34.1-k3s1", "1.34.2-k3s1", "1.35.2-k3s1")
_POOLS_MAX = 5
_NODES_MAX = 6
# After a change has arrived, the stand-ins may work for a moment on what they read before.
_QUIET = 15


@dataclass
class Asked:
    """Everything that users asked of a cloud, to hold what was done there against.

    Attributes:
        scales: How often the count of a pool was set; by `CLUSTER/POOL`.
        removed: When a pool was taken out of a spec, as numbers of requests done until then.
        deleted: When a CivoCluster was deleted, the same way; by the name of its cluster.
        settled: When it was seen ready after that: by then, all that was before it is gone.
        actions: How often each thing was asked for.
    """

    scales: Counter[str] = field(default_factory=Counter)
    removed: dict[str, list[int]] = field(default_factory=dict)
    deleted: dict[str, list[int]] = field(default_factory=dict)
    settled: dict[str, list[int]] = field(default_factory=dict)
    actions: Counter[str] = field(default_factory=Counter)


class Life:
    """A CivoCluster that comes, changes, goes and comes again.

    Attributes:
        pools: The node pools of its spec.
        counts: Nodes that each of them must have in Civo in the end; None where that depends on
            who came first.
        waits: Seconds that it took to be ready, and to be gone.
    """

    def __init__(self, user: User, name: str, asked: Asked, chance: Random) -> None:
        """Make one that doesn't exist yet."""
        self.user, self.name = user, name
        self.in_civo = names.civo(user.namespace, name)
        self._asked, self._chance = asked, chance
        self._account: Account = user.live.civo
        self._pools_ever = 0
        self.alive = self.going = self.ready = False
        self._comes: float | None = None
        self._since = 0.0
        self.version: str | None = None
        self.pools: dict[str, Object] = {}
        self.counts: dict[str, int | None] = {}
        self.waits: dict[str, list[float]] = {"ready": [], "gone": []}

    def act(self) -> None:
        """Do something that a user, or the autoscaler, may do now."""
        if self.going:
            return
        if not self.alive:
            self._note("create", self.create)
            return
        actions: dict[Callable[[], bool], int] = {
            self.scale: 5,
            self.autoscale: 5,
            self.rebound: 2,
            self.switch: 3,
            self.add: 3,
            self.remove: 2,
            self.upgrade: 1,
            self.delete: 2,
        }
        action = self._chance.choices(list(actions), list(actions.values()))[0]
        self._note(action.__name__, action)

    def create(self) -> bool:
        """Create it, with some pools."""
        self.pools.clear()
        self.counts.clear()
        self.version = self._chance.choice([None, *_VERSIONS])
        for _ in range(self._chance.randint(1, _POOLS_MAX - 1)):
            self._new_pool()
        self.alive = True
        self._apply()
        self._comes = self._since
        return True

    def scale(self) -> bool:
        """Set the node count of a pool of a fixed size."""
        if not (fixed := [each for each in self.pools.values() if "maxNodeCount" not in each]):
            return False
        chosen = self._chance.choice(fixed)
        self._set_count(chosen, self._nodes())
        self._apply()
        return True

    def autoscale(self) -> bool:
        """Let the autoscaler change a count, within the bounds that it was told."""
        if not self.ready or monotonic() - self._since < _QUIET:
            return False
        cluster = self._account.cluster_of(self.in_civo)
        if not cluster.releases:
            return False
        (release,) = cluster.releases.values()
        groups = [
            group
            for group in release.values["autoscalingGroups"]
            if "maxNodeCount" in self.pools.get(group["name"], {})
        ]
        if not groups:
            return False
        group = self._chance.choice(groups)
        nodes = self._chance.randint(group["minSize"], group["maxSize"])
        self._account.autoscale(cluster, group["name"], nodes)
        self.counts[group["name"]] = nodes
        return True

    def rebound(self) -> bool:
        """Set the bounds of an autoscaled pool."""
        if not (scaled := [each for each in self.pools.values() if "maxNodeCount" in each]):
            return False
        chosen = self._chance.choice(scaled)
        if not self.ready:
            # Where it doesn't exist yet, it is created with as many as it is now told.
            self.counts[chosen["name"]] = None
        self._set_bounds(chosen)
        self._apply()
        return True

    def switch(self) -> bool:
        """Have a pool autoscaled that was of a fixed size, or the other way round."""
        chosen = self._chance.choice(list(self.pools.values()))
        if "maxNodeCount" in chosen:
            for bound in ("maxNodeCount", "minNodeCount"):
                chosen.pop(bound, None)
            self._set_count(chosen, chosen["nodeCount"])
        else:
            # The count that was asked for last may have arrived, or not.
            self.counts[chosen["name"]] = None
            self._set_bounds(chosen)
        self._apply()
        return True

    def add(self) -> bool:
        """Add a pool."""
        if len(self.pools) == _POOLS_MAX:
            return False
        self._new_pool()
        self._apply()
        return True

    def remove(self) -> bool:
        """Remove a pool."""
        if len(self.pools) == 1:
            return False
        name = self._chance.choice(list(self.pools))
        del self.pools[name], self.counts[name]
        path = f"{self.in_civo}/{name}"
        self._asked.removed.setdefault(path, []).append(len(self._account.done))
        self._apply()
        return True

    def upgrade(self) -> bool:
        """Ask for a newer version."""
        known = _VERSIONS.index(self.version) if self.version else -1
        if known + 1 == len(_VERSIONS):
            return False
        # One that isn't set is Civo's: older than the newest here.
        self.version = _VERSIONS[known + 1] if self.version else _VERSIONS[-1]
        self._apply()
        return True

    def delete(self) -> bool:
        """Delete it."""
        self.alive, self.going, self._comes = False, True, None
        self._asked.deleted.setdefault(self.in_civo, []).append(len(self._account.done))
        self._since = monotonic()
        self.user.delete(self.name, self._chance.choice(["Background", "Foreground"]))
        return True

    def look(self, xr: Object | None) -> None:
        """Note how it is: the XR as it was just read, None where there is none."""
        if xr is None:
            if self.going:
                self.going = False
                self.waits["gone"].append(monotonic() - self._since)
            self.ready = False
            return
        self.ready = is_ready(xr)
        if self.ready and self.alive and self._comes is not None:
            self.waits["ready"].append(monotonic() - self._comes)
            self._comes = None
            self._asked.settled.setdefault(self.in_civo, []).append(len(self._account.done))

    def calls(self) -> list[Call]:
        """Return requests that its cloud may refuse now and then."""
        return [
            *(Call("create", kind, self.in_civo) for kind in ("network", "firewall", "cluster")),
            *(Call("create", "pool", f"{self.in_civo}/{name}") for name in self.pools),
            Call("delete", "cluster", self.in_civo),
        ]

    def _note(self, name: str, action: Callable[[], bool]) -> None:
        if action():
            self._asked.actions[name] += 1

    def _new_pool(self) -> None:
        # A name is used once, or nobody could tell which of two pools was deleted.
        self._pools_ever += 1
        role = self._chance.choice(["System", "GPU"])
        created = pool(f"{role.lower()}-{self._pools_ever}", role, nodeCount=self._nodes())
        if self._chance.random() < 0.5:
            self._set_bounds(created)
        self.pools[created["name"]] = created
        self.counts[created["name"]] = max(created["nodeCount"], created.get("minNodeCount", 0))

    def _set_count(self, chosen: Object, nodes: int) -> None:
        chosen["nodeCount"] = self.counts[chosen["name"]] = nodes
        self._asked.scales[f"{self.in_civo}/{chosen['name']}"] += 1

    def _set_bounds(self, chosen: Object) -> None:
        chosen["maxNodeCount"] = max(chosen["nodeCount"], self._nodes())
        chosen["minNodeCount"] = self._chance.randint(1, chosen["maxNodeCount"])

    def _nodes(self) -> int:
        return self._chance.randint(1, _NODES_MAX)

    def _apply(self) -> None:
        self.ready = False
        self._since = monotonic()
        version = {"kubernetesVersion": self.version} if self.version else {}
        self.user.apply(self.name, region=_REGION, nodePools=list(self.pools.values()), **version)
