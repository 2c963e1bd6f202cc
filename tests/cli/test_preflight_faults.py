"""What the preflight makes of an API that is late, broken or none of Civo's."""

import json
import socket
from dataclasses import dataclass
from time import monotonic
from typing import Any

import pytest
import requests
from civo import networks as civo_networks  # type: ignore[import-untyped]
from civo import size as civo_size

from asking import IMPATIENT, TOKEN
from civo_api import CivoAPIServer, Fault
from function.cli import session
from function.cli.civo import Civo
from function.cli.session import APIError

XR: dict[str, Any] = {
    "apiVersion": "infrastructure.modelplane.ai/v1alpha1",
    "kind": "CivoCluster",
    "metadata": {"name": "inference", "namespace": "ml"},
    "spec": {
        "region": "LON1",
        "nodePools": [{"name": "workers", "role": "System", "size": "g4p.kube.small"}],
    },
}
# Checks by the question that they need an answer to.
CHECKS = {
    "/v2/regions": ["region"],
    "/v2/sizes": ["size of system", "size of nodePools[0]"],
    "/v2/kubernetes/versions": ["Kubernetes version"],
    "/v2/quota": ["quota"],
    "/v2/kubernetes/clusters": ["name of cluster"],
    "/v2/networks": ["name of network"],
    "/v2/firewalls": ["name of firewall"],
}


@dataclass(frozen=True)
class Case:
    reason: str
    fault: Fault
    said: str
    """Part of the message."""
    todo: str
    """Part of the remedy."""


LATER = "try again in a few minutes"
ADDRESS = "check CIVO_API_URL"
NOT_CIVO = "check that CIVO_API_URL is the address of Civo's API"

FAULTS = {
    "429": Case("asked too often", Fault.refusal(429, "rate_limit"), "asked too often", LATER),
    "500": Case("broken", Fault.refusal(500, "internal_server_error"), "fails (HTTP 500", LATER),
    "503 of a proxy": Case("a page", Fault.html(503), "fails (HTTP 503)", LATER),
    "403": Case(
        "the token may not ask",
        Fault.refusal(403, "forbidden", "Not\nyours\x1b[31m"),
        "(HTTP 403, forbidden: Not yours)",
        ADDRESS,
    ),
    "404": Case("another server", Fault.html(404), "(HTTP 404)", ADDRESS),
    "known code": Case(
        "the table of codes knows it",
        Fault.refusal(400, "region_unavailable"),
        "no capacity left (HTTP 400",
        "`civocluster regions` lists",
    ),
    "redirect": Case(
        "nobody else gets the token",
        Fault(302, headers={"Location": "https://example.com/v2"}),
        "redirects",
        "set CIVO_API_URL",
    ),
    "slow": Case("no byte in time", Fault(delay=2), "doesn't answer in time", LATER),
    "trickle": Case("bytes without end", Fault.trickle(0.02), "doesn't answer in time", LATER),
    "half": Case("the connection breaks", Fault.half(), "half an answer", LATER),
    "no HTTP": Case("another protocol", Fault(raw=b"SSH-2.0-x\r\n"), "none of HTTP", LATER),
    "no answer": Case("the connection is closed", Fault(raw=b""), "half an answer", LATER),
    "bad packing": Case(
        "what is said to be gzip isn't",
        Fault(content=b"{}", headers={"Content-Encoding": "gzip"}),
        "half an answer",
        LATER,
    ),
    "HTML": Case("a page in place of JSON", Fault.html(), "isn't JSON", ADDRESS),
    "no UTF-8": Case(
        "bytes in place of JSON", Fault(content=b"\xff\xfe\xfd"), "isn't JSON", ADDRESS
    ),
    "too deep": Case("JSON without end", Fault(content=b"[" * 90_000), "isn't JSON", ADDRESS),
    "empty": Case("nothing", Fault(), "isn't JSON", ADDRESS),
    "too much": Case("more than fits", Fault(content=b" " * 1_000_001), "more than", ADDRESS),
    "error as data": Case(
        "an error with status 200",
        Fault.json({"code": "x", "reason": "y", "result": "failed"}),
        "with something else",
        NOT_CIVO,
    ),
    "list of the wrong things": Case(
        "a list of numbers", Fault.json([1, 2]), "with something else", NOT_CIVO
    ),
    "text": Case("a text", Fault.json("none"), "with something else", NOT_CIVO),
    "null": Case("null is no answer", Fault(content=b"null"), "isn't JSON", ADDRESS),
}


SLOW = {"slow", "trickle"}
FAULTS_BY_PATH = [
    pytest.param(case, path, id=f"{name} at {path}")
    for name, case in FAULTS.items()
    if name not in SLOW
    for path in CHECKS
]
# On a question asked by way of the package, and on another.
SLOW_BY_PATH = [
    pytest.param(FAULTS[name], path, id=f"{name} at {path}")
    for name in sorted(SLOW)
    for path in ("/v2/sizes", "/v2/quota")
]


