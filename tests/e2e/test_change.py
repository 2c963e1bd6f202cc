"""What users change is changed, what the autoscaler changes stays, and the rest is left alone."""

from .harness.civo import Call
from .harness.crossplane import CLUSTER, NODE_POOL
from .harness.live import User, pool
from .harness.process import eventually

FIXED = pool("workers", nodeCount=2)
SCALED = pool("gpu-l40s", "GPU", maxNodeCount=6)
GROUP = {"name": "gpu-l40s", "minSize": 1, "maxSize": 6}


def create(user: User, *pools: object, **more: object) -> None:
    user.apply("inference", region="NYC1", nodePools=list(pools), **more)
    user.wait_ready("inference")
    user.settle("inference")


def change(user: User, *pools: object, **more: object) -> None:
    create(user, *pools, **more)


def groups(user: User) -> list[object]:
    return list(user.release_values("inference")["autoscalingGroups"])


def test_autoscaler_owns_the_count(user: User) -> None:
    create(user, FIXED, SCALED)
    cluster, helm = user.in_civo("inference"), user.live.provider_helm
    generations, operations = user.generations("inference"), helm.operations_in(cluster)

    for nodes in (5, 1):
        user.live.civo.autoscale(cluster, "gpu-l40s", nodes)
        user.settle("inference")
        assert cluster.pools["gpu-l40s"].count == nodes
        assert user.generations("inference") == generations
        assert helm.operations_in(cluster) == operations
    assert user.live.civo.asked_about(f"{cluster.name}/gpu-l40s") == [
        Call("create", "pool", f"{cluster.name}/gpu-l40s")
    ]


def test_flapping_conditions_delete_nothing(user: User) -> None:
    create(user, FIXED, SCALED)
    provider, civo = user.live.provider_civo, user.live.civo
    before, name = user.uids("inference"), user.in_civo("inference").name
    calls = civo.asked_about(name)

    for _ in range(20):
        for kind in (CLUSTER, NODE_POOL):
            provider.unready.add((kind, user.namespace))
        user.wait_unready("inference")
        for kind in (NODE_POOL, CLUSTER):
            provider.unready.discard((kind, user.namespace))
        user.wait_ready("inference")

    assert user.uids("inference") == before
    assert user.deletions() == []
    assert civo.asked_about(name) == calls


def test_pools_come_and_go(user: User) -> None:
    create(user, FIXED)
    assert "release-cluster-autoscaler" not in user.composed("inference")
    before = user.uids("inference")

    change(user, FIXED, SCALED, pool("more"))
    added = user.uids("inference")
    assert before.items() <= added.items()
    assert sorted(user.in_civo("inference").pools) == ["gpu-l40s", "more", "system", "workers"]
    assert groups(user) == [GROUP]

    change(user, FIXED, SCALED)
    eventually(lambda: "node-pool-more" not in user.composed("inference"), what="the pool is gone")
    eventually(lambda: "more" not in user.in_civo("inference").pools, what="its nodes are gone")
    left = user.uids("inference")
    assert left.items() <= added.items()
    assert set(added) - set(left) == {"node-pool-more"}
    assert len(user.deletions()) == 1


def test_pool_is_autoscaled_and_fixed_again(user: User) -> None:
    create(user, FIXED, pool("gpu-l40s", "GPU", nodeCount=2))
    cluster, before = user.in_civo("inference"), user.uids("inference")

    change(user, FIXED, SCALED | {"nodeCount": 2})
    assert groups(user) == [GROUP | {"minSize": 2}]
    assert cluster.pools["gpu-l40s"].count == 2
    user.live.civo.autoscale(cluster, "gpu-l40s", 4)
    user.settle("inference")
    assert cluster.pools["gpu-l40s"].count == 4

    change(user, FIXED, pool("gpu-l40s", "GPU", nodeCount=3))
    eventually(lambda: cluster.pools["gpu-l40s"].count == 3, what="the count is the spec's again")
    # Still there, and told to do nothing: dropped, it would go on scaling.
    eventually(lambda: groups(user) == [], what="the autoscaler has no group")
    assert before.items() <= user.uids("inference").items()
    assert user.deletions() == []


def test_minimum_is_raised(user: User) -> None:
    create(user, FIXED, SCALED)
    cluster, before = user.in_civo("inference"), user.uids("inference")
    change(user, FIXED, SCALED | {"minNodeCount": 3})
    eventually(lambda: groups(user) == [GROUP | {"minSize": 3}], what="the autoscaler knows")
    # It raises the count itself.
    assert cluster.pools["gpu-l40s"].count == 1
    assert user.uids("inference") == before


def test_upgrade_takes_the_autoscaler_along(user: User) -> None:
    create(user, FIXED, SCALED, kubernetesVersion="1.34.1-k3s1")
    cluster, before = user.in_civo("inference"), user.uids("inference")
    values = user.release_values("inference")
    assert values["image"]["tag"] == "v1.34.5"
    assert values["extraArgs"]["enable-dynamic-resource-allocation"] is True

    change(user, FIXED, SCALED, kubernetesVersion="1.35.2-k3s1")
    eventually(lambda: cluster.version == "1.35.2-k3s1", what="the cluster is upgraded")

    def follows() -> bool:
        return bool(user.release_values("inference")["image"]["tag"] == "v1.35.2")

    eventually(follows, what="the autoscaler follows")
    assert "enable-dynamic-resource-allocation" not in user.release_values("inference")["extraArgs"]
    assert user.live.civo.asked_about(cluster.name)[-1].verb == "upgrade"
    assert user.uids("inference") == before
    assert user.deletions() == []
