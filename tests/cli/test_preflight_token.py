"""The token stays where it belongs, whatever the server says and wherever it points."""

import json
import logging
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from asking import TOKEN
from civo_api import CivoAPIServer, Fault, offers
from function.cli.civo import Civo
from function.cli.session import APIError, Limits

ESCAPED = "".join(f"\\u{ord(char):04x}" for char in TOKEN)
QUOTA = {key: 1 for prefix in offers.QUOTA for key in (f"{prefix}_limit", f"{prefix}_usage")}

XR = {
    "apiVersion": "infrastructure.modelplane.ai/v1alpha1",
    "kind": "CivoCluster",
    "metadata": {"name": "inference", "namespace": "ml"},
    "spec": {
        "region": "LON9",
        "kubernetesVersion": "1.34.9-k3s1",
        "nodePools": [{"name": "workers", "role": "System", "size": "g4p.kube.smal"}],
    },
}


@dataclass(frozen=True)
class Case:
    reason: str
    fault: Fault


def raw(head: str, body: str = "[]") -> Fault:
    return Fault(raw=f"HTTP/1.1 {head}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode())


NAMED = {"code": TOKEN, "name": TOKEN, "label": TOKEN, "version": TOKEN, "type": TOKEN}
SIZE = offers.size("g4p.kube.small", 1, 1, 1) | {"gpu_count": 1, "gpu_type": TOKEN}

ECHOES = {
    "code": Case("an error's code", Fault.refusal(403, TOKEN)),
    "reason": Case("an error's words", Fault.refusal(400, "x", f"bearer {TOKEN} isn't good")),
    "401": Case("the error for the token itself", Fault.refusal(401, "x", f"not {TOKEN}")),
    "500": Case("an error that is tried again", Fault.refusal(500, "x", TOKEN)),
    "escaped": Case(
        "JSON can spell it differently",
        Fault(400, f'{{"code": "x", "reason": "{ESCAPED}"}}'.encode()),
    ),
    "code of objects": Case("no text at all", Fault(400, json.dumps({"code": NAMED}).encode())),
    "page": Case("what isn't JSON", Fault(500, f"<p>{TOKEN}</p>".encode())),
    "half": Case("what comes before the end", Fault(content=f'["{TOKEN}'.encode(), missing=9)),
    "status line": Case("the reason in the status line", raw(f"400 {TOKEN}")),
    "no status line": Case("an exception holds it", Fault(raw=f"{TOKEN}\r\n\r\n".encode())),
    "bad header": Case("a log holds it", raw(f"200 OK\r\n{TOKEN}\r\nA: b")),
    "bad length": Case("an exception holds it", raw(f"200 OK\r\nContent-Length: {TOKEN}")),
    "bad chunk": Case(
        "an exception holds it",
        Fault(raw=f"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{TOKEN}\r\n".encode()),
    ),
    "bad encoding": Case("a header", raw(f"200 OK\r\nContent-Encoding: {TOKEN}")),
    "wait": Case("a header", Fault(429, headers={"Retry-After": TOKEN})),
    "redirect": Case("a header", Fault(302, headers={"Location": f"/{TOKEN}"})),
    "cookie": Case("a header", Fault(200, b"[]", {"Set-Cookie": f"a={TOKEN}"})),
    "names": Case("what is listed", Fault.json([NAMED])),
    "sizes": Case("what a size is made of", Fault.json([SIZE, SIZE | {"name": TOKEN}])),
    "regions": Case(
        "what is suggested",
        Fault.json([offers.region(TOKEN, TOKEN), offers.region(f"LON-{TOKEN}", "x")]),
    ),
    "versions": Case(
        "what is suggested",
        Fault.json([offers.version(f"1.34-{TOKEN}", TOKEN, default=True)]),
    ),
    "keys": Case("where it shouldn't be", Fault.json({TOKEN: TOKEN})),
    "page of clusters": Case("a number's place", Fault.json({"pages": TOKEN, "items": [NAMED]})),
    "numbers": Case("a number's place", Fault.json(QUOTA | {"cpu_core_limit": TOKEN})),
}


PATHS = {
    "/v2/regions",
    "/v2/sizes",
    "/v2/kubernetes/versions",
    "/v2/quota",
    "/v2/kubernetes/clusters",
    "/v2/networks",
    "/v2/firewalls",
}

COMMANDS = [
    ["preflight", "xr"],
    ["preflight", "xr", "--output", "json"],
    ["regions"],
    ["sizes"],
    ["versions", "--output", "json"],
]


@pytest.fixture
def logged(caplog: pytest.LogCaptureFixture) -> Iterator[Callable[[], str]]:
    """Return what gives all that was logged, at whatever level."""
    with caplog.at_level(logging.DEBUG):
        yield lambda: caplog.text


@pytest.mark.parametrize("case", ECHOES.values(), ids=ECHOES)
def test_output(
    case: Case,
    civo_server: CivoAPIServer,
    civocluster: Any,
    logged: Callable[[], str],
    capfd: pytest.CaptureFixture[str],
) -> None:
    """No command prints or logs it."""
    # First of all but the regions, so that the other questions are asked as well.
    for paths in (PATHS - {"/v2/regions"}, PATHS):
        for path in paths:
            civo_server.inject(path, case.fault)
        for command in COMMANDS:
            result = civocluster(*command, xr=XR)
            assert result.output, case.reason
            assert TOKEN not in result.output + str(result.exception), case.reason
            assert isinstance(result.exception, SystemExit | None), case.reason
    assert TOKEN not in logged() + "".join(capfd.readouterr()), case.reason
    assert {request.authorization for request in civo_server.requests} == {f"bearer {TOKEN}"}


QUESTIONS: dict[str, Callable[[Civo], object]] = {
    "regions": lambda civo: civo.regions(),
    "sizes": lambda civo: civo.sizes("LON1"),
    "versions": lambda civo: civo.versions("LON1"),
    "quota": lambda civo: civo.quota("LON1"),
    "clusters": lambda civo: civo.clusters("LON1"),
    "networks": lambda civo: civo.networks("LON1"),
    "firewalls": lambda civo: civo.firewalls("LON1"),
}


@pytest.mark.parametrize("case", ECHOES.values(), ids=ECHOES)
def test_exceptions(case: Case, civo_server: CivoAPIServer) -> None:
    """No exception holds it, nor a request with it in a header."""
    civo_server.inject("*", case.fault)
    with Civo(TOKEN, civo_server.url, Limits(total=5, attempts=1)) as civo:
        for question in QUESTIONS.values():
            found: object = None
            hanging: tuple[BaseException | None, ...] = ()
            try:
                found = question(civo)
            except APIError as error:
                found = "".join(traceback.format_exception(error)), vars(error)
                hanging = error.__cause__, error.__context__
            assert TOKEN not in repr(found), case.reason
            assert not any(hanging), "exceptions of requests hold the request"


def test_redirects(civo_server: CivoAPIServer) -> None:
    """Another host is never asked, so it gets no token."""
    with CivoAPIServer("another") as other:
        for status in (301, 302, 303, 307, 308):
            civo_server.inject(
                "/v2/quota", Fault(status, headers={"Location": f"{other.url}/v2/quota"})
            )
            with Civo(TOKEN, civo_server.url) as civo, pytest.raises(APIError, match="redirects"):
                civo.quota("LON1")
        assert other.requests == []


def test_netrc(civo_server: CivoAPIServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """What a .netrc says of the host doesn't take the token's place."""
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password mine\n")
    monkeypatch.setenv("NETRC", str(netrc))
    with Civo(TOKEN, civo_server.url) as civo:
        civo.regions()
    assert [request.authorization for request in civo_server.requests] == [f"bearer {TOKEN}"]


BAD_TOKENS = {
    "of two lines": "hush\r\nX-Injected: yes",
    "not ASCII": "hüsh",
    "with a space": "hush hush",
}


@pytest.mark.parametrize("token", BAD_TOKENS.values(), ids=BAD_TOKENS)
def test_no_token_at_all(
    token: str, civo_server: CivoAPIServer, civocluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What can't be a token isn't sent, and isn't shown either: it may be one gone wrong."""
    monkeypatch.setenv("CIVO_TOKEN", token)
    result = civocluster("regions")
    assert "CIVO_TOKEN holds something that can't be a token" in result.output
    assert not set(token.split()) & set(result.output.split())
    assert (result.exit_code, civo_server.requests) == (2, [])


def test_line_break(
    civo_server: CivoAPIServer, civocluster: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A token read from a file ends with a line break, which is none of it."""
    monkeypatch.setenv("CIVO_TOKEN", f"{TOKEN}\n")
    assert civocluster("regions").exit_code == 0
    assert civo_server.requests[0].authorization == f"bearer {TOKEN}"


def test_in_the_address(civocluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A token pasted into the address as well isn't shown as part of that."""
    monkeypatch.setenv("CIVO_TOKEN", TOKEN)
    monkeypatch.setenv("CIVO_API_URL", f"http://127.0.0.1:9/{TOKEN}")
    result = civocluster("regions")
    assert "can't reach http://127.0.0.1:9/[redacted]" in result.output
