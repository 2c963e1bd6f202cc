"""A function that composed the same API before ours did: a STAND-IN, for tests only.

It takes what ours composes, under the same composition resource names, and puts other fields in:
those that clusters in the field were created with.
"""

from typing import Any

import grpc
from crossplane.function import resource
from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from function import fn, main


class Predecessor(fn.FunctionRunner):
    """Our function with the choices of an earlier one."""

    async def RunFunction(  # noqa: N802 - the name that gRPC calls
        self,
        request: fnv1.RunFunctionRequest,
        context: grpc.aio.ServicerContext[fnv1.RunFunctionRequest, fnv1.RunFunctionResponse] | None,
    ) -> fnv1.RunFunctionResponse:
        """Compose what an earlier function composed."""
        answer = await super().RunFunction(request, context)
        name = resource.struct_to_dict(request.observed.composite.resource)["metadata"]["name"]
        for key, composed in answer.desired.resources.items():
            manifest = resource.struct_to_dict(composed.resource)
            _as_before(key, manifest, name)
            composed.resource.Clear()
            composed.resource.update(manifest)
        return answer


def _as_before(key: str, manifest: dict[str, Any], name: str) -> None:
    spec = manifest["spec"]
    if key == "network":
        spec["forProvider"]["label"] = name
    elif key == "firewall":
        spec["forProvider"] |= {"name": name, "createDefaultRules": True}
        del spec["forProvider"]["ingressRule"], spec["forProvider"]["egressRule"]
    elif key == "cluster":
        spec["forProvider"] |= {"name": name, "pools": spec.pop("initProvider")["pools"]}


if __name__ == "__main__":
    fn.FunctionRunner = Predecessor  # type: ignore[misc] # the server makes one by this name
    main.cli()
