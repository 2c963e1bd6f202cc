"""What both stand-ins for providers share: a controller of managed resources.

It STANDS IN for the reconciler of crossplane-runtime, and does what ours can see of it: finalizers,
references, management policies, external names, conditions. It looks at every resource several
times a second instead of watching: slower than the real one in theory, and never in practice.
"""

import threading
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, ParamSpec, TypeVar

from .api import Api, ConflictError, Kind, MissingError, Object, condition

FINALIZER = "finalizer.managedresource.crossplane.io"
EXTERNAL_NAME = "crossplane.io/external-name"
_TICK = 0.1
# Conditions carry a time; nothing here looks at it.
_ONCE = "2024-01-01T00:00:00Z"

P = ParamSpec("P")
T = TypeVar("T")


class ExternalError(Exception):
    """What a cloud answers instead of doing what it was asked; it ends up in Synced=False."""


@dataclass(frozen=True)
class Managed:
    """A managed resource, as it was last read."""

    kind: Kind
    manifest: Object

    @property
    def name(self) -> str:
        """Its name in Kubernetes."""
        return str(self.manifest["metadata"]["name"])

    @property
    def namespace(self) -> str:
        """Where it is."""
        return str(self.manifest["metadata"]["namespace"])

    @property
    def deleted(self) -> bool:
        """Whether it is being deleted."""
        return "deletionTimestamp" in self.manifest["metadata"]

    @property
    def finalizers(self) -> list[str]:
        """Who wants to do something before it goes."""
        return list(self.manifest["metadata"].get("finalizers", []))

    @property
    def external_name(self) -> str:
        """What identifies it outside; empty until it was created."""
        annotations = self.manifest["metadata"].get("annotations", {})
        return str(annotations.get(EXTERNAL_NAME, ""))

    @property
    def controller(self) -> str:
        """The UID of the XR that composed it."""
        owners = self.manifest["metadata"].get("ownerReferences", [])
        return next((str(owner["uid"]) for owner in owners if owner.get("controller")), "")

    @property
    def wanted(self) -> dict[str, Any]:
        """Parameters that hold for ever."""
        return dict(self.manifest["spec"].get("forProvider", {}))

    @property
    def initial(self) -> dict[str, Any]:
        """Parameters of its creation."""
        return {**self.manifest["spec"].get("initProvider", {}), **self.wanted}

    def may(self, action: str) -> bool:
        """Say whether the management policies allow an action."""
        return bool({"*", action} & set(self.manifest["spec"]["managementPolicies"]))


