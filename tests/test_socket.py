"""Clients that misbehave on the socket: they get nothing, and nobody else notices."""

import json
import resource
import signal
import socket
import ssl
import struct
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import grpc
import pytest
import trustme
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from crossplane.function.proto.v1 import run_function_pb2_grpc as grpcv1

from running import request
from situations import ALL, cluster_xr
from test_server import SCRIPT, call, free_address, issue, secure_channel, serving

METHOD = "/apiextensions.fn.proto.v1.FunctionRunnerService/RunFunction"
SERVED = {"network", "firewall", "cluster"}


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def address(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run one server for all: whoever misbehaves must leave it to the others as it was."""
    # For a thousand connections, at both ends; many a shell allows fewer.
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = 4_096 if hard == resource.RLIM_INFINITY else min(hard, 4_096)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, allowed), hard))
    folder = tmp_path_factory.mktemp("certificates")
    issue(authority, folder)
    with serving([*SCRIPT, "--tls-server-certs-dir", str(folder)]) as address:
        with secure_channel(address, authority, authority) as channel:
            call(channel)  # It listens.
        yield address


@contextmanager
def served_throughout(address: str, authority: trustme.CA) -> Iterator[grpc.Channel]:
    """Check that a client is served before, after and anew: on its connection and on another."""
    with secure_channel(address, authority, authority) as channel:
        assert call(channel).desired.resources.keys() == SERVED
        yield channel
        assert call(channel).desired.resources.keys() == SERVED
    with secure_channel(address, authority, authority) as channel:
        assert call(channel).desired.resources.keys() == SERVED


def client_context(authority: trustme.CA) -> ssl.SSLContext:
    """Return what a client makes TLS connections with that gRPC accepts."""
    context = ssl.create_default_context()
    authority.configure_trust(context)
    authority.issue_cert("crossplane").configure_cert(context)
    context.set_alpn_protocols(["h2"])
    return context


def connect(address: str) -> socket.socket:
    host, port = address.split(":")
    return socket.create_connection((host, int(port)), timeout=10)


def test_an_expired_client_is_refused(address: str, authority: trustme.CA) -> None:
    yesterday = datetime.now(UTC) - timedelta(days=1)
    expired = authority.issue_cert(
        "crossplane", not_before=yesterday - timedelta(days=1), not_after=yesterday
    )
    credentials = grpc.ssl_channel_credentials(
        authority.cert_pem.bytes(),
        expired.private_key_pem.bytes(),
        expired.cert_chain_pems[0].bytes(),
    )
    options = [("grpc.ssl_target_name_override", "localhost")]
    with (
        served_throughout(address, authority),
        grpc.secure_channel(address, credentials, options) as channel,
        pytest.raises(grpc.RpcError) as refused,
    ):
        grpcv1.FunctionRunnerServiceStub(channel).RunFunction(request(cluster_xr()), timeout=5)
    assert refused.value.code() == grpc.StatusCode.UNAVAILABLE


@pytest.mark.parametrize(
    "greeting",
    [
        b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00",
        b"\x16\x03\x01\xff\xff" + b"\x00" * 100_000,
        bytes(range(256)) * 100,
    ],
    ids=["HTTP", "gRPC", "a TLS record of zeros", "all bytes"],
)
def test_plaintext_gets_no_answer(address: str, authority: trustme.CA, greeting: bytes) -> None:
    with served_throughout(address, authority), connect(address) as stranger:
        stranger.sendall(greeting)
        try:
            answer = stranger.recv(1000)
        except ConnectionResetError:
            answer = b""
        # At most a TLS alert, which says nothing.
        assert len(answer) <= 7


def test_an_oversized_message_is_refused_alone(address: str, authority: trustme.CA) -> None:
    with served_throughout(address, authority) as channel:
        run = grpcv1.FunctionRunnerServiceStub(channel).RunFunction
        with pytest.raises(grpc.RpcError) as refused:
            run(request(cluster_xr(region="x" * 5_000_000)), timeout=10)
        assert refused.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED

        largest = run(request(cluster_xr(region="x" * 4_000_000)), timeout=10)
        assert [result.severity for result in largest.results] == [fnv1.SEVERITY_FATAL]


def test_what_is_no_request_is_refused_alone(address: str, authority: trustme.CA) -> None:
    with served_throughout(address, authority) as channel:
        run: Callable[..., bytes] = channel.unary_unary(METHOD)
        for data in (b"\xff" * 100, b"\x0a\xff\xff\xff\xff\x0f", bytes(range(256))):
            with pytest.raises(grpc.RpcError) as refused:
                run(data, timeout=10)
            assert refused.value.code() in (grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN)


def test_connections_that_never_finish_their_handshake(address: str, authority: trustme.CA) -> None:
    hello = ssl.MemoryBIO()
    with pytest.raises(ssl.SSLWantReadError):
        client_context(authority).wrap_bio(
            ssl.MemoryBIO(), hello, server_hostname="localhost"
        ).do_handshake()
    half = hello.read()[:100]
    with served_throughout(address, authority), ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(connect(address)).sendall(half)
        with secure_channel(address, authority, authority) as channel:
            assert call(channel).desired.resources.keys() == SERVED


def test_a_thousand_idle_connections(address: str, authority: trustme.CA) -> None:
    context = client_context(authority)
    with served_throughout(address, authority), ExitStack() as stack:
        for _ in range(1_000):
            idle = context.wrap_socket(connect(address), server_hostname="localhost")
            stack.enter_context(idle)
        assert idle.selected_alpn_protocol() == "h2"
        with secure_channel(address, authority, authority) as channel:
            assert call(channel).desired.resources.keys() == SERVED


# HTTP/2 by hand, as no gRPC client would speak it [RFC 9113, RFC 7541].

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, SETTINGS, GOAWAY, WINDOW_UPDATE = 0, 1, 4, 7, 8
END_STREAM, END_HEADERS = 1, 4
INITIAL_WINDOW_SIZE = 4


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return struct.pack(">IBBI", len(payload), kind, flags, stream)[1:] + payload


def headers(stream: int) -> bytes:
    fields = {
        ":method": "POST",
        ":scheme": "https",
        ":path": METHOD,
        ":authority": "localhost",
        "content-type": "application/grpc",
        "te": "trailers",
    }
    texts = (text.encode() for field in fields.items() for text in field)
    lengths_first = [bytes([len(text)]) + text for text in texts]
    # A zero before every field: neither its name nor its value is in a table.
    pairs = zip(lengths_first[::2], lengths_first[1::2], strict=True)
    return frame(HEADERS, END_HEADERS, stream, b"".join(b"\0" + n + v for n, v in pairs))


def read_answers(connection: socket.socket, number: int) -> list[fnv1.RunFunctionResponse]:
    """Read until a number of streams have ended, and return the message of each."""
    data: defaultdict[int, bytes] = defaultdict(bytes)
    file = connection.makefile("rb")
    while number and (head := file.read(9)):
        length, kind, flags, stream = struct.unpack(">IBBI", b"\0" + head)
        payload = file.read(length)
        if kind == DATA:
            data[stream] += payload
        elif kind == HEADERS and flags & END_STREAM:
            number -= 1
    return [fnv1.RunFunctionResponse.FromString(one[5:]) for one in data.values()]


def test_calls_that_never_finish(address: str, authority: trustme.CA) -> None:
    """A thousand calls on ten connections: half of them end after the headers, half in the data."""
    context = client_context(authority)
    with served_throughout(address, authority), ExitStack() as stack:
        for _ in range(10):
            half = stack.enter_context(
                context.wrap_socket(connect(address), server_hostname="localhost")
            )
            half.sendall(PREFACE + frame(SETTINGS, 0, 0, b""))
            for stream in range(1, 200, 2):
                announced = struct.pack(">BI", 0, 1_000)
                half.sendall(headers(stream))
                if stream % 4 == 1:
                    half.sendall(frame(DATA, 0, stream, announced + b"x" * 10))
        with secure_channel(address, authority, authority) as channel:
            assert call(channel).desired.resources.keys() == SERVED


def test_a_reader_that_takes_its_time(address: str, authority: trustme.CA) -> None:
    """It makes a hundred calls with no room for answers; they wait for it, and only they."""
    message = request(cluster_xr()).SerializeToString()
    data = struct.pack(">BI", 0, len(message)) + message
    streams = range(1, 200, 2)
    context = client_context(authority)
    with (
        served_throughout(address, authority),
        context.wrap_socket(connect(address), server_hostname="localhost") as slow,
    ):
        no_room = struct.pack(">HI", INITIAL_WINDOW_SIZE, 0)
        slow.sendall(PREFACE + frame(SETTINGS, 0, 0, no_room))
        for stream in streams:
            slow.sendall(headers(stream) + frame(DATA, END_STREAM, stream, data))
        with secure_channel(address, authority, authority) as channel:
            assert call(channel).desired.resources.keys() == SERVED

        wider = struct.pack(">I", 1_000_000)
        slow.sendall(frame(WINDOW_UPDATE, 0, 0, wider))
        for stream in streams:
            slow.sendall(frame(WINDOW_UPDATE, 0, stream, wider))
        answers = read_answers(slow, len(streams))
    assert len(answers) == len(streams)
    assert all(answer.desired.resources.keys() == SERVED for answer in answers)


def test_a_connection_is_ended_in_time_and_no_call_is_lost() -> None:
    """Crossplane finds pods that were added since when one ends."""
    shortened = "from function import main; main.CONNECTION_AGE_MS = 200; main.cli()"
    with (
        serving([sys.executable, "-c", shortened, "--insecure"]) as address,
        grpc.insecure_channel(address) as channel,
    ):
        call(channel)
        for _ in range(3):
            with connect(address) as connection:
                connection.sendall(PREFACE + frame(SETTINGS, 0, 0, b""))
                file = connection.makefile("rb")
                kind = None
                while kind != GOAWAY:
                    # It times out where nothing comes any more.
                    length, kind = struct.unpack(">IB5x", b"\0" + file.read(9))
                    file.read(length)
                    assert call(channel).desired.resources.keys() == SERVED


def test_sigterm_under_load_loses_no_answer(tmp_path: Path) -> None:
    address = free_address()
    log = tmp_path / "log"
    with log.open("w") as written:
        server = subprocess.Popen([*SCRIPT, "--insecure", "--address", address], stdout=written)
    with grpc.insecure_channel(address) as channel:
        call(channel)
        run = grpcv1.FunctionRunnerServiceStub(channel).RunFunction
        calls = {}
        for number in range(500):
            asked = request(cluster_xr(), ALL)
            asked.meta.tag = f"call {number}"
            calls[asked.meta.tag] = run.future(asked, timeout=20)
        calls["call 20"].result()

        server.send_signal(signal.SIGTERM)

        codes = {tag: one.code() for tag, one in calls.items()}
    assert server.wait(timeout=10) == 0
    begun = {json.loads(line)["tag"] for line in log.read_text().splitlines()} - {""}
    answered = {tag for tag, code in codes.items() if code == grpc.StatusCode.OK}
    assert begun == answered, "what it began it finished, and told who asked"
    assert "call 20" in answered
    # CANCELLED is what gRPC says of calls that have arrived when it stops and aren't begun.
    refused = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED}
    counted = Counter(codes.values())
    assert counted.keys() <= {grpc.StatusCode.OK} | refused, counted
