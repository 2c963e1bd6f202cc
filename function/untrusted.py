"""Text of others, made fit to be shown: messages of providers and of Civo's API."""

import re

_LENGTH_MAX = 300
# More isn't looked at: a bound on the work that hostile text can make.
_READ_MAX = 3000

# Of what a token is made: such a run with both a letter and a digit in it is taken for one. A
# UUID has hyphens and stays, for people look things up by it.
_TOKEN = re.compile(r"[A-Za-z0-9_+/=]{24,}")
_LABELLED = re.compile(
    r"(?i)\b((?:bearer|basic)\s+|(?:token|password|api[-_ ]?key)[\"']?\s*[:=]\s*[\"']?)"
    r"[^\s\"',;]{8,}"
)
_ESCAPE = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
_REDACTED = "[redacted]"


def clean(text: str) -> str:
    """Return text as one line without control characters or tokens, cut to a bounded length."""
    text = _ESCAPE.sub("", text[:_READ_MAX])
    line = "".join(char if char.isprintable() else " " for char in text)
    line = _LABELLED.sub(rf"\1{_REDACTED}", " ".join(line.split()))
    line = _TOKEN.sub(_redact, line)
    return line if len(line) <= _LENGTH_MAX else line[: _LENGTH_MAX - 3] + "..."


def _redact(match: re.Match[str]) -> str:
    run = match[0]
    secret = any(char.isdigit() for char in run) and any(char.isalpha() for char in run)
    return _REDACTED if secret else run