@pytest.mark.parametrize(("case", "path"), SLOW_BY_PATH)
@pytest.mark.usefixtures("impatient")
def test_one_slow_question(
    case: Case, path: str, civo_server: CivoAPIServer, civocluster: Any
) -> None:
    """A question that is answered too late is given up within its limit."""
    begun = monotonic()
    test_one_question(case, path, civo_server, civocluster)
    assert monotonic() - begun < 3 * IMPATIENT.total, case.reason


@pytest.mark.parametrize(("case", "path"), FAULTS_BY_PATH)
def test_one_question(case: Case, path: str, civo_server: CivoAPIServer, civocluster: Any) -> None:
    """A question without an answer is told; the others are asked all the same."""
    civo_server.inject(path, case.fault)
    result = civocluster("preflight", "xr", "--output", "json", xr=XR)
    checks = json.loads(result.output)["checks"]
    unknown = {check["name"]: check for check in checks if check["verdict"] != "ok"}
    quotas = {name for name in unknown if name.startswith("quota of")}
    assert unknown.keys() - quotas == set(CHECKS[path]), case.reason
    assert bool(quotas) == (path == "/v2/sizes"), "what nodes take depends on their sizes"
    for name in CHECKS[path]:
        assert unknown[name]["verdict"] == "unknown", case.reason
        assert case.said in unknown[name]["message"], case.reason
        assert case.todo in unknown[name]["remedy"], case.reason
    assert result.exit_code == 2, case.reason


REFUSED = {
    "401": Fault.refusal(401, "requires_authentication"),
    "401 without a word": Fault(401),
    "unknown account": Fault.refusal(404, "database_account_not_found"),
}


