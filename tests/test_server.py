"""The server, as Crossplane starts and calls it."""

import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
import trustme
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from crossplane.function.proto.v1 import run_function_pb2_grpc as grpcv1
from crossplane.function.proto.v1beta1 import run_function_pb2 as fnv1beta1
from crossplane.function.proto.v1beta1 import run_function_pb2_grpc as grpcv1beta1

from running import request
from situations import cluster_xr

SCRIPT = [str(Path(sys.executable).parent / "function")]
MODULE = [sys.executable, "-m", "function.main"]


def free_address() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{probe.getsockname()[1]}"


@contextmanager
def serving(command: list[str]) -> Iterator[str]:
    """Run the server, and yield its address once it listens."""
    address = free_address()
    server = subprocess.Popen([*command, "--address", address])
    try:
        yield address
    finally:
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=10) == 0, "SIGTERM ends it in good order"


def call(channel: grpc.Channel) -> fnv1.RunFunctionResponse:
    run = grpcv1.FunctionRunnerServiceStub(channel).RunFunction
    answer = run(request(cluster_xr()), timeout=10, wait_for_ready=True)
    assert isinstance(answer, fnv1.RunFunctionResponse)
    return answer


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def certificates(authority: trustme.CA, tmp_path: Path) -> Path:
    """Return a folder with the server's certificates, as Crossplane mounts them."""
    issue(authority, tmp_path)
    return tmp_path


def issue(authority: trustme.CA, folder: Path) -> None:
    certificate = authority.issue_cert("localhost")
    certificate.private_key_pem.write_to_path(str(folder / "tls.key"))
    certificate.cert_chain_pems[0].write_to_path(str(folder / "tls.crt"))
    authority.cert_pem.write_to_path(str(folder / "ca.crt"))


def secure_channel(address: str, trusted: trustme.CA, client: trustme.CA | None) -> grpc.Channel:
    certificate = client.issue_cert("crossplane") if client else None
    credentials = grpc.ssl_channel_credentials(
        root_certificates=trusted.cert_pem.bytes(),
        private_key=certificate.private_key_pem.bytes() if certificate else None,
        certificate_chain=certificate.cert_chain_pems[0].bytes() if certificate else None,
    )
    options = [("grpc.ssl_target_name_override", "localhost")]
    return grpc.secure_channel(address, credentials, options)


def test_answers_over_mtls_whom_the_authority_signed(
    authority: trustme.CA, certificates: Path
) -> None:
    with serving([*SCRIPT, "--tls-server-certs-dir", str(certificates)]) as address:
        with secure_channel(address, authority, authority) as channel:
            assert call(channel).desired.resources.keys() == {"network", "firewall", "cluster"}

        strangers = {"no certificate": None, "another authority's": trustme.CA()}
        for stranger in strangers.values():
            with secure_channel(address, authority, stranger) as channel:
                run = grpcv1.FunctionRunnerServiceStub(channel).RunFunction
                with pytest.raises(grpc.RpcError) as refused:
                    run(request(cluster_xr()), timeout=5)
                assert refused.value.code() == grpc.StatusCode.UNAVAILABLE
        with grpc.insecure_channel(address) as channel:
            run = grpcv1.FunctionRunnerServiceStub(channel).RunFunction
            with pytest.raises(grpc.RpcError):
                run(request(cluster_xr()), timeout=5)


def test_renewed_certificates_are_picked_up(authority: trustme.CA, certificates: Path) -> None:
    with serving([*SCRIPT, "--tls-server-certs-dir", str(certificates)]) as address:
        with secure_channel(address, authority, authority) as channel:
            call(channel)
            renewed = trustme.CA()
            issue(renewed, certificates)

            call(channel)
        with secure_channel(address, renewed, renewed) as channel:
            call(channel)

        # What is half written, or half there, leaves those in use.
        (certificates / "tls.key").write_text("half a key")
        with secure_channel(address, renewed, renewed) as channel:
            call(channel)
        (certificates / "ca.crt").unlink()
        with secure_channel(address, renewed, renewed) as channel:
            call(channel)

        issue(authority, certificates)
        with secure_channel(address, authority, authority) as channel:
            call(channel)


def test_the_module_answers_without_credentials_where_told_to() -> None:
    with serving([*MODULE, "--insecure"]) as address, grpc.insecure_channel(address) as channel:
        assert call(channel).desired.resources.keys() == {"network", "firewall", "cluster"}


def test_answers_the_beta_protocol_too() -> None:
    with serving([*SCRIPT, "--insecure"]) as address, grpc.insecure_channel(address) as channel:
        beta = fnv1beta1.RunFunctionRequest.FromString(request(cluster_xr()).SerializeToString())
        run = grpcv1beta1.FunctionRunnerServiceStub(channel).RunFunction

        answer = run(beta, timeout=10, wait_for_ready=True)

        assert answer.desired.resources.keys() == {"network", "firewall", "cluster"}


def fails(*arguments: str) -> str:
    """Return the one line with which the server refuses to start."""
    result = subprocess.run(
        [*SCRIPT, *arguments], capture_output=True, text=True, timeout=30, check=False
    )
    assert result.returncode == 1
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    return line


def test_no_credentials() -> None:
    address = free_address()

    line = fails("--address", address)

    assert line.startswith(f"Error: can't serve on {address}: no credentials were provided")


def test_certificates_that_are_not_there(tmp_path: Path) -> None:
    line = fails("--address", free_address(), "--tls-server-certs-dir", str(tmp_path))

    assert str(tmp_path / "tls.key") in line


def test_certificates_that_are_none(tmp_path: Path) -> None:
    for name in ("tls.crt", "tls.key", "ca.crt"):
        (tmp_path / name).write_text("none")

    line = fails("--address", free_address(), "--tls-server-certs-dir", str(tmp_path))

    assert line.endswith(f"is the address free, and are the certificates in {tmp_path} valid?")


def test_an_address_that_is_taken() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        address = f"127.0.0.1:{taken.getsockname()[1]}"

        assert fails("--insecure", "--address", address).endswith("is the address free?")


def test_a_second_server_does_not_share_the_address() -> None:
    with serving([*SCRIPT, "--insecure"]) as address, grpc.insecure_channel(address) as channel:
        call(channel)

        assert fails("--insecure", "--address", address).endswith("is the address free?")