class Provider:
    """A provider in a thread: brings every managed resource of its kinds forward.

    Attributes:
        unready: Kind and namespace of resources that report Ready=False for now.
        crashes: Tracebacks of what was wrong with the stand-in itself.
    """

    kinds: tuple[Kind, ...] = ()

    def __init__(self, api: Api) -> None:
        """Make a provider that uses this client; `start` it."""
        self._api = api
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name=type(self).__name__)
        self.unready: set[tuple[Kind, str]] = set()
        self.crashes: list[str] = []

    def start(self) -> None:
        """Start to reconcile."""
        self._thread.start()

    def stop(self) -> None:
        """Stop, after what is being done."""
        self._ended.set()
        self._thread.join()

    def observe(self, resource: Managed) -> Object | None:
        """Return status.atProvider of a resource, None if it doesn't exist outside.

        Raises:
            ExternalError: It can't be observed.
        """
        raise NotImplementedError

    def create(self, resource: Managed) -> str:
        """Create a resource outside, and return its external name."""
        raise NotImplementedError

    def update(self, resource: Managed) -> None:
        """Make a resource outside what is wanted, where it isn't."""
        raise NotImplementedError

    def destroy(self, resource: Managed) -> None:
        """Delete a resource outside."""
        raise NotImplementedError

    def references(self, resource: Managed) -> dict[str, Any]:
        """Return parameters that a selector gives, if they aren't set yet."""
        del resource
        return {}

    def late(self, resource: Managed) -> dict[str, Any]:
        """Return what the outside knows of parameters that aren't set."""
        del resource
        return {}

    def available(self, resource: Managed) -> bool:
        """Say whether a resource that exists is ready."""
        del resource
        return True

    def after(self, resource: Managed) -> None:
        """Do what remains when a resource was observed."""

    def look_after_others(self) -> None:
        """Do what isn't about managed resources, once every round."""

    def _run(self) -> None:
        while not self._ended.wait(_TICK):
            # One after the other, and each on its own: what fails is tried again next round.
            for kind in self.kinds:
                for manifest in self._attempt(self._api.list, kind) or []:
                    self._attempt(self._reconcile, Managed(kind, manifest))
            self._attempt(self.look_after_others)

    def _attempt(self, what: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T | None:
        try:
            return what(*args, **kwargs)
        except (ConflictError, MissingError):
            return None  # It has changed since it was read: the next round sees how.
        except Exception:
            self.crashes.append(traceback.format_exc())
            return None

    def _reconcile(self, resource: Managed) -> None:
        try:
            if resource.deleted:
                self._finish(resource)
            else:
                self._bring_forward(resource)
        except ExternalError as error:
            self._report(resource, error=str(error))

    def _finish(self, resource: Managed) -> None:
        if FINALIZER not in resource.finalizers:
            return
        # As the real one: without the policy it doesn't even look.
        if resource.may("Delete") and self.observe(resource) is not None:
            self.destroy(resource)
            return
        self.change(
            resource,
            {"metadata": {"finalizers": [f for f in resource.finalizers if f != FINALIZER]}},
        )

    def _bring_forward(self, resource: Managed) -> None:
        if FINALIZER not in resource.finalizers:
            finalizers = [*resource.finalizers, FINALIZER]
            self.change(resource, {"metadata": {"finalizers": finalizers}})
            return
        if found := self.references(resource):
            self.change(resource, {"spec": {"forProvider": found}})
            return
        seen = self.observe(resource) if resource.external_name else None
        if seen is None:
            if not resource.may("Create"):
                return
            annotations = {EXTERNAL_NAME: self.create(resource)}
            # Whoever changed it meanwhile: what exists outside must not be forgotten.
            change = {"metadata": {"annotations": annotations}}
            self._api.patch(resource.kind, resource.namespace, resource.name, change)
            return
        if resource.may("LateInitialize") and (found := self.late(resource)):
            self.change(resource, {"spec": {"forProvider": found}})
            return
        if resource.may("Update"):
            self.update(resource)
        self._report(resource, seen)
        self.after(resource)

    def _report(self, resource: Managed, seen: Object | None = None, error: str = "") -> None:
        synced = {"type": "Synced", "status": "True", "reason": "ReconcileSuccess"}
        ready = {"type": "Ready", "status": "True", "reason": "Available"}
        if error:
            synced.update(status="False", reason="ReconcileError", message=error)
            # An error says nothing of whether it is ready: that stays.
            ready = condition(resource.manifest, "Ready")
        elif (resource.kind, resource.namespace) in self.unready:
            ready.update(status="False", reason="Unavailable")
        elif not self.available(resource):
            ready.update(status="False", reason="Creating")
        status: Object = {
            "conditions": [
                {**each, "lastTransitionTime": _ONCE} for each in (synced, ready) if each
            ]
        }
        if seen is not None:
            status["atProvider"] = seen
        if _differs(status, resource.manifest.get("status", {})):
            self.change(resource, {"status": status}, status=True)

    def change(self, resource: Managed, change: Object, *, status: bool = False) -> None:
        """Merge a change into a resource, if nobody changed it since it was read."""
        version = resource.manifest["metadata"]["resourceVersion"]
        metadata = {**change.get("metadata", {}), "resourceVersion": version}
        self._api.patch(
            resource.kind,
            resource.namespace,
            resource.name,
            {**change, "metadata": metadata},
            status=status,
        )


def _differs(wanted: Object, is_now: Object) -> bool:
    return any(is_now.get(key) != value for key, value in wanted.items())


def controlled(manifests: Iterable[Object], kind: Kind, controller: str) -> list[Managed]:
    """Return the resources among these that one XR composed: what matchControllerRef selects."""
    found = [Managed(kind, manifest) for manifest in manifests]
    return [each for each in found if each.controller == controller]
