"""Kubernetes versions, as far as decisions depend on them."""

import re

_MINOR = re.compile(r"v?([0-9]{1,3})\.([0-9]{1,3})(?![0-9])")

# The first minor version in which Dynamic Resource Allocation is generally available.
DRA_SINCE = (1, 34)


def minor(version: object) -> tuple[int, int] | None:
    """Return major and minor of a version such as `1.34.1-k3s1`, None if it has no such form."""
    match = _MINOR.match(version) if isinstance(version, str) else None
    return (int(match[1]), int(match[2])) if match else None
