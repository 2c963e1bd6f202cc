"""The HTTP session with Civo's API: reads, within limits, and never lets the token out.

Everything that a server sends is taken for hostile. What it can make of this session is an
`APIError` whose words are our own, with an explanation of Civo's that went through
`untrusted.clean` and has no token in it.
"""

import json
import logging
import queue
import re
import threading
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlsplit

import requests
from urllib3.exceptions import InvalidHeader, LocationValueError, ProtocolError
from urllib3.util import Retry

from function import __version__, civo_errors, untrusted

# urllib3 logs what it makes of a malformed head, and with it whatever the server put there.
logging.getLogger("urllib3").setLevel(logging.CRITICAL)

_REDACTED = "[redacted]"
_CHUNK = 64 * 1024
_TOKEN = re.compile(r"[!-~]+")

_SET_KEY = "set CIVO_TOKEN to an API key of the account, from https://dashboard.civo.com/security"
_CHECK_ADDRESS = "check CIVO_API_URL, and whether this machine reaches it"
_TRY_LATER = "try again in a few minutes; https://status.civo.com tells whether Civo is down"


class APIError(Exception):
    """A question that Civo's API didn't answer."""

    def __init__(self, message: str, remedy: str) -> None:
        """Keep what happened and what to do about it."""
        super().__init__(message)
        self.message = message
        self.remedy = remedy


class HopelessError(APIError):
    """Why no question will be answered: there is nobody to ask, or nothing to ask with."""


class TokenRefusedError(HopelessError):
    """Civo doesn't accept the token."""


@dataclass(frozen=True)
class Limits:
    """How long a request may take, in seconds, and how much of it there may be."""

    connect: float = 5
    """For a connection."""
    read: float = 10
    """Between two bytes of the answer."""
    total: float = 20
    """For all: retries, their waits, an answer that comes in trickles."""
    attempts: int = 4
    """How often a question is asked that is answered with 429 or 5xx."""
    backoff: float = 0.5
    """The wait before the second attempt; it doubles from attempt to attempt."""
    wait: float = 8
    """The longest wait between two attempts, whatever Retry-After says."""
    body: int = 8 * 1024 * 1024
    """Bytes of an answer, unpacked."""


@dataclass(frozen=True)
class _Reply:
    status: int
    retry_after: str | None
    body: bytes

    @property
    def passing(self) -> bool:
        """Whether the same question may be answered later."""
        return self.status == requests.codes.too_many_requests or self.status >= 500


@dataclass(frozen=True)
class Answer:
    """What was answered, as the `civo` package expects it of `requests`."""

    data: Any

    def json(self) -> Any:
        """Return the answer as plain values."""
        return self.data


