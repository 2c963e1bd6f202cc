"""The HTTP server: routes requests to the account and answers as Civo's API does."""

import json
import re
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Lock, Thread
from typing import Any, ClassVar, Self
from urllib.parse import parse_qsl, urlsplit

from civo_api.account import Account, Cluster, Firewall, Network, Pool
from civo_api.errors import Refused
from civo_api.faults import Fault

SUCCESS = {"result": "success"}
_CHUNK = 4096


@dataclass(frozen=True)
class Request:
    """A request, as the server keeps it for tests to look at."""

    method: str
    path: str
    query: dict[str, str]
    authorization: str | None
    content: bytes

    def values(self) -> dict[str, Any]:
        """Return what the query says, and on top of it the body, which is JSON."""
        return self.query | (json.loads(self.content) if self.content else {})


@dataclass(frozen=True)
class Call:
    """A request to the account, with the region and the values that it names."""

    account: Account
    region: str
    values: dict[str, Any]


class CivoAPIServer:
    """Civo's API on 127.0.0.1, on a free port; a context manager that stops it at its end."""

    def __init__(self, token: str, account: Account | None = None, port: int = 0) -> None:
        """Listen, and serve from when the context is entered."""
        self.account = account or Account()
        self.requests: list[Request] = []
        self._token = token
        self._faults: dict[str, tuple[Fault, int | None]] = {}
        self._lock = Lock()
        self._stopping = Event()
        self._http = _HTTPServer(("127.0.0.1", port), type("Handler", (_Handler,), {"api": self}))
        self._thread = Thread(target=self._http.serve_forever, args=(0.01,))

    @property
    def url(self) -> str:
        """The address of the API."""
        return f"http://127.0.0.1:{self._http.server_port}"

    def __enter__(self) -> Self:
        """Serve."""
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stop, whatever is being answered at the moment."""
        self._stopping.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def inject(self, path: str, fault: Fault, times: int | None = None) -> None:
        """Answer requests for a path (`*`: for all) with a fault, the first `times` of them."""
        with self._lock:
            self._faults[path] = (fault, times)

    def answer(self, request: Request) -> Fault | tuple[int, bytes]:
        """Return what to answer: a fault, or a status and a body."""
        with self._lock:
            self.requests.append(request)
            if fault := self._fault(request.path):
                return fault
            try:
                self._authenticate(request)
                return 200, json.dumps(_route(self.account, request)).encode()
            except (KeyError, TypeError, ValueError):
                refused = Refused(400, "parameter_invalid", "A parameter isn't valid")
            except Refused as error:
                refused = error
            return refused.status, refused.body

    def wait(self, seconds: float) -> None:
        """Wait, but not beyond the end of the server."""
        self._stopping.wait(seconds)

    def stopping(self) -> bool:
        """Return whether the server is being stopped."""
        return self._stopping.is_set()

    def _authenticate(self, request: Request) -> None:
        if request.authorization != f"bearer {self._token}":
            raise Refused(401, "requires_authentication", "The token isn't valid")

    def _fault(self, path: str) -> Fault | None:
        key = path if path in self._faults else "*"
        fault, times = self._faults.get(key, (None, None))
        if times is not None:
            if times == 0:
                return None
            self._faults[key] = (fault, times - 1)  # type: ignore[assignment] # times: a fault
        return fault


class _HTTPServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A client that has waited long enough goes away: nothing to report.
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Head and body go out one after the other, and must not wait for each other.
    disable_nagle_algorithm = True
    api: ClassVar[CivoAPIServer]

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Keep silent: tests look at `requests`."""

    def _handle(self) -> None:
        answer = self.api.answer(self._request())
        fault = answer if isinstance(answer, Fault) else Fault(answer[0], answer[1])
        self.api.wait(fault.delay)
        if fault.raw is not None:
            self.close_connection = True
            self.wfile.write(fault.raw)
            return
        self.send_response(fault.status)
        headers = {
            "Content-Type": "application/json",
            "Content-Length": str(len(fault.content) + fault.missing),
        } | fault.headers
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self._send(fault)

    do_GET = do_POST = do_PUT = do_DELETE = _handle  # noqa: N815

    def _request(self) -> Request:
        address = urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        return Request(
            method=self.command,
            path=address.path,
            query=dict(parse_qsl(address.query)),
            authorization=self.headers.get("Authorization"),
            content=self.rfile.read(length),
        )

    def _send(self, fault: Fault) -> None:
        step = 1 if fault.pause else _CHUNK
        for start in range(0, len(fault.content), step):
            if self.api.stopping():
                break
            self.wfile.write(fault.content[start : start + step])
            if fault.pause:
                self.api.wait(fault.pause)
        if fault.missing:
            self.close_connection = True


