"""What every answer must be, whatever was asked."""

from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from function import structs

BASE = {"network", "firewall", "cluster"}
CONDITIONS = ["ClusterReady", "NodePoolsReady", "AutoscalerReady"]

# An answer holds what earlier functions desired, which is part of the request, and what comes of
# the XR; no value of the request is in it more than twice.
_TIMES = 3
_OWN_BYTES = 64 * 1024
_MESSAGE_MAX = 32 * 1024  # What the API server takes in a condition.


def check(request: fnv1.RunFunctionRequest, answer: fnv1.RunFunctionResponse) -> None:
    """Check that an answer is one FATAL result that says why, or complete."""
    size = len(answer.SerializeToString())
    assert size <= _TIMES * len(request.SerializeToString()) + _OWN_BYTES
    assert fnv1.RunFunctionResponse.FromString(answer.SerializeToString()) is not None
    assert answer.meta.tag == request.meta.tag
    for message in [one.message for one in answer.results] + [
        one.message for one in answer.conditions
    ]:
        assert len(message) <= _MESSAGE_MAX
        assert all(line.isprintable() for line in message.split("\n"))
    if any(result.severity == fnv1.SEVERITY_FATAL for result in answer.results):
        check_refused(request, answer)
    else:
        check_composed(request, answer)


def check_refused(request: fnv1.RunFunctionRequest, answer: fnv1.RunFunctionResponse) -> None:
    """Check a FATAL answer: it is the user's to mend, and nothing else changes."""
    [result] = answer.results
    assert result.reason == "InvalidCivoCluster", result.message
    assert not answer.conditions
    assert same(answer.desired, request.desired)


def check_composed(request: fnv1.RunFunctionRequest, answer: fnv1.RunFunctionResponse) -> None:
    """Check an answer that isn't FATAL: all is there that is asked for or was there before."""
    composed = answer.desired.resources
    region = structs.dig(request.observed.composite.resource, "spec", "region")
    names = {
        f"node-pool-{pool['name']}"
        for pool in structs.dig(request.observed.composite.resource, "spec", "nodePools")
    }
    assert composed.keys() >= BASE | (names & request.observed.resources.keys())
    assert composed.keys() >= request.desired.resources.keys()
    # What an earlier function desired under a pool's name stays until the cluster is ready.
    for name in BASE | (names & composed.keys() - request.desired.resources.keys()):
        assert structs.dig(composed[name].resource, "spec", "forProvider", "region") == region
    assert all(result.severity == fnv1.SEVERITY_WARNING for result in answer.results)
    assert [condition.type for condition in answer.conditions] == CONDITIONS
    [secret] = structs.dig(answer.desired.composite.resource, "status", "secrets")
    assert secret["type"] == "Kubeconfig"


def same(one: fnv1.State, other: fnv1.State) -> bool:
    """Whether two states are the same, in whatever order protobuf has their fields.

    As text: messages that hold NaN never equal themselves, and even in what protobuf calls
    deterministic bytes, the order of some keys differs.
    """
    return sorted(str(one).splitlines()) == sorted(str(other).splitlines())
