"""A control plane with Crossplane, our packages, and clouds that are played; and its users."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from time import sleep
from typing import Any, Self

from .api import SECRET, Api, Object, condition, is_true
from .civo import Account, Cluster, ProviderCivo
from .control_plane import (
    ADMIN,
    CROSSPLANE,
    PROVIDER_CIVO,
    PROVIDER_HELM,
    ControlPlane,
)
from .crossplane import COMPOSED, XR, Crossplane
from .helm import ProviderHelm
from .process import eventually

KEY = "crossplane.io/composition-resource-name"
# Conditions end, and finalizers go, in seconds; a machine that is busy takes some more.
PATIENCE = 60
# Several rounds of the stand-ins.
_MOMENT = 0.5


class Live:
    """Everything that runs.

    Attributes:
        api: A client that may do everything.
        crossplane: Crossplane and our function.
        civo: The account in the cloud.
        provider_civo: The provider for it.
        provider_helm: The provider for Helm.
    """

    def __init__(self, folder: Path, crds: Path) -> None:
        """Start everything.

        Args:
            folder: For data and logs; empty.
            crds: Folder with the CustomResourceDefinitions of the two providers.
        """
        self.control_plane = ControlPlane(folder / "kubernetes")
        try:
            self.api = self.control_plane.client(ADMIN)
            (folder / "crossplane").mkdir()
            self.crossplane = Crossplane(self.control_plane, folder / "crossplane", crds)
            self.civo = Account()
            self.provider_civo = ProviderCivo(self._client(PROVIDER_CIVO), self.civo)
            self.provider_helm = ProviderHelm(self._client(PROVIDER_HELM), self.civo)
        except BaseException:
            self.control_plane.stop()
            raise
        self.provider_civo.start()
        self.provider_helm.start()
        self._namespaces = count(1)

    @classmethod
    @contextmanager
    def running(cls, folder: Path, crds: Path) -> Iterator[Self]:
        """Start everything, and stop it in the end."""
        live = cls(folder, crds)
        try:
            yield live
        finally:
            live.stop()

    def stop(self) -> None:
        """Stop everything."""
        self.provider_civo.stop()
        self.provider_helm.stop()
        self.control_plane.stop()

    def user(self) -> "User":
        """Return a user with a namespace of their own."""
        namespace = f"team-{next(self._namespaces)}"
        self.api.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}})
        return User(self, namespace)

    def crashes(self) -> list[str]:
        """Return what was wrong with the stand-ins themselves."""
        return self.provider_civo.crashes + self.provider_helm.crashes

    def _client(self, user: str) -> Api:
        return self.control_plane.client(user)


class User:
    """Somebody who has CivoClusters in a namespace."""

    def __init__(self, live: Live, namespace: str) -> None:
        """Act in a namespace that exists."""
        self.live = live
        self.namespace = namespace
        self._nudges = 0

    def apply(self, name: str, **spec: Any) -> None:
        """Apply a CivoCluster."""
        self.live.api.apply(
            {
                "apiVersion": XR.api_version,
                "kind": XR.name,
                "metadata": {"namespace": self.namespace, "name": name},
                "spec": spec,
            }
        )

    def xr(self, name: str) -> Object:
        """Return a CivoCluster as it is now."""
        return self.live.api.get(XR, self.namespace, name)

    def delete(self, name: str, propagation: str = "Background") -> None:
        """Delete a CivoCluster."""
        self.live.api.delete(XR, self.namespace, name, propagation)

    def pause(self, name: str, *, paused: bool) -> None:
        """Tell Crossplane to leave a CivoCluster alone, or not to any more."""
        annotations = {"crossplane.io/paused": "true" if paused else None}
        change = {"metadata": {"annotations": annotations}}
        self.live.api.patch(XR, self.namespace, name, change)

    def composed(self, name: str) -> dict[str, Object]:
        """Return what exists of a CivoCluster, by composition resource name."""
        uid = self.xr(name)["metadata"]["uid"]
        return {
            each["metadata"]["annotations"][KEY]: each
            for kind in COMPOSED
            for each in self.live.api.list(kind, self.namespace)
            if any(owner["uid"] == uid for owner in each["metadata"].get("ownerReferences", []))
        }

    def uids(self, name: str) -> dict[str, str]:
        """Return the UIDs of what exists of a CivoCluster: another one is another object."""
        return {key: each["metadata"]["uid"] for key, each in self.composed(name).items()}

    def generations(self, name: str) -> dict[str, int]:
        """Return the generations of what exists: another one says that a spec was changed."""
        return {key: each["metadata"]["generation"] for key, each in self.composed(name).items()}

    def in_civo(self, name: str) -> Cluster:
        """Return the cluster in Civo."""
        where = self.composed(name)["cluster"]["spec"]["forProvider"]["name"]
        return self.live.civo.cluster_of(where)

    def release_values(self, name: str) -> Object:
        """Return the values that the autoscaler was last installed or upgraded with."""
        return self.in_civo(name).releases["kube-system/cluster-autoscaler"].values

    def wait_ready(self, name: str) -> Object:
        """Wait until a CivoCluster is ready, and what was last asked for is done; return it."""

        def ready() -> Object | None:
            xr = self.xr(name)
            return xr if is_ready(xr) else None

        found = eventually(ready, within=PATIENCE, what=f"{self.namespace}/{name} is ready")
        assert found is not None
        return found

    def wait_unready(self, name: str) -> None:
        """Wait until a CivoCluster is not ready."""
        eventually(
            lambda: condition(self.xr(name), "Ready").get("status") == "False",
            within=PATIENCE,
            what=f"{self.namespace}/{name} is not ready",
        )

    def wait_gone(self) -> None:
        """Wait until nothing is left in the namespace of what a CivoCluster brings."""
        eventually(lambda: not self.left(), within=PATIENCE, what=f"{self.left()} are gone")

    def left(self) -> list[str]:
        """Return what exists in the namespace of what a CivoCluster brings."""
        return [
            f"{kind.name}/{each['metadata']['name']}"
            for kind in (XR, *COMPOSED, SECRET)
            for each in self.live.api.list(kind, self.namespace)
        ]

    def describe(self) -> str:
        """Return what exists in the namespace, and what it says of itself, for people."""
        lines = []
        for kind in (XR, *COMPOSED):
            for each in self.live.api.list(kind, self.namespace):
                metadata = each["metadata"]
                going = f" (deleted, waits for {metadata.get('finalizers')})"
                lines.append(
                    f"{kind.name} {metadata['name']}, generation {metadata['generation']}"
                    + (going if "deletionTimestamp" in metadata else "")
                )
                lines += [
                    f"  {found['type']}={found['status']} {found['reason']}: "
                    + found.get("message", "")
                    for found in each.get("status", {}).get("conditions", [])
                ]
        return "\n".join(lines)

    def settle(self, name: str) -> None:
        """Have the function run a few more times: what it would change, it changes."""
        for _ in range(3):
            before = self._runs()
            self.nudge(name)
            eventually(lambda: self._runs() > before, what="the function runs again")  # noqa: B023
        sleep(_MOMENT)

    def nudge(self, name: str) -> None:
        """Have Crossplane look at a CivoCluster again, though nothing has changed."""
        self._nudges += 1
        annotations = {"crossplane.io/reconcile-requested-at": str(self._nudges)}
        self.live.api.patch(XR, self.namespace, name, {"metadata": {"annotations": annotations}})

    def pass_time(self, name: str) -> None:
        """Give Crossplane several chances where it is not expected to get anywhere."""
        for _ in range(3):
            self.nudge(name)
            sleep(_MOMENT)

    def _runs(self) -> int:
        """Return how often desired state was applied: the network is in it every time."""
        writes = self.live.control_plane.writes(self.namespace, CROSSPLANE)
        return sum(write.resource == "networks" for write in writes)

    def deletions(self) -> list[str]:
        """Return the composed resources that Crossplane ever asked to delete."""
        return [
            f"{write.resource}/{write.name}"
            for write in self.live.control_plane.writes(self.namespace, CROSSPLANE)
            if write.verb.startswith("delete")
        ]

    def creations(self) -> list[str]:
        """Return the kinds of the composed resources that were ever created, in order."""
        return [
            each.resource
            for each in self.live.control_plane.writes(self.namespace, CROSSPLANE)
            if each.code == 201
        ]


def is_ready(xr: Object) -> bool:
    """Say whether a CivoCluster is ready, and what was last asked for is done."""
    done = condition(xr, "Synced").get("observedGeneration") == xr["metadata"]["generation"]
    return done and is_true(xr, "Synced") and is_true(xr, "Ready")


def pool(name: str, role: str = "System", **more: Any) -> Object:
    """Return a node pool of a spec."""
    size = "an.g1.l40s.kube.x1" if role == "GPU" else "g4p.kube.small"
    gpu = {"gpu": {"acceleratorType": "nvidia-l40s"}} if role == "GPU" else {}
    return {"name": name, "role": role, "size": size, **gpu, **more}
