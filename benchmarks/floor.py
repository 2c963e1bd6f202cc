"""A server that does nothing but answer: what no function behind the same server can beat."""

import asyncio

from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from benchmarks import clusters, in_process
from function import fn, main


class Floor(fn.FunctionRunner):
    """Answers every call with the same response, of the size of the function's."""

    def __init__(self) -> None:
        """Make the response ready."""
        super().__init__()
        request = clusters.steady(clusters.cluster(in_process.POOLS))
        self._ready_made = asyncio.run(super().RunFunction(request, None))

    async def RunFunction(  # noqa: N802 - the name that gRPC calls
        self, request: fnv1.RunFunctionRequest, context: object
    ) -> fnv1.RunFunctionResponse:
        """Return the response."""
        del request, context
        return self._ready_made


if __name__ == "__main__":
    # In the function's place, behind the very same server.
    fn.FunctionRunner = Floor  # type: ignore[misc]
    main.cli()