class Session:
    """Asks one API with one token."""

    def __init__(self, token: str, address: str, limits: Limits) -> None:
        """Prepare to ask; nothing is sent yet.

        Args:
            token: The API key.
            address: The URL of the API, such as `https://api.civo.com`, or what is set for it.
            limits: What a question may cost.

        Raises:
            HopelessError: The address isn't a URL, or the token can't be one.
        """
        # A line break at the end is what `$(cat file)` or an editor leaves.
        self._token = token.strip()
        self.address = address.strip().rstrip("/")
        self._limits = limits
        if not self._token:
            raise HopelessError("CIVO_TOKEN isn't set", _SET_KEY)
        if not _TOKEN.fullmatch(self._token):
            raise HopelessError("CIVO_TOKEN holds something that can't be a token", _SET_KEY)
        if not _is_address(self.address):
            raise HopelessError(
                "CIVO_API_URL isn't the address of an API",
                "set it to a URL such as https://api.civo.com, without a user, query or fragment, "
                "or unset it for Civo's public API",
            )
        self._answered = False
        self._requests = requests.Session()
        self._requests.headers["User-Agent"] = f"civocluster/{__version__}"
        # As `auth` and not as a header: else requests puts what ~/.netrc says in its place.
        self._requests.auth = self._authorize

    def close(self) -> None:
        """Close the connections."""
        self._requests.close()

    def get(
        self,
        url: str,
        headers: Mapping[str, str] | None = None,  # noqa: ARG002 - the package passes it
        params: Mapping[str, str] | None = None,
    ) -> Answer:
        """Ask, and ask again where that may help.

        Args:
            url: What to read.
            headers: Of no use here; the `civo` package passes its own.
            params: The query, on top of what the URL has of it.

        Raises:
            APIError: There is no answer, or it isn't JSON.
        """
        deadline = monotonic() + self._limits.total
        reply = self._within(deadline, url, params)
        for attempt in range(1, self._limits.attempts):
            wait = self._wait(attempt, reply.retry_after)
            if not reply.passing or monotonic() + wait >= deadline:
                break
            sleep(wait)
            reply = self._within(deadline, url, params)
        data = self._decoded(reply.body)
        if reply.status != requests.codes.ok:
            raise self._refusal(url, reply.status, data)
        if data is None:
            raise APIError(
                f"Civo's API answers {self._shown(url)} with something that isn't JSON",
                _CHECK_ADDRESS,
            )
        return Answer(data)

    def _authorize(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"bearer {self._token}"
        return request

    def _within(self, deadline: float, url: str, params: Mapping[str, str] | None) -> _Reply:
        """Return what the server answers to one request before the deadline.

        The timeouts of sockets start anew with every byte, and looking up a name has none: what
        takes too long goes on in a thread of its own, which nobody waits for.
        """
        replies: queue.SimpleQueue[_Reply | APIError] = queue.SimpleQueue()
        threading.Thread(target=lambda: replies.put(self._read(url, params)), daemon=True).start()
        reply: _Reply | APIError
        try:
            reply = replies.get(timeout=max(deadline - monotonic(), 0))
        except queue.Empty:
            reply = self._late()
        # Outside of any except clause, here and elsewhere: an exception keeps the one that was
        # being handled, and those of requests hold the request with its token.
        if isinstance(reply, APIError):
            raise reply
        self._answered = True
        return reply

    def _read(self, url: str, params: Mapping[str, str] | None) -> _Reply | APIError:
        """Return what the server answers to one request, or why it doesn't: raises nothing."""
        limits = self._limits
        try:
            with self._requests.get(
                url,
                params=params,
                stream=True,
                timeout=(limits.connect, limits.read),
                # An API that has moved is asked at its new address by hand, if at all: nobody
                # else gets the token.
                allow_redirects=False,
            ) as response:
                body = bytearray()
                for chunk in response.iter_content(_CHUNK):
                    body += chunk
                    if len(body) > limits.body:
                        return APIError(
                            f"Civo's API answers with more than {limits.body} bytes", _CHECK_ADDRESS
                        )
                retry_after = response.headers.get("Retry-After")
                return _Reply(response.status_code, retry_after, bytes(body))
        except requests.exceptions.SSLError:
            message = f"{self._shown(self.address)} has no TLS, or a certificate nobody trusts"
            return HopelessError(message, _CHECK_ADDRESS)
        except requests.ReadTimeout:
            return self._late()
        except (requests.ConnectionError, LocationValueError) as error:
            # Else something did answer, if only with half of an answer.
            if not any(isinstance(cause, ProtocolError) for cause in error.args):
                return HopelessError(f"can't reach {self._shown(self.address)}", _CHECK_ADDRESS)
        # Of hostile bytes come exceptions of many kinds, with these bytes in them.
        except Exception:  # noqa: S110
            pass
        return APIError("Civo's API answers with half an answer, or none of HTTP", _TRY_LATER)

    def _wait(self, attempt: int, retry_after: str | None) -> float:
        """Return how many seconds to wait after an attempt."""
        wait: float = self._limits.backoff * 2.0 ** (attempt - 1)
        if retry_after is not None:
            with suppress(InvalidHeader, ValueError, OverflowError):
                wait = Retry().parse_retry_after(retry_after)
        return min(wait, self._limits.wait)

    def _decoded(self, body: bytes) -> Any:
        """Return JSON as plain values without the token, None if it isn't JSON."""
        try:
            return self._redacted(json.loads(body))
        except (ValueError, RecursionError):
            return None

    def _redacted(self, value: Any) -> Any:
        if isinstance(value, str):
            return value.replace(self._token, _REDACTED)
        if isinstance(value, list):
            return [self._redacted(item) for item in value]
        if isinstance(value, dict):
            return {self._redacted(key): self._redacted(item) for key, item in value.items()}
        return value

    def _refusal(self, url: str, status: int, data: Any) -> APIError:
        """Return the error for a status that isn't 200."""
        said = data if isinstance(data, dict) else {}
        code, reason = (str(said.get(key) or "") for key in ("code", "reason"))
        words = untrusted.clean(": ".join(part for part in (code, reason) if part))
        answer = f"HTTP {status}" + (f", {words}" if words else "")
        known = civo_errors.find(code)
        if status == requests.codes.unauthorized or (known and known.reason == "Unauthenticated"):
            return TokenRefusedError(f"Civo doesn't accept the token ({answer})", _SET_KEY)
        if status == requests.codes.too_many_requests:
            return APIError(f"Civo's API is asked too often ({answer})", _TRY_LATER)
        if status >= 500:
            return APIError(f"Civo's API fails ({answer})", _TRY_LATER)
        if known:
            return APIError(f"{known.cause} ({answer})", known.remedy)
        if 300 <= status < 400:
            message = f"{self._shown(self.address)} redirects, which isn't followed ({answer})"
            return APIError(message, "set CIVO_API_URL to the address that it redirects to")
        return APIError(f"Civo's API refuses {self._shown(url)} ({answer})", _CHECK_ADDRESS)

    def _late(self) -> APIError:
        message = f"{self._shown(self.address)} doesn't answer in time"
        # Who hasn't answered anything yet won't: seven questions would take seven times as long.
        kind = APIError if self._answered else HopelessError
        return kind(message, _TRY_LATER)

    def _shown(self, url: str) -> str:
        return untrusted.clean(url.replace(self._token, _REDACTED))


def _is_address(text: str) -> bool:
    """Return whether a text is the URL of an API."""
    if not re.fullmatch(r"[!-~]+", text) or "?" in text or "#" in text or "@" in text:
        return False
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
