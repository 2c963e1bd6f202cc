"""What must be so after random lives, whatever happened in them."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from time import sleep

from e2e.harness.api import Object
from e2e.harness.civo import Call, Cluster
from e2e.harness.control_plane import CROSSPLANE
from e2e.harness.crossplane import CLUSTER, COMPOSED, FIREWALL, NETWORK
from e2e.harness.live import KEY
from e2e.harness.provider import Managed
from function import names

from .lives import Asked, Life
from .world import World

# Several rounds of the stand-ins.
_MOMENT = 15


def after(world: World, seconds: float, tell: Callable[[str], None]) -> list[str]:
    """Let a world live for a while, have everything deleted, and return what went wrong.

    Args:
        world: A world in which nothing exists yet; alone on its control plane.
        seconds: How long something happens in it.
        tell: Told what goes on, every few seconds.
    """
    try:
        world.live_for(seconds, tell)
        world.rest(tell)
        tell("looking at everything")
        found = [*findings(world), *unrest(world)]
        world.delete_all()
        world.rest(tell)
    except TimeoutError as error:
        return [*world.restless(), str(error)]
    return [*found, *left(world), *world.live.crashes()]


def findings(world: World) -> Iterator[str]:
    """Yield everything that is not as it must be in a world at rest."""
    yield from _in_kubernetes(world)
    yield from _in_civo(world)
    yield from unasked(world.live.civo.done, world.asked)
    yield from _deleted_by_crossplane(world)


def unrest(world: World) -> Iterator[str]:
    """Yield what changes in a world at rest while the function runs a few more times."""
    civo, helm = world.live.civo, world.live.provider_helm
    before, done, operations = _generations(world), len(civo.done), len(helm.operations)
    for _ in range(3):
        world.run_the_function()
    sleep(_MOMENT)
    after = _generations(world)
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            yield f"{name}: generation {before.get(name)} became {after.get(name)}"
    yield from (f"Civo was asked to {call}" for call in civo.done[done:])
    yield from (f"Helm was asked to {operation}" for operation in helm.operations[operations:])


def left(world: World) -> Iterator[str]:
    """Yield everything that still exists, in a world from which all should be gone."""
    civo = world.live.civo
    for what in (civo.networks, civo.firewalls, civo.clusters):
        yield from (f"{each} is left in Civo" for each in what.values())
    for user in world.users:
        yield from (f"{name} is left in {user.namespace}" for name in user.left())


def unasked(done: Sequence[Call], asked: Asked) -> Iterator[str]:
    """Yield what was done in a cloud though nobody asked for it.

    Args:
        done: The requests, in order.
        asked: What users asked for.
    """
    exists: set[tuple[str, str]] = set()
    used: dict[tuple[str, str], set[int]] = {}
    for number, (verb, kind, name) in enumerate(done):
        thing = (kind, name)
        if verb == "create":
            if thing in exists:
                yield f"the {kind} {name} was created twice{_history(thing, done, asked)}"
            exists.add(thing)
        elif verb == "delete":
            # One reason for each deletion. It may come late: after a CivoCluster of the same name
            # was created and deleted, but not after that one was ready.
            cluster = name.split("/")[0]
            settled = asked.settled.get(cluster, [])
            reasons = {
                *(
                    reason
                    for reason in asked.deleted.get(cluster, [])
                    if not any(reason < at <= number for at in settled)
                ),
                *asked.removed.get(name, []),
            }
            reasons = {at for at in reasons if at <= number} - used.setdefault(thing, set())
            if reasons:
                used[thing].add(min(reasons))
            else:
                history = _history(thing, done, asked)
                yield f"the {kind} {name} was deleted, and nobody asked for it{history}"
            exists.discard(thing)
            if kind == "cluster":  # Its pools go with it.
                exists -= {("pool", path) for _, path in exists if path.startswith(f"{name}/")}
        elif verb == "rename":
            yield f"the {kind} {name} was renamed"
    scaled = Counter(name for verb, _, name in done if verb == "scale")
    for name, times in scaled.items():
        if times > asked.scales[name]:
            yield f"the count of {name} was set {times} times, asked for {asked.scales[name]} times"


def _history(thing: tuple[str, str], done: Sequence[Call], asked: Asked) -> str:
    name = thing[1]
    cluster = name.split("/")[0]
    calls = [f"{each.verb} {number}" for number, each in enumerate(done) if each[1:] == thing]
    return (
        f" (done: {', '.join(calls)}; deletions asked for: {asked.deleted.get(cluster, [])}, "
        f"removals: {asked.removed.get(name, [])}, ready: {asked.settled.get(cluster, [])})"
    )


def _in_kubernetes(world: World) -> Iterator[str]:
    owned: dict[str, list[Managed]] = {}
    for kind in COMPOSED:
        for manifest in world.live.api.list(kind):
            one = Managed(kind, manifest)
            owned.setdefault(one.controller, []).append(one)
    for kind in (NETWORK, FIREWALL, CLUSTER):
        ids = Counter(
            one.external_name for all_of in owned.values() for one in all_of if one.kind == kind
        )
        yield from (f"{n} {kind.name}s share the ID {name}" for name, n in ids.items() if n > 1)
    for life in world.lives:
        if life.alive:
            uid = life.user.xr(life.name)["metadata"]["uid"]
            found = sorted(_composed_as(one) for one in owned.pop(uid, []))
            if found != (expected := sorted(_expected(life, found))):
                yield f"{life.user.namespace}/{life.name} has {found}, not {expected}"
    for orphans in owned.values():
        yield from (f"{_named(orphan.manifest)} is an orphan" for orphan in orphans)


def _composed_as(resource: Managed) -> str:
    return str(resource.manifest["metadata"]["annotations"][KEY])


def _expected(life: Life, found: Sequence[str]) -> list[str]:
    # The autoscaler stays when the last pool that it scaled has a fixed size.
    autoscaled = names.RELEASE in found or any("maxNodeCount" in p for p in life.pools.values())
    return [
        *(names.NETWORK, names.FIREWALL, names.CLUSTER),
        *(names.node_pool(name) for name in life.pools),
        *((names.PROVIDER_CONFIG, names.RELEASE) if autoscaled else ()),
    ]


def _in_civo(world: World) -> Iterator[str]:
    civo = world.live.civo
    alive = Counter(life.in_civo for life in world.lives if life.alive)
    for kind, found in (
        ("networks", Counter(each.label for each in civo.networks.values())),
        ("firewalls", Counter(each.name for each in civo.firewalls.values())),
        ("clusters", Counter(each.name for each in civo.clusters.values())),
    ):
        yield from (
            f"{kind} in Civo: {n} of {name} too many" for name, n in (found - alive).items()
        )
        yield from (f"{kind} in Civo: {name} is missing" for name in (alive - found))
    clusters = {each.name: each for each in civo.clusters.values()}
    for life in world.lives:
        if life.alive and life.in_civo in clusters:
            yield from _differences(life, clusters[life.in_civo])


def _differences(life: Life, cluster: Cluster) -> Iterator[str]:
    """Yield how a cluster in Civo differs from what its user wants."""
    if life.version not in (None, cluster.version):
        yield f"{cluster.name} runs {cluster.version}, not {life.version}"
    pools = {label: pool for label, pool in cluster.pools.items() if label != "system"}
    if pools.keys() != life.pools.keys():
        yield f"{cluster.name} has the pools {sorted(pools)}, not {sorted(life.pools)}"
    for label, pool in pools.items():
        wanted = life.counts.get(label)
        if wanted not in (None, pool.count):
            yield f"{cluster.name}/{label} has {pool.count} nodes, not {wanted}"
    groups = {
        group["name"]: (group["minSize"], group["maxSize"])
        for release in cluster.releases.values()
        for group in release.values["autoscalingGroups"]
    }
    bounds = {
        name: (pool.get("minNodeCount", pool["nodeCount"]), pool["maxNodeCount"])
        for name, pool in life.pools.items()
        if "maxNodeCount" in pool
    }
    if groups != bounds:
        yield f"the autoscaler of {cluster.name} was told {groups}, not {bounds}"


def _deleted_by_crossplane(world: World) -> Iterator[str]:
    """Yield what Crossplane had deleted though nobody asked for it."""
    # Until it is gone, Crossplane deletes one on every run.
    deleted = {
        (write.resource, write.namespace, write.name)
        for write in world.live.control_plane.all_writes()
        if write.user == CROSSPLANE and write.verb.startswith("delete") and write.code == 200
    }
    deletions = Counter(resource for resource, _, _ in deleted)
    removed = sum(map(len, world.asked.removed.values()))
    for kind, times in deletions.items():
        if times > (removed if kind == "nodepools" else 0):
            yield f"Crossplane deleted {times} {kind}, and {removed} pools were removed"


def _generations(world: World) -> dict[str, int]:
    return {
        f"{_named(manifest)} {manifest['metadata']['uid']}": manifest["metadata"]["generation"]
        for kind in COMPOSED
        for manifest in world.live.api.list(kind)
    }


def _named(manifest: Object) -> str:
    metadata = manifest["metadata"]
    return f"{manifest['kind']} {metadata['namespace']}/{metadata['name']}"
