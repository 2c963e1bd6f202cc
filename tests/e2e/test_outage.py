"""Programs end without warning and come back, clouds refuse, old XRs break new rules."""

import sys
from collections.abc import Iterator
from contextlib import suppress

import pytest

from .harness import predecessor
from .harness.api import CRD, RefusedError, condition
from .harness.civo import Call
from .harness.crossplane import XRD_NAME, serve_from_source
from .harness.live import Live, User, pool
from .harness.process import eventually

# Not with its own folder on the path: there is a module of the name `crossplane` in it.
PREDECESSOR = [sys.executable, "-P", predecessor.__file__]
SPEC = {"region": "NYC1", "nodePools": [pool("workers"), pool("gpu", "GPU", maxNodeCount=3)]}


def test_function_is_killed_while_a_cluster_comes_up(user: User) -> None:
    crossplane = user.live.crossplane
    user.apply("inference", **SPEC)
    eventually(lambda: "cluster" in user.composed("inference"), what="the cluster is composed")
    crossplane.kill_function()
    before = user.uids("inference")
    user.pass_time("inference")
    assert user.uids("inference") == before

    crossplane.start_function()
    user.wait_ready("inference")
    assert before.items() <= user.uids("inference").items()
    assert user.deletions() == []


def test_restarts_change_nothing(user: User) -> None:
    user.apply("inference", **SPEC)
    user.wait_ready("inference")
    user.settle("inference")
    crossplane, cluster = user.live.crossplane, user.in_civo("inference")
    before, generations = user.uids("inference"), user.generations("inference")
    calls = user.live.civo.asked_about(cluster.name)
    operations = user.live.provider_helm.operations_in(cluster)

    crossplane.kill_function()
    user.pass_time("inference")
    crossplane.stop_core()
    crossplane.start_core()
    user.pass_time("inference")
    crossplane.start_function()
    user.wait_ready("inference")
    user.settle("inference")

    assert user.uids("inference") == before
    assert user.generations("inference") == generations
    assert user.live.civo.asked_about(cluster.name) == calls
    assert user.live.provider_helm.operations_in(cluster) == operations
    assert user.deletions() == []


def test_refused_pool_says_why_and_comes_when_it_can(user: User) -> None:
    user.apply("inference", region="NYC1", nodePools=[pool("workers")])
    user.wait_ready("inference")
    refused = Call("create", "pool", f"{user.in_civo('inference').name}/gpu")
    user.live.civo.refusals[refused] = "quota_limit_reached"

    user.apply("inference", **SPEC)
    key = "node-pool-gpu"
    eventually(lambda: key in user.composed("inference"), what="the pool is composed")

    def says_why() -> bool:
        synced = condition(user.composed("inference")[key], "Synced")
        return "quota_limit_reached" in synced.get("message", "")

    eventually(says_why, what="the pool says that there is no quota")
    user.wait_unready("inference")
    assert condition(user.composed("inference")["node-pool-workers"], "Ready")["status"] == "True"

    del user.live.civo.refusals[refused]
    user.wait_ready("inference")
    assert user.deletions() == []


def test_xr_from_before_a_rule_changes_nothing(user: User) -> None:
    """An XR that the API server would refuse today: Crossplane says so and touches nothing."""
    user.apply("inference", **SPEC)
    user.wait_ready("inference")
    user.settle("inference")
    before, generations = user.uids("inference"), user.generations("inference")

    api, crossplane = user.live.api, user.live.crossplane
    # While Crossplane is away, for it would put the rules back at once.
    crossplane.stop_core()
    crd = api.get(CRD, "", XRD_NAME)
    pools = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"][
        "properties"
    ]["nodePools"]
    rules = {"x-kubernetes-validations": pools["items"].pop("x-kubernetes-validations")}
    relaxed = api.replace(crd)
    invalid = pool("gpu", "GPU", maxNodeCount=3)
    del invalid["gpu"]

    def written() -> bool:
        # It takes the API server a moment to forget the rules.
        with suppress(RefusedError):
            user.apply("inference", region="NYC1", nodePools=[pool("workers"), invalid])
            return True
        return False

    eventually(written, what="the API server has forgotten the rules")
    pools["items"] |= rules
    crd["metadata"]["resourceVersion"] = relaxed["metadata"]["resourceVersion"]
    api.replace(crd)
    crossplane.start_core()

    def refused() -> bool:
        synced = condition(user.xr("inference"), "Synced")
        return synced["status"] == "False" and "spec.nodePools[1].gpu" in synced["message"]

    eventually(refused, what="the XR is not synced and says why")
    user.pass_time("inference")
    assert user.uids("inference") == before
    assert user.generations("inference") == generations
    assert user.deletions() == []

    user.apply("inference", **SPEC)
    user.wait_ready("inference")
    assert user.uids("inference") == before


@pytest.fixture
def earlier_function(live: Live) -> Iterator[None]:
    """Serve an earlier function for a while."""
    live.crossplane.start_function(PREDECESSOR)
    yield
    live.crossplane.start_function(serve_from_source())


@pytest.mark.usefixtures("earlier_function")
def test_clusters_of_an_earlier_function_are_taken_over(user: User) -> None:
    user.apply("inference", **SPEC)
    user.wait_ready("inference")
    user.settle("inference")
    before, calls = user.uids("inference"), user.live.civo.asked_about("inference")
    cluster = user.in_civo("inference")
    firewall = user.live.civo.firewalls[cluster.firewall]
    assert (cluster.name, firewall.name, firewall.default_rules) == ("inference", "inference", True)
    assert "pools" in user.composed("inference")["cluster"]["spec"]["forProvider"]

    user.live.crossplane.start_function(serve_from_source())
    user.nudge("inference")
    eventually(lambda: not firewall.default_rules, what="the firewall is closed")
    user.wait_ready("inference")
    user.settle("inference")

    # A name in Civo is for life: a firewall is found again by it.
    assert (cluster.name, firewall.name) == ("inference", "inference")
    assert "pools" not in user.composed("inference")["cluster"]["spec"]["forProvider"]
    assert user.uids("inference") == before
    assert user.deletions() == []
    assert user.live.civo.asked_about("inference") == calls
