"""The adapter to Civo's API: the `civo` package, and what it lacks.

No other module knows the package. Its classes find the endpoints and read the answers; the
session asks, for they call `requests` without timeouts or a look at the status.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self, TypeVar
from urllib.parse import quote

from civo import (  # type: ignore[import-untyped]
    firewall,
    kubernetes,
    networks,
    regions,
    size,
)
from pydantic import TypeAdapter, ValidationError

from function.cli.offers import (
    ClusterPage,
    Firewall,
    Network,
    Quota,
    Region,
    Size,
    Version,
)
from function.cli.session import APIError, Limits, Session
from function.violations import path

T = TypeVar("T")

ADDRESS = "https://api.civo.com"

_PER_PAGE = 100
# Far above what an account has: a bound on an API that goes on for ever.
_PAGES_MAX = 100


class Civo:
    """Civo's API, read-only.

    Every question may raise an `APIError`. A region is its code; an empty one leaves the choice to
    Civo.
    """

    def __init__(self, token: str, address: str, limits: Limits | None = None) -> None:
        """Prepare to ask the API at an address with a token.

        Raises:
            HopelessError: Neither can be what it should.
        """
        self._session = Session(token, address, limits or Limits())
        self._address = self._session.address

    @classmethod
    def from_environment(cls) -> Self:
        """Take the token from CIVO_TOKEN, and from CIVO_API_URL the address where it is set.

        Raises:
            HopelessError: There is no token, or neither can be what it should.
        """
        return cls(os.environ.get("CIVO_TOKEN", ""), os.environ.get("CIVO_API_URL") or ADDRESS)

    def __enter__(self) -> Self:
        """Ask."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connections."""
        self._session.close()

    def regions(self) -> list[Region]:
        """Return all regions."""
        with self._lent_to(regions):
            found = regions.Regions({}, self._address).search()
        known = _checked(list[Region], found, "regions")
        if not known:
            raise APIError("Civo's API has no region at all", _NOT_CIVO)
        return known

    def sizes(self, region: str) -> list[Size]:
        """Return the sizes of a region, those for instances included."""
        sizes = size.Size({}, self._address)
        sizes.url += _query(region)
        with self._lent_to(size):
            found = sizes.search()
        return _checked(list[Size], found, "sizes")

    def versions(self, region: str) -> list[Version]:
        """Return the versions of k3s that a region offers."""
        clusters = kubernetes.Kubernetes({}, self._address)
        clusters.kube_version += _query(region)
        with self._lent_to(kubernetes):
            found = clusters.versions()
        versions = _checked(list[Version], found, "versions")
        return [version for version in versions if version.cluster_type.casefold() == "k3s"]

    def quota(self, region: str) -> Quota:
        """Return the account's quota."""
        # The package's class asks with POST, which the API doesn't know here.
        found = self._session.get(f"{self._address}/v2/quota{_query(region)}")
        return _checked(Quota, found.json(), "quota")

    def clusters(self, region: str) -> set[str]:
        """Return the names of the account's clusters in a region."""
        # The package's class knows no pages and refuses all regions but two: once both are
        # overridden nothing is left of it but the path.
        url = f"{self._address}/v2/kubernetes/clusters{_query(region)}"
        names: set[str] = set()
        for number in range(1, _PAGES_MAX + 1):
            params = {"page": str(number), "per_page": str(_PER_PAGE)}
            page = _checked(ClusterPage, self._session.get(url, params=params).json(), "clusters")
            names |= {cluster.name for cluster in page.items}
            if number >= page.pages:
                return names
        raise APIError(f"Civo's API lists more than {_PAGES_MAX} pages of clusters", _NOT_CIVO)

    def networks(self, region: str) -> set[str]:
        """Return the labels of the account's networks in a region."""
        with self._lent_to(networks):
            found = networks.Networks({}, self._address, quote(region)).search()
        return {network.label for network in _checked(list[Network], found, "networks")}

    def firewalls(self, region: str) -> set[str]:
        """Return the names of the account's firewalls in a region."""
        with self._lent_to(firewall):
            found = firewall.Firewall({}, self._address, quote(region)).search()
        return {one.name for one in _checked(list[Firewall], found, "firewalls")}

    @contextmanager
    def _lent_to(self, module: Any) -> Iterator[None]:
        """Let a module of the package ask this session where it would ask `requests`.

        The module's own name for it is the only way in: its classes take no session.
        """
        own, module.requests = module.requests, self._session
        try:
            yield
        finally:
            module.requests = own


_NOT_CIVO = "check that CIVO_API_URL is the address of Civo's API"


def _query(region: str) -> str:
    return f"?region={quote(region)}" if region else ""


def _checked(kind: type[T], value: Any, what: str) -> T:
    """Return an answer as what it should be.

    Raises:
        APIError: It is something else.
    """
    wrong = ""
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        # The places are names of our own models and positions in lists.
        where = path(*first["loc"])
        wrong = f"{where}: {first['type']}" if where else first["type"]
    message = f"Civo's API answers the question for {what} with something else ({wrong})"
    raise APIError(message, _NOT_CIVO)
