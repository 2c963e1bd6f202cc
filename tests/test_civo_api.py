"""The API that tests are run against behaves as Civo's does."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
import requests

from asking import TOKEN
from civo_api import Account, CivoAPIServer, Fault, Pace

CLUSTERS = "/v2/kubernetes/clusters"
PACE = Pace(build=60, boot=30, scale=20, delete=10)


class Clock:
    """A clock that goes on when it is told to."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Client:
    """Asks the server; `status` is the last answer's."""

    server: CivoAPIServer
    http: requests.Session
    clock: Clock
    status: int = 0

    def __call__(self, method: str, path: str, **body: Any) -> Any:
        address = self.server.url + path
        response = self.http.request(method, address, json=body or None, timeout=5)
        self.status = response.status_code
        return response.json()

    def cluster(self, name: str = "one", **wish: Any) -> Any:
        """Create a cluster with a system pool."""
        pool = {"id": "system", "size": "g4p.kube.small", "count": 2}
        return self("POST", CLUSTERS, **({"name": name, "pools": [pool]} | wish))


@pytest.fixture
def civo(monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    clock = Clock()
    with CivoAPIServer(TOKEN, Account(PACE, clock)) as server, requests.Session() as http:
        http.headers["Authorization"] = f"bearer {TOKEN}"
        yield Client(server, http, clock)


@dataclass(frozen=True)
class Refusal:
    reason: str
    method: str
    path: str
    body: dict[str, Any]
    status: int
    code: str


REFUSALS = {
    "no endpoint": Refusal("there is none", "GET", "/v2/moons", {}, 404, "not_found"),
    "quota by POST": Refusal("it is read", "POST", "/v2/quota", {}, 404, "not_found"),
    "no region": Refusal(
        "it is unknown", "GET", "/v2/sizes?region=X", {}, 404, "region_unavailable"
    ),
    "no page": Refusal("no number", "GET", f"{CLUSTERS}?page=x", {}, 400, "parameter_invalid"),
    "no name": Refusal("it needs one", "POST", CLUSTERS, {}, 400, "parameter_name_missing"),
    "no cluster": Refusal(
        "it isn't there",
        "GET",
        f"{CLUSTERS}/x",
        {},
        404,
        "database_kubernetes_cluster_not_found",
    ),
    "no network": Refusal(
        "it isn't there", "DELETE", "/v2/networks/x", {}, 404, "database_network_not_found"
    ),
    "no firewall": Refusal(
        "it isn't there", "GET", "/v2/firewalls/x", {}, 404, "database_firewall_not_found"
    ),
    "network twice": Refusal(
        "labels are unique",
        "POST",
        "/v2/networks",
        {"label": "Default"},
        409,
        "database_network_exists",
    ),
    "size unknown": Refusal(
        "there is none",
        "POST",
        CLUSTERS,
        {"name": "a", "target_nodes_size": "huge"},
        404,
        "database_size_not_found",
    ),
    "size of instances": Refusal(
        "it isn't for clusters",
        "POST",
        CLUSTERS,
        {"name": "a", "target_nodes_size": "g3.small"},
        404,
        "database_size_not_found",
    ),
    "version unknown": Refusal(
        "it isn't offered",
        "POST",
        CLUSTERS,
        {"name": "a", "kubernetes_version": "1.2.3-k3s1"},
        400,
        "database_kubernetes_cluster_invalid_version",
    ),
    "region full": Refusal(
        "no node fits",
        "POST",
        CLUSTERS,
        {"name": "a", "region": "PHX1"},
        409,
        "region_unavailable",
    ),
    "quota": Refusal(
        "15 instances are free",
        "POST",
        CLUSTERS,
        {"name": "a", "num_target_nodes": 16},
        402,
        "quota_limit_reached",
    ),
}


@pytest.mark.parametrize("case", REFUSALS.values(), ids=REFUSALS)
def test_refusals(case: Refusal, civo: Client) -> None:
    answer = civo(case.method, case.path, **case.body)
    assert (civo.status, answer["code"]) == (case.status, case.code), case.reason
    assert answer["result"] == "failed", case.reason
    assert answer["reason"], case.reason
    assert civo("GET", CLUSTERS)["items"] == [], "what is refused leaves nothing behind"


@pytest.mark.parametrize("header", ["", "bearer wrong", f"Basic {TOKEN}"])
def test_authentication(header: str, civo: Client) -> None:
    civo.http.headers["Authorization"] = header
    assert civo("GET", "/v2/regions")["code"] == "requires_authentication"
    assert civo.status == 401


def test_life_of_a_cluster(civo: Client) -> None:
    """From the request to the last trace, in the time that the pace says."""

    def seen() -> tuple[str, bool, str, list[str]]:
        one = civo("GET", f"{CLUSTERS}/{created['id']}")
        nodes = [node["status"] for node in civo("GET", f"{CLUSTERS}/{created['id']}/instances")]
        return one["status"], one["ready"], one["api_endpoint"], nodes

    created = civo.cluster(kubernetes_version="1.33.4-k3s1", cni_plugin="cilium")
    assert (created["kubernetes_version"], created["cni_plugin"]) == ("1.33.4-k3s1", "cilium")
    assert created["dns_entry"] == f"{created['id']}.k8s.civo.com"
    assert seen() == ("BUILDING", False, "", [])
    civo.clock.now += 60
    at = "https://74.220.16.10:6443"
    assert seen() == ("ACTIVE", True, at, ["BUILDING"] * 2), "active before its nodes are"
    civo.clock.now += 30
    assert seen() == ("ACTIVE", True, at, ["ACTIVE"] * 2)
    civo("PUT", f"{CLUSTERS}/{created['id']}", kubernetes_version="1.34.1-k3s1", name="two")
    assert seen()[:2] == ("UPGRADING", False)
    civo.clock.now += 20
    assert seen()[:2] == ("ACTIVE", True)
    assert civo("GET", f"{CLUSTERS}/{created['id']}")["kubernetes_version"] == "1.34.1-k3s1"
    for _ in range(2):
        assert civo("DELETE", f"{CLUSTERS}/{created['id']}") == {"result": "success"}
        assert seen()[:2] == ("DELETING", False)
        civo.clock.now += 5
    civo("GET", f"{CLUSTERS}/{created['id']}")
    assert civo.status == 404


def test_life_of_a_pool(civo: Client) -> None:
    """A pool's ID is its label; what is scaled is SCALING for a while."""
    cluster = f"{CLUSTERS}/{civo.cluster()['id']}"
    wish = {"id": "gpu", "size": "an.g1.l40s.kube.x1", "labels": {"a": "b"}, "taints": [{"k": 1}]}
    assert civo("POST", f"{cluster}/pools", **wish)["code"].endswith("not_ready")
    assert civo.status == 409, "a cluster that is being built takes no pools"
    civo.clock.now += 60
    pool = civo("POST", f"{cluster}/pools", **wish)
    assert (pool["id"], pool["label"], pool["count"]) == ("gpu", "gpu", 3), "0 becomes 3"
    assert (pool["labels"], pool["taints"]) == ({"a": "b"}, [{"k": 1}])
    assert civo("GET", cluster)["status"] == "SCALING"
    assert civo("GET", f"{cluster}/pools/gpu")["instance_names"] == []
    civo.clock.now += 20
    assert civo("GET", cluster)["status"] == "ACTIVE"
    assert len(civo("GET", f"{cluster}/pools/gpu")["instance_names"]) == 3
    civo("POST", f"{cluster}/pools", **wish)
    assert civo.status == 409, "labels are unique in a cluster"

    assert civo("PUT", f"{cluster}/pools/gpu", count=4)["count"] == 4
    civo.clock.now += 20
    nodes = civo("GET", f"{cluster}/pools/gpu")["instances"]
    assert [node["status"] for node in nodes] == ["BUILDING"] * 4
    assert civo("PUT", f"{cluster}/pools/gpu", size="g4p.kube.small")["result"] == "failed"
    assert civo("PUT", f"{cluster}/pools/gpu", count=100)["code"] == "quota_limit_reached"

    civo("DELETE", f"{cluster}/pools/gpu/instances/{nodes[0]['id']}")
    left = civo("GET", f"{cluster}/pools/gpu")
    assert left["count"] == 3
    assert [node["id"] for node in left["instances"]] == [node["id"] for node in nodes[1:]]
    civo("DELETE", f"{cluster}/pools/gpu/instances/x")
    assert civo.status == 404

    assert civo("DELETE", f"{cluster}/pools/gpu") == {"result": "success"}
    assert [pool["id"] for pool in civo("GET", f"{cluster}/pools")] == ["system"]
    civo("DELETE", f"{cluster}/pools/system")
    assert civo.status == 409, "the last pool stays"


def test_names(civo: Client) -> None:
    """Names of clusters and firewalls are unique in a region, and in a region only."""
    network = civo("GET", "/v2/networks")[0]["id"]
    for region, status in (("LON1", 200), ("LON1", 409), ("NYC1", 200)):
        civo.cluster("one", region=region)
        assert civo.status == status
        civo("POST", "/v2/firewalls", name="wall", region=region, network_id=network)
        assert civo.status == status
    found = civo("GET", f"{CLUSTERS}?region=NYC1")["items"]
    assert [(one["name"], one["region"]) for one in found] == [("one", "NYC1")]


def test_pages(civo: Client) -> None:
    civo.server.account.limits["instance_count"] = 100
    for number in range(5):
        civo.cluster(f"c{number}", num_target_nodes=1, pools=None)
    pages = [civo("GET", f"{CLUSTERS}?page={page}&per_page=2") for page in (1, 2, 3, 4)]
    assert [[one["name"] for one in page["items"]] for page in pages] == [
        ["c0", "c1"],
        ["c2", "c3"],
        ["c4"],
        [],
    ]
    assert {page["pages"] for page in pages} == {3}


def test_firewalls(civo: Client) -> None:
    """By default everything is open; rules are added and taken away one by one."""
    network = civo("GET", "/v2/networks")[0]["id"]
    firewall = civo("POST", "/v2/firewalls", name="open", network_id=network)["id"]
    assert civo("GET", f"/v2/firewalls/{firewall}")["rules_count"] == 6
    own = {"direction": "ingress", "protocol": "tcp", "start_port": "6443"}
    wish = {"name": "own", "network_id": network, "create_rules": False, "rules": [own]}
    firewall = civo("POST", "/v2/firewalls", **wish)["id"]
    rules = f"/v2/firewalls/{firewall}/rules"
    assert [rule["start_port"] for rule in civo("GET", rules)] == ["6443"]
    added = civo("POST", rules, direction="ingress", protocol="tcp", start_port="80")
    assert added["cidr"] == ["0.0.0.0/0"]
    assert civo("DELETE", f"{rules}/{added['id']}") == {"result": "success"}
    assert civo("DELETE", f"{rules}/{added['id']}")["code"].endswith("firewall_rule_not_found")
    assert len(civo("GET", rules)) == 1


def test_what_goes_last(civo: Client) -> None:
    """Networks and firewalls stay as long as something hangs on them."""
    network = civo("POST", "/v2/networks", label="net")["id"]
    assert civo("GET", f"/v2/networks/{network}")["label"] == "net"
    firewall = civo("POST", "/v2/firewalls", name="wall", network_id=network)["id"]
    cluster = civo.cluster(network_id=network, instance_firewall=firewall)["id"]
    civo.server.account.volumes[network] = 1

    assert civo("DELETE", f"/v2/firewalls/{firewall}")["code"].endswith("inuse_by_cluster")
    assert civo("DELETE", f"/v2/networks/{network}")["code"].endswith("inuse_by_volumes")
    civo.server.account.volumes.clear()
    assert civo("DELETE", f"/v2/networks/{network}")["code"].endswith("inuse_by_cluster")
    civo("DELETE", f"{CLUSTERS}/{cluster}")
    civo("DELETE", f"/v2/firewalls/{firewall}")
    assert civo.status == 409, "the cluster is being deleted, and still there"
    civo.clock.now += 10
    assert civo("DELETE", f"/v2/firewalls/{firewall}") == {"result": "success"}
    assert civo("DELETE", f"/v2/networks/{network}") == {"result": "success"}


def test_quota(civo: Client) -> None:
    """What is created counts at once, and no longer once it is gone."""

    def usage() -> dict[str, int]:
        quota = civo("GET", "/v2/quota")
        return {key: value for key, value in quota.items() if key.endswith("_usage")}

    before = usage()
    network = civo("POST", "/v2/networks", label="net")["id"]
    firewall = civo("POST", "/v2/firewalls", name="wall", network_id=network)["id"]
    cluster = civo.cluster(network_id=network, instance_firewall=firewall)["id"]
    assert {key: value - before[key] for key, value in usage().items()} == {
        "instance_count_usage": 2,
        "cpu_core_usage": 8,
        "ram_mb_usage": 32768,
        "disk_gb_usage": 120,
        "disk_volume_count_usage": 0,
        "network_count_usage": 1,
        "security_group_usage": 1,
    }
    civo("DELETE", f"{CLUSTERS}/{cluster}")
    civo.clock.now += 10
    civo("DELETE", f"/v2/firewalls/{firewall}")
    civo("DELETE", f"/v2/networks/{network}")
    assert usage() == before


def test_default_network(civo: Client) -> None:
    """A cluster that names no network is put on its region's default one."""
    cluster = civo.cluster(region="NYC1")
    [network] = civo("GET", "/v2/networks?region=NYC1")
    assert network["default"]
    assert cluster["network_id"] == network["id"]
    assert civo("GET", f"/v2/firewalls/{cluster['firewall_id']}?region=NYC1")["rules_count"] == 6


def test_faults(civo: Client) -> None:
    """A fault is for a path or for all, for some requests or for every one."""
    civo.server.inject("/v2/sizes", Fault.json("fault"), times=2)
    civo.server.inject("/v2/quota", Fault.refusal(500, "x"))
    assert [civo("GET", "/v2/sizes") == "fault" for _ in range(3)] == [True, True, False]
    assert [civo("GET", "/v2/quota")["code"] for _ in range(3)] == ["x"] * 3
    civo.server.inject("*", Fault.json("all"))
    assert civo("GET", "/v2/regions") == "all"
    assert civo("GET", "/v2/quota")["code"] == "x", "the path's own fault comes first"


BROKEN = {
    "half": (Fault.half(), requests.exceptions.ChunkedEncodingError),
    "slow": (Fault(delay=2), requests.ReadTimeout),
    "no HTTP": (Fault(raw=b"SSH"), requests.ConnectionError),
}


@pytest.mark.parametrize(("fault", "raised"), BROKEN.values(), ids=BROKEN)
def test_broken_answers(fault: Fault, raised: type[Exception], civo: Client) -> None:
    civo.server.inject("*", fault)
    with pytest.raises(raised):
        civo.http.get(f"{civo.server.url}/v2/regions", timeout=0.5)