def _route(account: Account, request: Request) -> Any:
    for method, pattern, answer in _ROUTES:
        match = re.fullmatch(pattern, request.path)
        if match and method == request.method:
            values = request.values()
            call = Call(account, account.region(values.get("region")), values)
            return answer(call, *match.groups())
    raise Refused(404, "not_found", "There is no such endpoint")


def _network(network: Network) -> dict[str, Any]:
    return asdict(network) | {"name": f"cust-{network.id[:8]}", "status": "Active"}


def _firewall(firewall: Firewall) -> dict[str, Any]:
    return asdict(firewall) | {"rules_count": len(firewall.rules)}


def _pool(account: Account, pool: Pool) -> dict[str, Any]:
    return {
        "id": pool.id,
        "label": pool.id,
        "count": pool.count,
        "size": pool.size,
        "labels": pool.labels,
        "taints": pool.taints,
        "instance_names": [instance.hostname for instance in pool.instances],
        "instances": [
            {
                "id": instance.id,
                "hostname": instance.hostname,
                "size": instance.size,
                "status": "ACTIVE" if account.active(instance) else "BUILDING",
            }
            for instance in pool.instances
        ],
    }


def _cluster(account: Account, cluster: Cluster) -> dict[str, Any]:
    # The API server has an address once the cluster has been built.
    built = cluster.status != "BUILDING"
    host = "74.220.16.10"
    return {
        "id": cluster.id,
        "name": cluster.name,
        "region": cluster.region,
        "status": cluster.status,
        "ready": cluster.status == "ACTIVE",
        "version": "2",
        "kubernetes_version": cluster.version,
        "network_id": cluster.network_id,
        "firewall_id": cluster.firewall_id,
        "cni_plugin": cluster.cni,
        "applications": cluster.applications,
        "num_target_nodes": sum(pool.count for pool in cluster.pools),
        "target_nodes_size": cluster.pools[0].size,
        "api_endpoint": f"https://{host}:6443" if built else "",
        "master_ip": host if built else "",
        "dns_entry": f"{cluster.id}.k8s.civo.com",
        "pools": [_pool(account, pool) for pool in cluster.pools],
    }


