"""A CivoCluster comes to life."""

from .harness.api import SECRET, is_true
from .harness.live import Live, User, pool

GPU = {
    "region": "NYC1",
    "kubernetesVersion": "1.34.1-k3s1",
    "nodePools": [pool("workers", nodeCount=2), pool("gpu-l40s", "GPU", maxNodeCount=4)],
}


def test_becomes_ready(user: User) -> None:
    user.apply("inference", **GPU)
    xr = user.wait_ready("inference")

    composed = user.composed("inference")
    assert sorted(composed) == [
        "cluster",
        "firewall",
        "network",
        "node-pool-gpu-l40s",
        "node-pool-workers",
        "provider-config-helm",
        "release-cluster-autoscaler",
    ]
    secret = {"type": "Kubeconfig", "name": xr["status"]["secrets"][0]["name"], "key": "kubeconfig"}
    assert xr["status"]["secrets"] == [secret]
    stored = user.live.api.get(SECRET, user.namespace, secret["name"])
    assert "kubeconfig" in stored["data"]

    cluster = user.in_civo("inference")
    assert cluster.version == "1.34.1-k3s1"
    assert {label: pool.count for label, pool in cluster.pools.items()} == {
        "system": 2,
        "workers": 2,
        "gpu-l40s": 1,
    }
    assert cluster.pools["gpu-l40s"].labels["modelplane.ai/gpu"] == "nvidia-l40s"
    assert cluster.pools["gpu-l40s"].taints
    assert user.release_values("inference")["autoscalingGroups"] == [
        {"name": "gpu-l40s", "minSize": 1, "maxSize": 4}
    ]
    assert user.deletions() == []


def test_pools_wait_for_the_cluster(user: User) -> None:
    user.apply("inference", **GPU)
    user.wait_ready("inference")
    created = user.creations()
    assert set(created[:3]) == {"networks", "firewalls", "clusters"}
    assert sorted(created[3:]) == ["nodepools", "nodepools", "providerconfigs", "releases"]


def test_same_name_in_two_namespaces(live: Live, user: User) -> None:
    other = live.user()
    for somebody in (user, other):
        somebody.apply("inference", **GPU)
    for somebody in (user, other):
        somebody.wait_ready("inference")

    mine, theirs = user.in_civo("inference"), other.in_civo("inference")
    assert mine.name != theirs.name
    assert mine.network != theirs.network
    assert mine.firewall != theirs.firewall
    assert all(
        is_true(each, "Ready")
        for each in other.composed("inference").values()
        if each["kind"] != "ProviderConfig"
    )
    other.delete("inference")
    other.wait_gone()
    assert user.in_civo("inference") is mine
    assert user.deletions() == []
