"""The API's errors."""

import json


class Refused(Exception):  # noqa: N818 - an answer of the API, no error of the server
    """A request that the API refuses."""

    def __init__(self, status: int, code: str, reason: str) -> None:
        """Keep the HTTP status, and Civo's code with its explanation."""
        super().__init__(code)
        self.status = status
        self.body = body(code, reason)


def body(code: str, reason: str) -> bytes:
    """Return the body of an error."""
    return json.dumps({"code": code, "reason": reason, "result": "failed"}).encode()


def not_found(kind: str) -> Refused:
    """Return the error for a thing that isn't there, such as a `network`."""
    return Refused(404, f"database_{kind}_not_found", f"Failed to find the {kind}")
