"""A pass as a tree for people: what is new, changed, ready or still awaited, and why."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from rich.text import Text
from rich.tree import Tree

from function.cli.life import Pass
from function.cli.relations import WaitsFor
from function.observed import EXTERNAL_NAME
from function.untrusted import clean
from function.violations import shown

_STYLES = {
    "new": "green",
    "changed": "yellow",
    "ready": "bold green",
    "waiting": "cyan",
    "not yet": "dim",
}
_STATE_WIDTH = max(map(len, _STYLES))
_KIND_WIDTH = len("ProviderConfig")


def build(one: Pass, waits_for: WaitsFor, ready_before: Collection[str]) -> Tree:
    """Build the tree of a pass.

    Args:
        one: The pass.
        waits_for: What each resource that may be composed waits for, in the order to show.
        ready_before: The composition resource names of those that were ready before the pass.
    """
    resources = [*waits_for, *(name for name in one.composed if name not in waits_for)]
    name_width = max(map(len, resources))
    external = {name: _external_name(one.composed.get(name, {})) for name in resources}
    external_width = max(map(len, external.values()))
    metadata = one.composite["metadata"]
    tree = Tree(Text(f"CivoCluster {metadata['namespace']}/{metadata['name']}", "bold"))
    for name in resources:
        state, detail = _state(one, name, waits_for.get(name, {}))
        row = Text(f"{name:<{name_width}}  ")
        row.append(f"{one.composed.get(name, {}).get('kind', ''):<{_KIND_WIDTH}}  ", "dim")
        row.append(f"{external[name]:<{external_width}}  ")
        row.append(f"{state:<{_STATE_WIDTH}}", "green" if name in ready_before else _STYLES[state])
        row.append(f"  {detail}" if detail else "")
        row.rstrip()
        tree.add(row)
    return tree


def _state(one: Pass, name: str, waits_for: Mapping[str, str]) -> tuple[str, str]:
    """Return a resource's state, and what there is to say of it."""
    if name not in one.composed:
        return "not yet", _awaited(one, waits_for)
    observed = one.observed.get(name)
    changes = [*_changes(one.composed[name], observed, "spec")] if observed else []
    wait = ""
    if name not in one.ready:
        wait = _progress(observed) or _awaited(one, waits_for) or "is about to be created"
    detail = "; ".join(filter(None, (*changes, wait)))
    if not observed:
        return "new", detail
    if changes:
        return "changed", detail
    return "ready" if name in one.ready else "waiting", detail


def _awaited(one: Pass, waits_for: Mapping[str, str]) -> str:
    waits = [f"{name} ({what})" for name, what in waits_for.items() if name not in one.ready]
    return f"waits for {', '.join(waits)}" if waits else ""


def _progress(observed: Mapping[str, Any] | None) -> str:
    """Return what its provider says of a resource that isn't ready, empty if nothing yet."""
    status = observed.get("status", {}) if observed else {}
    at_provider = status.get("atProvider", {})
    if not at_provider:
        return ""
    phase = at_provider.get("status") or at_provider.get("state")
    return f"its status is {clean(str(phase))}" if phase else "is being created"


def _changes(desired: Mapping[str, Any], observed: Mapping[str, Any], field: str) -> Iterator[str]:
    """Yield what of a desired field isn't so yet, with the values that it is to have."""
    wanted, found = desired.get(field), observed.get(field)
    if isinstance(wanted, dict) and isinstance(found, dict):
        for inner in wanted:
            for change in _changes(wanted, found, inner):
                yield f"{field}.{change}"
    elif wanted != found:
        yield f"{field}: {shown(wanted)}"


def _external_name(resource: Mapping[str, Any]) -> str:
    """Return the name that a resource has outside the control plane, empty if it has none."""
    wanted = resource.get("spec", {}).get("forProvider", {})
    annotations = resource.get("metadata", {}).get("annotations", {})
    name = wanted.get("name") or wanted.get("label") or annotations.get(EXTERNAL_NAME)
    return str(name or "")
