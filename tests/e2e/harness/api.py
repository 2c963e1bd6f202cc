"""The Kubernetes API, as plain REST.

A client of a hundred lines in place of a library: what the tests need is few verbs on objects
whose kinds the control plane learns while they run.
"""

import json
import ssl
from dataclasses import dataclass
from pathlib import Path
from time import sleep
from typing import Any, NamedTuple, Self, TypeAlias

import httpx

Object: TypeAlias = dict[str, Any]


class Kind(NamedTuple):
    """A kind of object."""

    api_version: str
    name: str

    @classmethod
    def of(cls, manifest: Object) -> Self:
        """Return the kind that a manifest says it is."""
        return cls(manifest["apiVersion"], manifest["kind"])


SECRET = Kind("v1", "Secret")
CRD = Kind("apiextensions.k8s.io/v1", "CustomResourceDefinition")


class RefusedError(Exception):
    """The API server refused a request."""

    def __init__(self, status: int, message: str) -> None:
        """Keep what it said."""
        super().__init__(f"{status}: {message}")
        self.status = status
        self.message = message


class ConflictError(RefusedError):
    """Somebody else changed the object in between: look again."""


class MissingError(RefusedError):
    """There is no such object."""


_REFUSALS: dict[int, type[RefusedError]] = {
    httpx.codes.NOT_FOUND: MissingError,
    httpx.codes.CONFLICT: ConflictError,
}


_TRIES = 50
_PAUSE = 0.2


@dataclass(frozen=True)
class Access:
    """Where the API server is, and how to be let in.

    Attributes:
        url: Its address.
        ca: File with the certificate that signed its own.
        token: Says who asks.
        user: Who that is: the audit log and managed fields name it.
    """

    url: str
    ca: Path
    token: str
    user: str

    def kubeconfig(self) -> str:
        """Return the same as a kubeconfig file."""
        return json.dumps(
            {
                "apiVersion": "v1",
                "kind": "Config",
                "current-context": "e2e",
                "clusters": [
                    {
                        "name": "e2e",
                        "cluster": {"server": self.url, "certificate-authority": str(self.ca)},
                    }
                ],
                "users": [{"name": self.user, "user": {"token": self.token}}],
                "contexts": [{"name": "e2e", "context": {"cluster": "e2e", "user": self.user}}],
            }
        )