def _page(items: list[Any], values: dict[str, Any]) -> dict[str, Any]:
    page, per_page = int(values.get("page", 1)), int(values.get("per_page", 20))
    start = (page - 1) * per_page
    return {
        "page": page,
        "per_page": per_page,
        "pages": -(-len(items) // per_page),
        "items": items[start : start + per_page],
    }


def _clusters(call: Call) -> Any:
    found = call.account.clusters(call.region)
    return _page([_cluster(call.account, cluster) for cluster in found], call.values)


def _create_network(call: Call) -> Any:
    network = call.account.create_network(call.region, call.values.get("label", ""))
    return SUCCESS | {"id": network.id, "label": network.label}


def _create_firewall(call: Call) -> Any:
    rules = {key: call.values[key] for key in ("create_rules", "rules") if key in call.values}
    name, network = call.values.get("name", ""), call.values.get("network_id", "")
    firewall = call.account.create_firewall(call.region, name, network, **rules)
    return SUCCESS | {"id": firewall.id, "name": firewall.name}


def _create_rule(call: Call, firewall: str) -> Any:
    rule = {key: value for key, value in call.values.items() if key != "region"}
    return call.account.create_rule(firewall, rule)


def _pools(call: Call, cluster: str) -> list[dict[str, Any]]:
    return [_pool(call.account, pool) for pool in call.account.cluster(cluster).pools]


def _instances(call: Call, cluster: str) -> Any:
    return [instance for pool in _pools(call, cluster) for instance in pool["instances"]]


def _done(_: None) -> Any:
    return SUCCESS


_ID = "([^/]+)"
_NETWORKS, _FIREWALLS = "/v2/networks", "/v2/firewalls"
_CLUSTERS = "/v2/kubernetes/clusters"
_POOLS = f"{_CLUSTERS}/{_ID}/pools"

# Method, path, and what answers: called with the call and the IDs in the path.
_ROUTES: list[tuple[str, str, Callable[..., Any]]] = [
    ("GET", "/v2/regions", lambda c: c.account.regions),
    ("GET", "/v2/sizes", lambda c: c.account.sizes),
    ("GET", "/v2/kubernetes/versions", lambda c: c.account.versions),
    ("GET", "/v2/quota", lambda c: c.account.quota()),
    ("GET", _NETWORKS, lambda c: [_network(one) for one in c.account.networks(c.region)]),
    ("POST", _NETWORKS, _create_network),
    ("GET", f"{_NETWORKS}/{_ID}", lambda c, one: _network(c.account.network(one))),
    ("DELETE", f"{_NETWORKS}/{_ID}", lambda c, one: _done(c.account.delete_network(one))),
    ("GET", _FIREWALLS, lambda c: [_firewall(one) for one in c.account.firewalls(c.region)]),
    ("POST", _FIREWALLS, _create_firewall),
    ("GET", f"{_FIREWALLS}/{_ID}", lambda c, one: _firewall(c.account.firewall(one))),
    ("DELETE", f"{_FIREWALLS}/{_ID}", lambda c, one: _done(c.account.delete_firewall(one))),
    ("GET", f"{_FIREWALLS}/{_ID}/rules", lambda c, one: c.account.firewall(one).rules),
    ("POST", f"{_FIREWALLS}/{_ID}/rules", _create_rule),
    (
        "DELETE",
        f"{_FIREWALLS}/{_ID}/rules/{_ID}",
        lambda c, one, rule: _done(c.account.delete_rule(one, rule)),
    ),
    ("GET", _CLUSTERS, _clusters),
    (
        "POST",
        _CLUSTERS,
        lambda c: _cluster(c.account, c.account.create_cluster(c.region, c.values)),
    ),
    ("GET", f"{_CLUSTERS}/{_ID}", lambda c, one: _cluster(c.account, c.account.cluster(one))),
    (
        "PUT",
        f"{_CLUSTERS}/{_ID}",
        lambda c, one: _cluster(c.account, c.account.update_cluster(one, c.values)),
    ),
    ("DELETE", f"{_CLUSTERS}/{_ID}", lambda c, one: _done(c.account.delete_cluster(one))),
    ("GET", f"{_CLUSTERS}/{_ID}/instances", _instances),
    ("GET", _POOLS, _pools),
    ("POST", _POOLS, lambda c, one: _pool(c.account, c.account.create_pool(one, c.values))),
    ("GET", f"{_POOLS}/{_ID}", lambda c, one, pool: _pool(c.account, c.account.pool(one, pool))),
    (
        "PUT",
        f"{_POOLS}/{_ID}",
        lambda c, one, pool: _pool(c.account, c.account.update_pool(one, pool, c.values)),
    ),
    ("DELETE", f"{_POOLS}/{_ID}", lambda c, one, pool: _done(c.account.delete_pool(one, pool))),
    (
        "DELETE",
        f"{_POOLS}/{_ID}/instances/{_ID}",
        lambda c, one, pool, node: _done(c.account.delete_instance(one, pool, node)),
    ),
]
