"""A CivoCluster goes, and everything with it, whatever went before."""

import pytest

from .harness.api import SECRET
from .harness.civo import Cluster
from .harness.crossplane import CLUSTER
from .harness.live import User, pool
from .harness.process import eventually

SPEC = {"region": "NYC1", "nodePools": [pool("workers"), pool("gpu", "GPU", maxNodeCount=3)]}


def create(user: User) -> Cluster:
    user.apply("inference", **SPEC)
    user.wait_ready("inference")
    return user.in_civo("inference")


def assert_nothing_is_left(user: User, cluster: Cluster) -> None:
    user.wait_gone()
    civo = user.live.civo
    assert civo.find_cluster(cluster.id) is None
    assert cluster.firewall not in civo.firewalls
    assert cluster.network not in civo.networks
    assert "uninstall" not in user.live.provider_helm.operations_in(cluster)


@pytest.mark.parametrize("propagation", ["Background", "Foreground"])
def test_deletion(user: User, propagation: str) -> None:
    cluster = create(user)
    user.delete("inference", propagation)
    assert_nothing_is_left(user, cluster)


@pytest.mark.parametrize("propagation", ["Background", "Foreground"])
def test_deletion_when_cluster_and_secret_went_first(user: User, propagation: str) -> None:
    cluster = create(user)
    secret = user.xr("inference")["status"]["secrets"][0]["name"]
    # Crossplane would have them back before we are done.
    user.pause("inference", paused=True)
    name = user.composed("inference")["cluster"]["metadata"]["name"]
    user.live.api.delete(CLUSTER, user.namespace, name)
    eventually(lambda: user.live.civo.find_cluster(cluster.id) is None, what="the cluster is gone")
    eventually(
        lambda: user.live.api.find(SECRET, user.namespace, secret) is None, what="so is its Secret"
    )
    user.delete("inference", propagation)
    user.pause("inference", paused=False)
    assert_nothing_is_left(user, cluster)


def test_deletion_while_it_comes_up(user: User) -> None:
    user.apply("inference", **SPEC)
    eventually(lambda: "cluster" in user.composed("inference"), what="the cluster is composed")
    user.delete("inference")
    user.wait_gone()
    assert "inference" not in {cluster.name for cluster in user.live.civo.clusters.values()}


def test_volumes_hold_the_network_until_they_are_gone(user: User) -> None:
    cluster = create(user)
    network = user.live.civo.networks[cluster.network]
    network.volumes = 1
    user.delete("inference")

    def left() -> list[str]:
        return [each.split("/")[0] for each in user.left()]

    eventually(lambda: left() == ["Network"], what="all but the network is gone")
    network.volumes = 0
    assert_nothing_is_left(user, cluster)