class Api:
    """A client of one API server, as one user. Threads may share it."""

    def __init__(self, access: Access) -> None:
        """Make a client; nothing is asked yet."""
        self.user = access.user
        self._kinds: dict[Kind, tuple[str, bool]] = {}
        self._http = httpx.Client(
            base_url=access.url,
            headers={"Authorization": f"Bearer {access.token}"},
            verify=_trust(access.ca),
            timeout=30,
            trust_env=False,
        )

    def close(self) -> None:
        """Close its connections."""
        self._http.close()

    def ready(self) -> bool:
        """Say whether the API server is ready."""
        try:
            return self._http.get("/readyz").status_code == httpx.codes.OK
        except httpx.TransportError:
            return False

    def knows(self, kind: Kind) -> bool:
        """Say whether the API server serves the kind."""
        try:
            self._resource(kind)
        except LookupError:
            return False
        return True

    def get(self, kind: Kind, namespace: str, name: str) -> Object:
        """Return an object. The namespace of what has none is empty.

        Raises:
            MissingError: There is no such object.
        """
        return self._ask("GET", self._path(kind, namespace, name))

    def find(self, kind: Kind, namespace: str, name: str) -> Object | None:
        """Return an object, or None if there is none."""
        try:
            return self.get(kind, namespace, name)
        except MissingError:
            return None

    def list(self, kind: Kind, namespace: str = "", **query: str) -> list[Object]:
        """Return the objects of a kind, in a namespace or in all, ordered by name."""
        found = self._ask("GET", self._path(kind, namespace), query=query)
        # Items of a list don't say what they are.
        return [
            {"apiVersion": kind.api_version, "kind": kind.name, **item} for item in found["items"]
        ]

    def create(self, manifest: Object, *, dry_run: bool = False) -> Object:
        """Create an object and return it as it was stored."""
        kind, metadata = Kind.of(manifest), manifest.get("metadata", {})
        path = self._path(kind, metadata.get("namespace", ""))
        return self._ask("POST", path, manifest, {"dryRun": "All"} if dry_run else {})

    def replace(self, manifest: Object, *, dry_run: bool = False) -> Object:
        """Put an object in place of the one of its name, and return it as it was stored."""
        metadata = manifest["metadata"]
        path = self._path(Kind.of(manifest), metadata.get("namespace", ""), metadata["name"])
        return self._ask("PUT", path, manifest, {"dryRun": "All"} if dry_run else {})

    def apply(self, manifest: Object) -> Object:
        """Apply a manifest on the server's side, as `kubectl apply --server-side` does."""
        metadata = manifest["metadata"]
        path = self._path(Kind.of(manifest), metadata.get("namespace", ""), metadata["name"])
        query = {"fieldManager": self.user, "force": "true"}
        return self._ask("PATCH", path, manifest, query, "application/apply-patch+yaml")

    def patch(
        self, kind: Kind, namespace: str, name: str, change: Object, *, status: bool = False
    ) -> Object:
        """Merge a change into an object (or into its status), and return it as it was stored."""
        path = self._path(kind, namespace, name) + ("/status" if status else "")
        query = {"fieldManager": self.user}
        return self._ask("PATCH", path, change, query, "application/merge-patch+json")

    def delete(
        self, kind: Kind, namespace: str, name: str, propagation: str = "Background"
    ) -> None:
        """Delete an object; with Foreground, what it owns goes first."""
        self._ask("DELETE", self._path(kind, namespace, name), {"propagationPolicy": propagation})

    def _path(self, kind: Kind, namespace: str, name: str = "") -> str:
        plural, namespaced = self._resource(kind)
        path = _group(kind)
        if namespaced and namespace:
            path += f"/namespaces/{namespace}"
        return f"{path}/{plural}/{name}".rstrip("/")

    def _resource(self, kind: Kind) -> tuple[str, bool]:
        if kind not in self._kinds:
            try:
                served = self._ask("GET", _group(kind))
            except RefusedError:
                served = {"resources": []}
            for resource in served["resources"]:
                if "/" not in resource["name"]:
                    known = Kind(kind.api_version, resource["kind"])
                    self._kinds[known] = (resource["name"], resource["namespaced"])
        if kind not in self._kinds:
            message = f"the API server does not serve {kind}"
            raise LookupError(message)
        return self._kinds[kind]

    def _ask(
        self,
        verb: str,
        path: str,
        body: Object | None = None,
        query: dict[str, str] | None = None,
        content_type: str = "application/json",
    ) -> Object:
        for _ in range(_TRIES):
            answer = self._http.request(
                verb,
                path,
                params=query,
                content=None if body is None else json.dumps(body),
                headers=None if body is None else {"Content-Type": content_type},
            )
            if answer.status_code != httpx.codes.TOO_MANY_REQUESTS:
                break
            # What it answers while a new kind comes up; every client tries again.
            sleep(_PAUSE)
        if answer.is_success:
            found: Object = answer.json()
            return found
        try:
            message = answer.json()["message"]
        except (ValueError, KeyError):
            message = answer.text
        raise _REFUSALS.get(answer.status_code, RefusedError)(answer.status_code, message)


def condition(manifest: Object, kind: str) -> Object:
    """Return a condition of an object, empty if it has none of that kind."""
    for found in manifest.get("status", {}).get("conditions", []):
        if found["type"] == kind:
            return dict(found)
    return {}


def is_true(manifest: Object, kind: str) -> bool:
    """Say whether a condition of an object is True."""
    return condition(manifest, kind).get("status") == "True"


def _group(kind: Kind) -> str:
    return f"/apis/{kind.api_version}" if "/" in kind.api_version else f"/api/{kind.api_version}"


def _trust(ca: Path) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=str(ca))
