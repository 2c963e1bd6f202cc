"""Faults of the API, on demand: what it answers in place of the right thing."""

import json
from dataclasses import dataclass, field
from typing import Any, Self

from civo_api.errors import body


@dataclass(frozen=True)
class Fault:
    """An answer as it shouldn't be."""

    status: int = 200
    content: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    missing: int = 0
    """How many bytes of the content that the head promises never come."""
    delay: float = 0
    """Seconds before the first byte."""
    pause: float = 0
    """Seconds after every byte."""
    raw: bytes | None = None
    """All there is to send, in place of a head and a body."""

    @classmethod
    def refusal(cls, status: int, code: str, reason: str = "Refused", **headers: str) -> Self:
        """Return an error as the API words its errors, `Retry_After="1"` for a header."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return cls(status=status, content=body(code, reason), headers=named)

    @classmethod
    def json(cls, value: Any) -> Self:
        """Return a value as the answer, whatever was asked."""
        return cls(content=json.dumps(value).encode())

    @classmethod
    def html(cls, status: int = 200) -> Self:
        """Return a page as proxies and load balancers serve it."""
        page = b"<html><body><h1>Bad gateway</h1></body></html>"
        return cls(status=status, content=page, headers={"Content-Type": "text/html"})

    @classmethod
    def half(cls) -> Self:
        """Return an answer that ends in its middle."""
        return cls(content=b'[{"name": "an.g1.l40s', missing=1000)

    @classmethod
    def trickle(cls, pause: float) -> Self:
        """Return an answer that comes byte by byte and has no end in sight."""
        return cls(content=b" " * 100_000, pause=pause)
