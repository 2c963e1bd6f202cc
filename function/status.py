"""The fields of an XR's status that the function writes."""

from typing import Any, TypeVar

from google.protobuf.struct_pb2 import Struct

from function import names, structs
from function.api import CivoCluster, NodePool
from function.observed import Observed

_T = TypeVar("_T", str, int)

_NOTHING = Struct()


def build(xr: CivoCluster, observed: Observed) -> dict[str, Any]:
    """Return the fields of the XR's status that are this function's.

    `secrets` is there from the first run on, before the Secret is. All else is what was observed
    in Civo; a value once known stays when an observation comes without it.
    """
    previous = observed.status
    known: dict[str, Any] = {
        "cluster": _known(
            structs.object_at(previous, "cluster"),
            str,
            name=observed.at_provider(names.CLUSTER, "name"),
            id=observed.at_provider(names.CLUSTER, "id"),
            endpoint=observed.at_provider(names.CLUSTER, "apiEndpoint"),
            kubernetesVersion=observed.kubernetes_version(),
        ),
        **_known(
            previous,
            str,
            firewallId=observed.external_name(names.FIREWALL),
        ),
    }
    before = {structs.text(pool, "name"): pool for pool in structs.objects(previous, "nodePools")}
    return {
        "secrets": [
            {
                "type": "Kubeconfig",
                "name": names.kubeconfig_secret(xr.metadata.name),
                "key": names.KUBECONFIG_KEY,
            }
        ],
        **{field: value for field, value in known.items() if value},
        "nodePools": [
            _pool(pool, observed, before.get(pool.name, _NOTHING)) for pool in xr.spec.node_pools
        ],
    }


def _pool(pool: NodePool, observed: Observed, previous: Struct) -> dict[str, Any]:
    name = names.node_pool(pool.name)
    return {
        "name": pool.name,
        **_known(previous, str, id=observed.external_name(name)),
        **_known(previous, int, nodeCount=observed.at_provider(name, "nodeCount")),
        "autoscaled": pool.autoscaled,
        "ready": observed.ready(name),
    }


def _known(previous: Struct, kind: type[_T], **observed: object) -> dict[str, _T]:
    """Return the fields that are known: as observed now, else as they were before.

    What is of another type than the XRD says is left out: with it the API server would refuse
    the whole status.
    """
    return {
        field: value
        for field, seen in observed.items()
        if type(value := seen or structs.get(previous, field)) is kind and value
    }
