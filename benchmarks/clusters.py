"""CivoClusters, and the requests that Crossplane sends for them."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from crossplane.function.proto.v1 import run_function_pb2 as fnv1

from function.cli import life

Object = dict[str, Any]

# As many as a cluster can have, of the kinds that people have: no two alike.
_POOLS: list[Object] = [
    {"name": "workers", "role": "System", "size": "g4p.kube.small", "nodeCount": 3},
    {"name": "ingress", "role": "System", "size": "g4s.kube.medium", "maxNodeCount": 6},
    *(
        {
            "name": f"gpu-{accelerator}-{per_node}",
            "role": "GPU",
            "size": f"an.g1.{accelerator}.kube.x{per_node}",
            "gpu": {"acceleratorType": f"nvidia-{accelerator}"},
            **counts,
        }
        for accelerator, per_node, counts in (
            ("l40s", 1, {"nodeCount": 2, "minNodeCount": 1, "maxNodeCount": 8}),
            ("l40s", 2, {"nodeCount": 4}),
            ("l40s", 8, {"maxNodeCount": 2}),
            ("h100", 1, {"nodeCount": 1}),
            ("h100", 4, {"minNodeCount": 2, "maxNodeCount": 4}),
            ("h100", 8, {"nodeCount": 2, "maxNodeCount": 16}),
        )
    ),
]


def cluster(pools: int) -> Object:
    """Return the CivoCluster that benchmarks measure, with a number of pools from 1 to 8."""
    return xr("inference", "ml", {"region": "NYC1", "nodePools": _POOLS[-pools:]})


def any_cluster(chance: random.Random, name: str, namespace: str) -> Object:
    """Return a CivoCluster with pools and other fields left to chance."""
    spec: Object = {
        "region": chance.choice(["LON1", "NYC1", "FRA1", "PHX1"]),
        "nodePools": chance.sample(_POOLS, chance.randint(1, len(_POOLS))),
    }
    if chance.random() < 0.5:
        spec["kubernetesVersion"] = chance.choice(["1.33.4-k3s1", "1.34.1-k3s1", "1.35.0-k3s1"])
    if chance.random() < 0.3:
        spec["credentials"] = {"type": "ProviderConfig", "name": namespace}
    return xr(name, namespace, spec)


def xr(name: str, namespace: str, spec: Object) -> Object:
    """Return a CivoCluster as the API server has it once Crossplane has seen it."""
    return {
        "apiVersion": "infrastructure.modelplane.ai/v1alpha1",
        "kind": "CivoCluster",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"crossplane": {"compositionRef": {"name": "civoclusters"}}, **spec},
    }


@dataclass(frozen=True)
class Moment:
    """A moment in the life of a cluster."""

    cluster: Object
    """The CivoCluster with its status."""
    observed: Mapping[str, Object]
    """What exists of it, by composition resource name."""
    composed: frozenset[str]
    """The composition resource names of what is composed for it."""

    def request(self) -> fnv1.RunFunctionRequest:
        """Return the request that Crossplane sends."""
        return request(self.cluster, self.observed)


def moments(cluster: Object) -> Iterator[Moment]:
    """Yield every pass of a cluster until all is ready."""
    was: Object = {}
    for one in life.live(cluster):
        yield Moment({**cluster, **was}, one.observed, frozenset(one.composed))
        was = {"status": one.composite["status"]}


def first(cluster: Object) -> fnv1.RunFunctionRequest:
    """Return the request of a cluster's first pass, when nothing exists."""
    return request(cluster, {})


def steady(cluster: Object) -> fnv1.RunFunctionRequest:
    """Return the request of every pass from when all is ready."""
    *_, last = moments(cluster)
    return last.request()


def request(cluster: Object, observed: Mapping[str, Object]) -> fnv1.RunFunctionRequest:
    """Return the request that Crossplane sends for a cluster and what exists of it."""
    built = fnv1.RunFunctionRequest(meta=fnv1.RequestMeta(tag=cluster["metadata"]["name"]))
    built.observed.composite.resource.update(_stored(cluster))
    for name, resource in observed.items():
        built.observed.resources[name].resource.update(_stored(resource))
    return built


def _stored(resource: Object) -> Object:
    """Return a resource with what the API server adds to every one that it stores."""
    applied = {key: value for key, value in resource.items() if key != "status"}
    managers = [
        _manager("apiextensions.crossplane.io/composed", _fields(applied)),
        _manager("provider", {"f:status": _fields(resource.get("status", {}))}),
    ]
    metadata = {
        "uid": "8c1e6a4b-3f6e-5c58-9d0e-2b9f4c7a1d35",
        "resourceVersion": "184467",
        "generation": 3,
        "creationTimestamp": "2024-01-01T00:00:00Z",
        "finalizers": ["finalizer.managedresource.crossplane.io"],
        "managedFields": managers,
        **resource["metadata"],
    }
    return {**resource, "metadata": metadata}


def _manager(name: str, fields: Object) -> Object:
    return {
        "manager": name,
        "operation": "Apply",
        "apiVersion": "v1",
        "time": "2024-01-01T00:00:00Z",
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
    }


def _fields(value: Any) -> Object:
    """Return the names of a value's fields in the notation of `managedFields`."""
    if not isinstance(value, dict):
        return {}
    return {f"f:{key}": _fields(inner) for key, inner in value.items()}
