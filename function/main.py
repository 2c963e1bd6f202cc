"""The gRPC server that Crossplane calls."""

import os

# It would say in lines of its own what the exception says too.
os.environ.setdefault("GRPC_VERBOSITY", "NONE")

import click
import grpc
from crossplane.function import cli as sdkcli
from crossplane.function import logging, runtime

from function import __version__, fn
from function.certificates import Certificates

_MIB = 1024 * 1024
# How long a connection lasts, give or take a tenth; calls on it are finished first. Crossplane
# looks for a function's pods when a connection ends: else it would never find new replicas.
CONNECTION_AGE_MS = 10 * 60 * 1000


@click.command(epilog="Example: function --insecure --address localhost:9443")
@sdkcli.standard_options
@click.version_option(__version__, prog_name="function")
def cli(  # noqa: PLR0913 - the SDK's standard options
    *,
    debug: bool,
    address: str,
    tls_certs_dir: str | None,
    insecure: bool,
    max_recv_message_size: int,
    max_send_message_size: int | None,
) -> None:
    """Serve the CivoCluster composition function over gRPC, with mTLS unless --insecure."""
    logging.configure(logging.Level.DEBUG if debug else logging.Level.INFO)
    try:
        runtime.serve(
            fn.FunctionRunner(),
            address,
            creds=_credentials(None if insecure else tls_certs_dir),  # type: ignore[arg-type]
            insecure=insecure,
            # The SDK's own runner leaves SO_REUSEPORT on: a second server on a port that is taken
            # would start, and get some of the calls.
            options=[
                ("grpc.so_reuseport", 0),
                ("grpc.max_connection_age_ms", CONNECTION_AGE_MS),
                ("grpc.max_receive_message_length", max_recv_message_size * _MIB),
                (
                    "grpc.max_send_message_length",
                    (max_send_message_size or max_recv_message_size) * _MIB,
                ),
            ],
        )
    except RuntimeError as error:  # All that gRPC says of whatever is wrong.
        certs = f", and are the certificates in {tls_certs_dir} valid" if tls_certs_dir else ""
        message = f"can't serve on {address}: is the address free{certs}?"
        raise click.ClickException(message) from error
    except (OSError, ValueError) as error:
        raise click.ClickException(f"can't serve on {address}: {error}") from error


def _credentials(folder: str | None) -> grpc.ServerCredentials | None:
    # The SDK's own credentials would serve the certificates of the start for ever.
    return Certificates(folder).credentials() if folder else None


if __name__ == "__main__":
    cli()
