"""The provider for Helm: a STAND-IN, for tests only.

It installs into the clusters of the stand-in for Civo, whose kubeconfigs it needs for everything
but for letting go of a release that it may not uninstall.
"""

import base64
import json
from contextlib import suppress
from typing import NamedTuple

from .api import SECRET, Api, ConflictError, Kind, MissingError, Object
from .civo import Account, Cluster, Release
from .crossplane import PROVIDER_CONFIG, RELEASE
from .provider import EXTERNAL_NAME, ExternalError, Managed, Provider

# Kept while a release uses a provider config.
_IN_USE = "in-use.crossplane.io"


class Operation(NamedTuple):
    """What Helm was asked to do."""

    verb: str
    cluster: str
    release: str


class ProviderHelm(Provider):
    """The provider for Helm.

    Attributes:
        operations: Everything that Helm did or tried, in order.
    """

    kinds = (RELEASE,)

    def __init__(self, api: Api, account: Account) -> None:
        """Make a provider that reaches the clusters of one account."""
        super().__init__(api)
        self._account = account
        self.operations: list[Operation] = []

    def operations_in(self, cluster: Cluster) -> list[str]:
        """Return the verbs of what Helm did in a cluster, in order."""
        return [each.verb for each in self.operations if each.cluster == cluster.name]

    def observe(self, resource: Managed) -> Object | None:
        """Return what Helm says of a release."""
        found = self._cluster(resource).releases.get(_key(resource))
        return None if found is None else {"revision": found.revision, "state": "deployed"}

    def create(self, resource: Managed) -> str:
        """Install a release."""
        cluster = self._cluster(resource)
        self._do("install", cluster, resource)
        chart, values = _content(resource)
        cluster.releases[_key(resource)] = Release(chart, values)
        return _name(resource)

    def update(self, resource: Managed) -> None:
        """Upgrade a release whose chart or values have changed."""
        cluster = self._cluster(resource)
        installed = cluster.releases[_key(resource)]
        chart, values = _content(resource)
        if (installed.chart, installed.values) != (chart, values):
            self._do("upgrade", cluster, resource)
            cluster.releases[_key(resource)] = Release(chart, values, installed.revision + 1)

    def destroy(self, resource: Managed) -> None:
        """Uninstall a release."""
        cluster = self._cluster(resource)
        self._do("uninstall", cluster, resource)
        del cluster.releases[_key(resource)]

    def look_after_others(self) -> None:
        """Keep provider configs while releases use them."""
        releases = [Managed(RELEASE, each) for each in self._api.list(RELEASE)]
        used = {(each.namespace, _reference(each)) for each in releases}
        for manifest in self._api.list(PROVIDER_CONFIG):
            config = Managed(PROVIDER_CONFIG, manifest)
            in_use = (config.namespace, (config.kind.name, config.name)) in used
            others = [each for each in config.finalizers if each != _IN_USE]
            finalizers = [*others, _IN_USE] if in_use else others
            if finalizers != config.finalizers and not (config.deleted and in_use):
                with suppress(ConflictError, MissingError):
                    self.change(config, {"metadata": {"finalizers": finalizers}})

    def _do(self, verb: str, cluster: Cluster, resource: Managed) -> None:
        self.operations.append(Operation(verb, cluster.name, _name(resource)))

    def _cluster(self, resource: Managed) -> Cluster:
        """Return the cluster that a release goes to.

        Raises:
            ExternalError: The way there is broken.
        """
        kind, name = _reference(resource)
        config = self._api.find(Kind(PROVIDER_CONFIG.api_version, kind), resource.namespace, name)
        if config is None:
            raise ExternalError(f"cannot get provider config: {kind} {name} not found")
        where = config["spec"]["credentials"]["secretRef"]
        secret = self._api.find(SECRET, where["namespace"], where["name"])
        content = (secret or {}).get("data", {}).get(where["key"])
        if content is None:
            raise ExternalError(f"cannot get kubeconfig: Secret {where['name']} has none")
        identity = json.loads(base64.b64decode(content))["cluster"]
        cluster = self._account.find_cluster(identity)
        if cluster is None or cluster.status in ("BUILDING", "DELETING"):
            raise ExternalError("Kubernetes cluster unreachable")
        return cluster


def _reference(resource: Managed) -> tuple[str, str]:
    reference = resource.manifest["spec"]["providerConfigRef"]
    return reference["kind"], reference["name"]


def _name(resource: Managed) -> str:
    annotations = resource.manifest["metadata"].get("annotations", {})
    return str(annotations.get(EXTERNAL_NAME) or resource.name)


def _key(resource: Managed) -> str:
    return f"{resource.wanted['namespace']}/{_name(resource)}"


def _content(resource: Managed) -> tuple[str, Object]:
    chart = resource.wanted["chart"]
    return f"{chart['name']}-{chart['version']}", dict(resource.wanted.get("values", {}))
