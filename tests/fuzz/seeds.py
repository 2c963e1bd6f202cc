"""Requests to begin with: every situation there is, as Crossplane would send it."""

from collections.abc import Iterator

from crossplane.function import resource
from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from running import request
from situations import SITUATIONS


def requests() -> Iterator[fnv1.RunFunctionRequest]:
    """Yield a request for every situation, in a pipeline in which others ran before."""
    for situation in SITUATIONS:
        built = request(situation.xr, situation.observed)
        built.meta.tag = situation.name
        built.context["apiextensions.crossplane.io/environment"] = {"some": "context"}
        resource.update(built.desired.composite, {"status": {"earlier": ["said"]}})
        resource.update(built.desired.resources["network"], {"kind": "Other", "spec": {"one": 1}})
        built.observed.composite.connection_details["password"] = b"of nobody's business"
        yield built
