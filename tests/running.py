"""The function run on plain values, as Crossplane runs it."""

import asyncio
from collections.abc import Mapping
from typing import Any

from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from function.fn import FunctionRunner

Object = dict[str, Any]


def request(xr: Object, observed: Mapping[str, Object] | None = None) -> fnv1.RunFunctionRequest:
    """Return the request that Crossplane sends for an XR and what exists of it."""
    request = fnv1.RunFunctionRequest()
    request.observed.composite.resource.update(xr)
    for name, resource in (observed or {}).items():
        request.observed.resources[name].resource.update(resource)
    return request


def respond(request: fnv1.RunFunctionRequest) -> fnv1.RunFunctionResponse:
    """Return the function's response to a request."""
    return asyncio.run(FunctionRunner().RunFunction(request, None))


def run(xr: Object, observed: Mapping[str, Object] | None = None) -> fnv1.RunFunctionResponse:
    """Return the function's response to an XR and what exists of it."""
    return respond(request(xr, observed))