@pytest.mark.parametrize("fault", REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("path", CHECKS)
def test_token_refused(
    fault: Fault, path: str, civo_server: CivoAPIServer, civocluster: Any
) -> None:
    """A token that isn't accepted is a verdict, and nothing is asked any more."""
    civo_server.inject(path, fault)
    result = civocluster("preflight", "xr", "--output", "json", xr=XR)
    access = next(
        check for check in json.loads(result.output)["checks"] if check["name"] == "access"
    )
    assert access["verdict"] == "fail"
    assert "doesn't accept the token (HTTP" in access["message"]
    assert "set CIVO_TOKEN" in access["remedy"]
    assert civo_server.requests[-1].path == path
    assert result.exit_code == 1


def closed_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


ENVIRONMENTS = {
    "no token": ("CIVO_TOKEN", "", "CIVO_TOKEN isn't set", "set CIVO_TOKEN"),
    "no token but space": ("CIVO_TOKEN", " \n", "CIVO_TOKEN isn't set", "set CIVO_TOKEN"),
    "two tokens": ("CIVO_TOKEN", "one\ntwo", "can't be a token", "set CIVO_TOKEN"),
    "nobody there": ("CIVO_API_URL", "http://127.0.0.1:{port}", "can't reach http", "CIVO_API_URL"),
    "no TLS": ("CIVO_API_URL", "https{url}", "has no TLS", "CIVO_API_URL"),
    "no such host": ("CIVO_API_URL", "http://civo.invalid", "can't reach", "CIVO_API_URL"),
    "no host's name": ("CIVO_API_URL", "http://a..b", "can't reach", "CIVO_API_URL"),
    "another scheme": ("CIVO_API_URL", "ftp://127.0.0.1", "isn't the address", "https://api"),
    "no URL": ("CIVO_API_URL", "api.civo.com", "isn't the address", "https://api.civo.com"),
    "no port": ("CIVO_API_URL", "http://127.0.0.1:http", "isn't the address", "https://api"),
    "a user": (
        "CIVO_API_URL",
        "http://me:pass@127.0.0.1",  # pragma: allowlist secret
        "isn't the address",
        "https://api",
    ),
    "a query": ("CIVO_API_URL", "http://127.0.0.1/?a=b", "isn't the address", "https://api"),
}


@pytest.mark.parametrize(("name", "value", "said", "todo"), ENVIRONMENTS.values(), ids=ENVIRONMENTS)
def test_environment(  # noqa: PLR0917
    name: str,
    value: str,
    said: str,
    todo: str,
    civo_server: CivoAPIServer,
    civocluster: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without somebody to ask nobody can tell; it is said once what to do about that."""
    address = civo_server.url.removeprefix("http")
    monkeypatch.setenv(name, value.format(port=closed_port(), url=address))
    result = civocluster("preflight", "xr", "--output", "json", xr=XR)
    checks = {check["name"]: check for check in json.loads(result.output)["checks"]}
    assert said in checks["access"]["message"]
    assert todo in checks["access"]["remedy"]
    assert "me:pass" not in result.output
    assert checks.pop("manifest")["verdict"] == "ok"
    assert {check["verdict"] for check in checks.values()} == {"unknown"}
    assert [name for name, check in checks.items() if check["remedy"]] == ["access"]
    assert (result.exit_code, civo_server.requests) == (2, [])


@pytest.mark.usefixtures("civo_server")
def test_mistakes_without_token(civocluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is wrong with the manifest itself is told without Civo."""
    monkeypatch.delenv("CIVO_TOKEN")
    result = civocluster("preflight", "xr", xr=XR | {"spec": XR["spec"] | {"colour": "red"}})
    assert "spec.colour: is no field of the API" in result.output
    assert "CIVO_TOKEN isn't set" in result.output
    assert result.exit_code == 1


@dataclass(frozen=True)
class Retry:
    reason: str
    fault: Fault
    times: int | None
    waits: list[float]
    good: bool


RETRIES = {
    "500 once": Retry("it may pass", Fault.refusal(500, "x"), 1, [0.1], good=True),
    "500 thrice": Retry("waits double", Fault.html(502), 3, [0.1, 0.2, 0.4], good=True),
    "500 for ever": Retry("there is an end", Fault.html(502), None, [0.1, 0.2, 0.4], good=False),
    "429, told when": Retry(
        "the server knows", Fault.refusal(429, "x", Retry_After="2"), 1, [2], good=True
    ),
    "429, told too much": Retry(
        "nobody waits so long", Fault.refusal(429, "x", Retry_After="86400"), 1, [4], good=True
    ),
    "429, told a date": Retry(
        "a date in the past",
        Fault.refusal(429, "x", Retry_After="Wed, 21 Oct 2015 07:28:00 GMT"),
        1,
        [0],
        good=True,
    ),
    "429, told nonsense": Retry(
        "our own wait then", Fault.refusal(429, "x", Retry_After="soon"), 1, [0.1], good=True
    ),
    "429, told more than time": Retry(
        "the time for the request would be over",
        Fault.refusal(429, "x", Retry_After="3"),
        None,
        [3, 3, 3],
        good=False,
    ),
    "403": Retry("it stays so", Fault.refusal(403, "x"), 1, [], good=False),
    "half": Retry("a broken answer isn't asked for again", Fault.half(), 1, [], good=False),
}


@pytest.mark.parametrize("case", RETRIES.values(), ids=RETRIES)
def test_retries(case: Retry, civo_server: CivoAPIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(session, "sleep", waits.append)
    civo_server.inject("/v2/quota", case.fault, case.times)
    limits = session.Limits(connect=1, read=1, total=9, backoff=0.1, wait=4)
    with Civo(TOKEN, civo_server.url, limits) as civo:
        if case.good:
            assert civo.quota("LON1").cpu_core_limit == 96, case.reason
        else:
            with pytest.raises(APIError):
                civo.quota("LON1")
    assert waits == case.waits, case.reason
    assert len(civo_server.requests) == len(waits) + 1, case.reason


def test_retries_within_time(civo_server: CivoAPIServer) -> None:
    """A wait that would take longer than the request may isn't begun."""
    civo_server.inject("*", Fault.refusal(503, "x", Retry_After="5"))
    begun = monotonic()
    with (
        Civo(TOKEN, civo_server.url, session.Limits(total=1)) as civo,
        pytest.raises(APIError, match="HTTP 503"),
    ):
        civo.regions()
    assert monotonic() - begun < 1
    assert len(civo_server.requests) == 1


@pytest.mark.usefixtures("impatient")
def test_nothing_in_time(civo_server: CivoAPIServer, civocluster: Any) -> None:
    """Who is late with the first answer isn't waited for a second time."""
    civo_server.inject("*", Fault(delay=30))
    begun = monotonic()
    result = civocluster("preflight", "xr", "--output", "json", xr=XR)
    assert monotonic() - begun < 2 * IMPATIENT.total
    checks = {check["name"]: check for check in json.loads(result.output)["checks"]}
    assert "doesn't answer in time" in checks["access"]["message"]
    assert LATER in checks["access"]["remedy"]
    assert [request.path for request in civo_server.requests] == ["/v2/regions"]
    assert result.exit_code == 2


def test_no_region(civo_server: CivoAPIServer, civocluster: Any) -> None:
    """Without a region nobody can tell; what the manifest wants is asked for all the same."""
    civo_server.inject("/v2/regions", Fault.json([]))
    result = civocluster("preflight", "xr", xr=XR)
    assert "Civo's API has no region at all" in result.output
    assert {one.query.get("region") for one in civo_server.requests[1:]} == {"LON1"}
    assert result.exit_code == 2


def test_package_as_before(civo_server: CivoAPIServer) -> None:
    """Whether a question is answered or not, the package has its own requests afterwards."""
    civo_server.inject("/v2/networks", Fault.html(404))
    with Civo(TOKEN, civo_server.url) as civo:
        civo.sizes("LON1")
        with pytest.raises(APIError):
            civo.networks("LON1")
    assert vars(civo_size)["requests"] is vars(civo_networks)["requests"] is requests


def test_pages_without_end(civo_server: CivoAPIServer) -> None:
    """An API that always has another page is left at some point."""
    civo_server.inject("/v2/kubernetes/clusters", Fault.json({"pages": 10**9, "items": []}))
    with (
        Civo(TOKEN, civo_server.url) as civo,
        pytest.raises(APIError, match="more than 100 pages"),
    ):
        civo.clusters("LON1")
    assert len(civo_server.requests) == 100
