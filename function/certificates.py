"""The server's mTLS certificates, which Crossplane may renew while the server runs."""

from pathlib import Path

import grpc


class Certificates:
    """Reads `tls.crt`, `tls.key` and `ca.crt` in a folder, anew when they have changed."""

    def __init__(self, folder: str) -> None:
        """Read the certificates.

        Raises:
            OSError: One of the files can't be read.
        """
        self._folder = Path(folder)
        self._read = self._files()

    def credentials(self) -> grpc.ServerCredentials:
        """Return credentials that ask at every handshake whether the certificates changed."""
        return grpc.dynamic_ssl_server_credentials(
            _configuration(self._read),
            self._renewed,  # type: ignore[arg-type] # None is documented
            require_client_authentication=True,
        )

    def _renewed(self) -> grpc.ServerCertificateConfiguration | None:
        """Return the certificates if they changed, None to go on with those in use.

        gRPC goes on with those too where the new ones don't fit together: caught while they were
        being written, they are read again at the next handshake.
        """
        try:
            files = self._files()
        except OSError:
            return None
        if files == self._read:
            return None
        self._read = files
        return _configuration(files)

    def _files(self) -> tuple[bytes, bytes, bytes]:
        key, certificate, authority = (
            (self._folder / name).read_bytes() for name in ("tls.key", "tls.crt", "ca.crt")
        )
        return key, certificate, authority


def _configuration(files: tuple[bytes, bytes, bytes]) -> grpc.ServerCertificateConfiguration:
    key, certificate, authority = files
    return grpc.ssl_server_certificate_configuration([(key, certificate)], authority)
