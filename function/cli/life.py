"""The life of a CivoCluster: the function run pass after pass until nothing changes."""

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from function import structs
from function.cli import render, simulation
from function.fn import FunctionRunner

Resources = Mapping[str, dict[str, Any]]
"""Kubernetes objects by composition resource name."""


_CONDITION_STATUS = {
    fnv1.STATUS_CONDITION_TRUE: "True",
    fnv1.STATUS_CONDITION_FALSE: "False",
    fnv1.STATUS_CONDITION_UNKNOWN: "Unknown",
}


class FatalError(Exception):
    """A FATAL result: Crossplane would change nothing."""


@dataclass(frozen=True)
class Pass:
    """One run of the function, and what Crossplane would make of it."""

    number: int
    observed: Resources
    """What existed before the run."""
    composed: Resources
    """The composed resources as Crossplane would apply them, in the order of their names."""
    ready: frozenset[str]
    """The composition resource names of those that are ready."""
    composite: dict[str, Any]
    """The XR as Crossplane would leave it."""
    warnings: tuple[str, ...]
    """What the function warns of."""

    @property
    def documents(self) -> list[dict[str, Any]]:
        """What `crossplane composition render` prints of it: the XR, then its resources."""
        return [self.composite, *self.composed.values()]


def run(xr: dict[str, Any], observed: Resources, number: int = 1) -> Pass:
    """Run the function once.

    Args:
        xr: The XR, with the status that the run before gave it, if any.
        observed: What exists of it.
        number: Which run it is.

    Raises:
        FatalError: The function returned a FATAL result.
    """
    request = fnv1.RunFunctionRequest()
    request.observed.composite.resource.update(xr)
    for name, resource in observed.items():
        request.observed.resources[name].resource.update(resource)
    response = asyncio.run(FunctionRunner().RunFunction(request, None))
    for result in response.results:
        if result.severity == fnv1.SEVERITY_FATAL:
            raise FatalError(result.message)

    desired = response.desired.resources
    composed = {
        name: render.composed(xr, name, structs.to_dict(desired[name].resource), observed.get(name))
        for name in sorted(desired)
    }
    ready = frozenset(name for name in composed if desired[name].ready == fnv1.READY_TRUE)
    status = structs.dig(response.desired.composite.resource, "status")
    conditions = [
        render.condition(one.type, _CONDITION_STATUS[one.status], one.reason, one.message)
        for one in response.conditions
    ]
    return Pass(
        number=number,
        observed=observed,
        composed=composed,
        ready=ready,
        composite=render.composite(
            xr, status, conditions, composed.values(), composed.keys() - ready
        ),
        warnings=tuple(result.message for result in response.results),
    )


def live(xr: dict[str, Any]) -> Iterator[Pass]:
    """Yield pass after pass of the function against a simulated Civo, until nothing changes."""
    one = run(xr, {})
    while True:
        yield one
        observed = simulation.reconcile(one.composed, one.observed)
        following = run({**xr, "status": one.composite["status"]}, observed, number=one.number + 1)
        if (following.observed, following.documents) == (one.observed, one.documents):
            return
        one = following
