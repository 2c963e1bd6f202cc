"""Every situation that the function can find an XR in, and what it composes in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from running import Object

HASHED = "inference-45e99"
SECRET = "inference-kubeconfig-c53c6"  # noqa: S105 - a Secret's name

WORKERS: Object = {"name": "workers", "role": "System", "size": "g4p.kube.small", "nodeCount": 2}
GPU: Object = {
    "name": "gpu-l40s",
    "role": "GPU",
    "size": "an.g1.l40s.kube.x1",
    "nodeCount": 2,
    "minNodeCount": 3,
    "maxNodeCount": 5,
    "gpu": {"acceleratorType": "nvidia-l40s"},
}
FIXED_GPU = {
    key: value for key, value in GPU.items() if key not in ("minNodeCount", "maxNodeCount")
}


def cluster_xr(*pools: Object, **spec: Any) -> Object:
    """Return an XR as the API server sends it, with what Crossplane puts into it."""
    return {
        "apiVersion": "infrastructure.modelplane.ai/v1alpha1",
        "kind": "CivoCluster",
        "metadata": {
            "name": "inference",
            "namespace": "ml",
            "uid": "7841cd82-3122-5cc1-a75b-a29f207cb998",
            "managedFields": [{"manager": "crossplane", "operation": "Apply"}],
        },
        "spec": {
            "region": "NYC1",
            "nodePools": list(pools or (WORKERS, GPU)),
            "crossplane": {"compositionRef": {"name": "civoclusters"}},
            **spec,
        },
        "status": {"conditions": [{"type": "Ready", "status": "False", "reason": "Creating"}]},
    }


CIVO: Object = {
    "managementPolicies": ["Observe", "Create", "Update", "Delete"],
    "providerConfigRef": {"kind": "ClusterProviderConfig", "name": "default"},
}
NETWORK: Object = {
    "apiVersion": "vpc.civo.m.upbound.io/v1beta1",
    "kind": "Network",
    "spec": {**CIVO, "forProvider": {"label": HASHED, "region": "NYC1"}},
}


def allow(label: str, protocol: str, **ports: str) -> Object:
    return {
        "label": label,
        "protocol": protocol,
        "cidr": ["0.0.0.0/0"],
        "action": "allow",
        **ports,
    }


FIREWALL: Object = {
    "apiVersion": "vpc.civo.m.upbound.io/v1beta1",
    "kind": "Firewall",
    "spec": {
        **CIVO,
        "forProvider": {
            "name": HASHED,
            "region": "NYC1",
            "networkIdSelector": {"matchControllerRef": True},
            "createDefaultRules": False,
            "ingressRule": [
                allow("kubernetes-api", "tcp", portRange="6443"),
                allow("http", "tcp", portRange="80"),
                allow("https", "tcp", portRange="443"),
            ],
            "egressRule": [
                allow("all-tcp", "tcp", portRange="1-65535"),
                allow("all-udp", "udp", portRange="1-65535"),
                allow("all-icmp", "icmp"),
            ],
        },
    },
}
CLUSTER: Object = {
    "apiVersion": "kubernetes.civo.m.upbound.io/v1beta1",
    "kind": "Cluster",
    "spec": {
        **CIVO,
        "forProvider": {
            "name": HASHED,
            "region": "NYC1",
            "cni": "cilium",
            "applications": "-traefik2-nodeport",
            "networkIdSelector": {"matchControllerRef": True},
            "firewallIdSelector": {"matchControllerRef": True},
            "writeKubeconfig": True,
        },
        "initProvider": {
            "pools": {
                "label": "system",
                "size": "g4p.kube.small",
                "nodeCount": 2,
                "labels": {"modelplane.ai/pool": "system"},
            }
        },
        "writeConnectionSecretToRef": {"name": SECRET},
    },
}
POOL: Object = {"apiVersion": "kubernetes.civo.m.upbound.io/v1beta1", "kind": "NodePool"}
WORKERS_POOL: Object = {
    **POOL,
    "spec": {
        **CIVO,
        "forProvider": {
            "label": "workers",
            "region": "NYC1",
            "size": "g4p.kube.small",
            "nodeCount": 2,
            "labels": {"modelplane.ai/pool": "workers"},
            "clusterIdSelector": {"matchControllerRef": True},
        },
    },
}
GPU_POOL: Object = {
    **POOL,
    "spec": {
        **CIVO,
        "forProvider": {
            "label": "gpu-l40s",
            "region": "NYC1",
            "size": "an.g1.l40s.kube.x1",
            "labels": {"modelplane.ai/pool": "gpu-l40s", "modelplane.ai/gpu": "nvidia-l40s"},
            "taint": [{"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}],
            "clusterIdSelector": {"matchControllerRef": True},
        },
        "initProvider": {"nodeCount": 3},
    },
}
PROVIDER_CONFIG: Object = {
    "apiVersion": "helm.m.crossplane.io/v1beta1",
    "kind": "ProviderConfig",
    "metadata": {"name": SECRET, "namespace": "ml"},
    "spec": {
        "credentials": {
            "source": "Secret",
            "secretRef": {"name": SECRET, "namespace": "ml", "key": "kubeconfig"},
        }
    },
}
GROUP: Object = {"name": "gpu-l40s", "minSize": 3, "maxSize": 5}


def release(*groups: Object, **values: Any) -> Object:
    return {
        "apiVersion": "helm.m.crossplane.io/v1beta1",
        "kind": "Release",
        "metadata": {"annotations": {"crossplane.io/external-name": "cluster-autoscaler"}},
        "spec": {
            "managementPolicies": ["Observe", "Create", "Update"],
            "providerConfigRef": {"kind": "ProviderConfig", "name": SECRET},
            "rollbackLimit": 3,
            "forProvider": {
                "chart": {
                    "name": "cluster-autoscaler",
                    "repository": "https://kubernetes.github.io/autoscaler",
                    "version": "9.57.0",
                },
                "namespace": "kube-system",
                "values": {
                    "cloudProvider": "civo",
                    "fullnameOverride": "cluster-autoscaler",
                    "secretKeyRefNameOverride": "civo-api-access",
                    "autoscalingGroups": list(groups),
                    "extraArgs": {
                        "enforce-node-group-min-size": True,
                        "skip-nodes-with-local-storage": False,
                        "skip-nodes-with-system-pods": False,
                        "max-node-provision-time": "30m",
                    },
                    "affinity": {
                        "nodeAffinity": {
                            "preferredDuringSchedulingIgnoredDuringExecution": [
                                {
                                    "weight": 100,
                                    "preference": {
                                        "matchExpressions": [
                                            {
                                                "key": "kubernetes.civo.com/civo-node-pool",
                                                "operator": "In",
                                                "values": ["system"],
                                            }
                                        ]
                                    },
                                }
                            ]
                        }
                    },
                    "resources": {"requests": {"cpu": "100m", "memory": "300Mi"}},
                    **values,
                },
            },
        },
    }


FIXED_GPU_POOL: Object = {
    **POOL,
    "spec": {
        **CIVO,
        "forProvider": {**GPU_POOL["spec"]["forProvider"], "nodeCount": 2},
    },
}


# The release of a cluster that runs 1.35.
ON_1_35: Object = {"image": {"tag": "v1.35.2"}}


def changed(resource: Object, **for_provider: Any) -> Object:
    """Return a resource with other fields in forProvider; None takes one out."""
    spec = resource["spec"]
    fields = {**spec["forProvider"], **for_provider}
    kept = {key: value for key, value in fields.items() if value is not None}
    return {**resource, "spec": {**spec, "forProvider": kept}}


def seen(resource: Object, *, ready: bool = True, external: str = "", **at_provider: Any) -> Object:
    """Return a resource as it is observed."""
    annotations = resource.get("metadata", {}).get("annotations", {})
    if external:
        annotations = {**annotations, "crossplane.io/external-name": external}
    condition = {"type": "Ready", "status": str(ready), "reason": "Any"}
    synced = {"type": "Synced", "status": "True", "reason": "ReconcileSuccess"}
    return {
        **resource,
        "metadata": {"name": "inference-abc", "namespace": "ml", "annotations": annotations},
        "status": {"conditions": [synced, condition], "atProvider": at_provider},
    }


def unresolved(resource: Object) -> Object:
    """Return a resource as it is observed while what it refers to is still to come."""
    return failing(
        resource,
        "cannot resolve references: mg.Spec.ForProvider.NetworkID: referenced field was empty "
        "(referenced resource may not yet be ready)",
    )


def failing(resource: Object, message: str, *, in_background: bool = False) -> Object:
    """Return a resource as it is observed when its provider fails."""
    error = {"status": "False", "message": message}
    conditions = [{**error, "type": "Synced", "reason": "ReconcileError"}]
    if in_background:
        conditions = [
            {"type": "Synced", "status": "True", "reason": "ReconcileSuccess"},
            {**error, "type": "LastAsyncOperation", "reason": "AsyncCreateFailure"},
        ]
    return {
        **resource,
        "metadata": {"name": "inference-abc", "namespace": "ml"},
        "status": {"conditions": conditions},
    }


SEEN_NETWORK = seen(NETWORK, external="net-1")
SEEN_FIREWALL = seen(FIREWALL, external="fw-1")
SEEN_CLUSTER = seen(
    CLUSTER,
    external="cl-1",
    id="cl-1",
    name=HASHED,
    status="ACTIVE",
    apiEndpoint="https://203.0.113.10:6443",
    kubernetesVersion="1.35.0-k3s1",
)
UNREADY_CLUSTER = seen(CLUSTER, ready=False, external="cl-1", status="UPGRADING")
BASE = {"network": SEEN_NETWORK, "firewall": SEEN_FIREWALL, "cluster": SEEN_CLUSTER}
SEEN_WORKERS = seen(WORKERS_POOL, external="workers", nodeCount=2)
SEEN_GPU = seen(GPU_POOL, external="gpu-l40s", nodeCount=4)
SEEN_RELEASE = seen(release(GROUP, **ON_1_35), state="deployed")
ALL = {
    **BASE,
    "node-pool-workers": SEEN_WORKERS,
    "node-pool-gpu-l40s": SEEN_GPU,
    "provider-config-helm": PROVIDER_CONFIG,
    "release-cluster-autoscaler": SEEN_RELEASE,
}

DESIRED_BASE = {"network": NETWORK, "firewall": FIREWALL, "cluster": CLUSTER}
DESIRED_ALL = {
    **DESIRED_BASE,
    "node-pool-workers": WORKERS_POOL,
    "node-pool-gpu-l40s": GPU_POOL,
    "provider-config-helm": PROVIDER_CONFIG,
    "release-cluster-autoscaler": release(GROUP, **ON_1_35),
}


@dataclass(frozen=True)
class Situation:
    """What there is, and what must come of it."""

    name: str
    reason: str
    """Why it must be so."""
    desired: Mapping[str, Object]
    observed: Mapping[str, Object] = field(default_factory=dict)
    ready: frozenset[str] = frozenset()
    xr: Object = field(default_factory=cluster_xr)
    warnings: tuple[str, ...] = ()
    """The reasons of the warnings."""


def ready(*resources: str) -> frozenset[str]:
    return frozenset(resources)


EVERYTHING = frozenset(DESIRED_ALL)
QUOTA = (
    "create failed: async create failed: failed to create the resource: [{0 [ERR] failed to create "
    "the pool: quota_limit_reached: instance count 16 of 16  []}]"
)

# As many pools as a cluster can have, each of which fails with another code.
POOL_PER_CODE = {
    f"pool-{number}": code
    for number, code in enumerate(
        [
            "database_size_not_found",
            "region_unavailable",
            "database_kubernetes_cluster_invalid_version",
            "database_duplicate_cluster_name_not_allowed",
            "database_network_exists",
            "database_firewall_duplicate_name",
            "database_network_inuse_by_volumes",
            "database_firewall_inuse_by_cluster",
        ]
    )
}

SITUATIONS = [
    Situation(
        name="nothing exists",
        reason="pools can't be created before the cluster is there",
        desired=DESIRED_BASE,
    ),
    Situation(
        name="the network is ready",
        reason="a resource is ready when its condition Ready is True",
        observed={"network": SEEN_NETWORK, "firewall": unresolved(FIREWALL)},
        desired=DESIRED_BASE,
        ready=ready("network"),
    ),
    Situation(
        name="the cluster is being built",
        reason="the gate is the condition Ready of the cluster, and nothing else of it",
        observed={
            **BASE,
            "cluster": seen(CLUSTER, ready=False, external="cl-1", status="BUILDING"),
        },
        desired=DESIRED_BASE,
        ready=ready("network", "firewall"),
    ),
    Situation(
        name="the cluster has become ready",
        reason="the pools' IDs aren't known yet, so the autoscaler has no group",
        observed=BASE,
        desired={**DESIRED_ALL, "release-cluster-autoscaler": release(**ON_1_35)},
        ready=ready("network", "firewall", "cluster", "provider-config-helm"),
    ),
    Situation(
        name="the pools are being created",
        reason="a group appears with its pool's ID, ready or not",
        observed={
            **ALL,
            "node-pool-gpu-l40s": seen(GPU_POOL, ready=False, external="gpu-l40s"),
            "release-cluster-autoscaler": seen(release(**ON_1_35), ready=False),
        },
        desired=DESIRED_ALL,
        ready=EVERYTHING - {"node-pool-gpu-l40s", "release-cluster-autoscaler"},
    ),
    Situation(
        name="the autoscaler is installed before a pool's ID is known",
        reason="it has nothing to scale until then",
        observed={**ALL, "node-pool-gpu-l40s": seen(GPU_POOL, ready=False)},
        desired={**DESIRED_ALL, "release-cluster-autoscaler": release(**ON_1_35)},
        ready=EVERYTHING - {"node-pool-gpu-l40s"},
    ),
    Situation(
        name="everything is ready",
        reason="a healthy cluster gets no event",
        observed=ALL,
        desired=DESIRED_ALL,
        ready=EVERYTHING,
    ),
    Situation(
        name="the autoscaler has scaled a pool",
        reason="it owns the count: nobody reverts it",
        observed={**ALL, "node-pool-gpu-l40s": seen(GPU_POOL, external="gpu-l40s", nodeCount=5)},
        desired=DESIRED_ALL,
        ready=EVERYTHING,
    ),
    Situation(
        name="the cluster flaps",
        reason="a flapping condition must never delete a node",
        observed={**ALL, "cluster": UNREADY_CLUSTER},
        # Its version is in no field of the observation.
        desired={**DESIRED_ALL, "release-cluster-autoscaler": release(GROUP)},
        ready=EVERYTHING - {"cluster"},
    ),
    Situation(
        name="the cluster flaps, known from earlier runs",
        reason="a value once known stays: the autoscaler isn't upgraded for a flap",
        xr={
            **cluster_xr(),
            "status": {
                "cluster": {
                    "name": HASHED,
                    "id": "cl-1",
                    "endpoint": "https://203.0.113.10:6443",
                    "kubernetesVersion": "1.35.0-k3s1",
                },
                "firewallId": "fw-1",
                "nodePools": [
                    {"name": "workers", "id": "workers", "nodeCount": 2, "ready": True},
                    {"name": "gone", "id": "gone", "nodeCount": 1, "ready": True},
                ],
            },
        },
        observed={
            **ALL,
            "firewall": FIREWALL,
            "cluster": UNREADY_CLUSTER,
            "node-pool-workers": WORKERS_POOL,
        },
        desired=DESIRED_ALL,
        ready=EVERYTHING - {"firewall", "cluster", "node-pool-workers"},
    ),
    Situation(
        name="the cluster has lost its conditions",
        reason="no condition is no reason to delete either",
        observed={**ALL, "cluster": {**SEEN_CLUSTER, "status": {}}},
        desired={**DESIRED_ALL, "release-cluster-autoscaler": release(GROUP)},
        ready=EVERYTHING - {"cluster"},
    ),
    Situation(
        name="only a pool is left",
        reason="any dependent shows that the gate was open",
        observed={"node-pool-gpu-l40s": SEEN_GPU},
        desired={**DESIRED_ALL, "release-cluster-autoscaler": release(GROUP)},
        ready=ready("node-pool-gpu-l40s", "provider-config-helm"),
    ),
    Situation(
        name="only the ProviderConfig was created",
        reason="a run that broke off in the middle is finished",
        observed={**BASE, "cluster": UNREADY_CLUSTER, "provider-config-helm": PROVIDER_CONFIG},
        desired={**DESIRED_ALL, "release-cluster-autoscaler": release()},
        ready=ready("network", "firewall", "provider-config-helm"),
    ),
    Situation(
        name="only the release was created",
        reason="a run that broke off in the middle is finished",
        observed={**BASE, "cluster": UNREADY_CLUSTER, "release-cluster-autoscaler": SEEN_RELEASE},
        desired={**DESIRED_ALL, "release-cluster-autoscaler": release()},
        ready=ready("network", "firewall", "provider-config-helm", "release-cluster-autoscaler"),
    ),
    Situation(
        name="only a pool was created that the user has taken out since",
        reason="it goes, and the others come: the gate was open",
        observed={**BASE, "cluster": UNREADY_CLUSTER, "node-pool-old": seen(WORKERS_POOL)},
        desired={**DESIRED_ALL, "release-cluster-autoscaler": release()},
        ready=ready("network", "firewall", "provider-config-helm"),
    ),
    Situation(
        name="a pool is taken out",
        reason="it alone goes; and without any group left, the autoscaler is turned off",
        xr=cluster_xr(WORKERS),
        observed=ALL,
        desired={
            **DESIRED_BASE,
            "node-pool-workers": WORKERS_POOL,
            "provider-config-helm": PROVIDER_CONFIG,
            "release-cluster-autoscaler": release(**ON_1_35),
        },
        ready=EVERYTHING - {"node-pool-gpu-l40s"},
    ),
    Situation(
        name="a pool is added while the cluster flaps",
        reason="everything that the spec asks for is composed from the first dependent on",
        xr=cluster_xr(WORKERS, FIXED_GPU),
        observed={**BASE, "cluster": UNREADY_CLUSTER, "node-pool-workers": SEEN_WORKERS},
        desired={
            **DESIRED_BASE,
            "node-pool-workers": WORKERS_POOL,
            "node-pool-gpu-l40s": FIXED_GPU_POOL,
        },
        ready=ready("network", "firewall", "node-pool-workers"),
    ),
    Situation(
        name="no pool was ever autoscaled",
        reason="a cluster without autoscaled pools needs no autoscaler",
        xr=cluster_xr(WORKERS, FIXED_GPU),
        observed={
            **BASE,
            "node-pool-workers": SEEN_WORKERS,
            "node-pool-gpu-l40s": seen(FIXED_GPU_POOL, external="gpu-l40s", nodeCount=2),
        },
        desired={
            **DESIRED_BASE,
            "node-pool-workers": WORKERS_POOL,
            "node-pool-gpu-l40s": FIXED_GPU_POOL,
        },
        ready=ready("network", "firewall", "cluster", "node-pool-workers", "node-pool-gpu-l40s"),
    ),
    Situation(
        name="the last autoscaled pool goes fixed-size",
        reason="the release stays, without groups: dropped, the autoscaler would run on",
        xr=cluster_xr(WORKERS, FIXED_GPU),
        observed=ALL,
        desired={
            **DESIRED_ALL,
            "node-pool-gpu-l40s": FIXED_GPU_POOL,
            "release-cluster-autoscaler": release(**ON_1_35),
        },
        ready=EVERYTHING,
    ),
    Situation(
        name="the last autoscaled pool goes fixed-size before the release was created",
        reason="only pools ever go: the run that broke off is finished, and turned off",
        xr=cluster_xr(WORKERS, FIXED_GPU),
        observed={**BASE, "provider-config-helm": PROVIDER_CONFIG},
        desired={
            **DESIRED_ALL,
            "node-pool-gpu-l40s": FIXED_GPU_POOL,
            "release-cluster-autoscaler": release(**ON_1_35),
        },
        ready=ready("network", "firewall", "cluster", "provider-config-helm"),
    ),
    Situation(
        name="the last autoscaled pool goes fixed-size before the release was created, in a flap",
        reason="it is the same where the condition doesn't tell that the cluster was ready",
        xr=cluster_xr(WORKERS, FIXED_GPU),
        observed={**BASE, "cluster": UNREADY_CLUSTER, "provider-config-helm": PROVIDER_CONFIG},
        desired={
            **DESIRED_ALL,
            "node-pool-gpu-l40s": FIXED_GPU_POOL,
            "release-cluster-autoscaler": release(),
        },
        ready=ready("network", "firewall", "provider-config-helm"),
    ),
    Situation(
        name="the last autoscaled pool goes fixed-size, and the ProviderConfig is missing",
        reason="the release was composed once, so both stay",
        xr=cluster_xr(WORKERS, FIXED_GPU),
        observed={**BASE, "release-cluster-autoscaler": SEEN_RELEASE},
        desired={
            **DESIRED_ALL,
            "node-pool-gpu-l40s": FIXED_GPU_POOL,
            "release-cluster-autoscaler": release(**ON_1_35),
        },
        ready=ready(*BASE, "provider-config-helm", "release-cluster-autoscaler"),
    ),
    Situation(
        name="the last autoscaled pool goes fixed-size while the cluster flaps",
        reason="the release was composed once, so it stays",
        xr=cluster_xr(WORKERS, FIXED_GPU),
        observed={**ALL, "cluster": UNREADY_CLUSTER},
        desired={
            **DESIRED_ALL,
            "node-pool-gpu-l40s": FIXED_GPU_POOL,
            "release-cluster-autoscaler": release(),
        },
        ready=EVERYTHING - {"cluster"},
    ),
    Situation(
        name="a cluster of which nothing was asked yet",
        reason="a spec without parameters doesn't tell that it was created without them",
        observed={**BASE, "cluster": {**UNREADY_CLUSTER, "spec": {}}},
        desired=DESIRED_BASE,
        ready=ready("network", "firewall"),
    ),
    Situation(
        name="composed by an earlier function",
        reason="names stay, what can't change on a cluster stays, and nothing is deleted",
        observed={
            **ALL,
            "network": changed(SEEN_NETWORK, label="inference"),
            "firewall": changed(
                SEEN_FIREWALL,
                name="inference",
                createDefaultRules=True,
                ingressRule=None,
                egressRule=None,
            ),
            "cluster": changed(
                SEEN_CLUSTER,
                name="inference",
                cni="flannel",
                applications=None,
                pools={"label": "system", "size": "g4s.kube.medium", "nodeCount": 3},
            ),
            "release-cluster-autoscaler": seen(release(GROUP, **ON_1_35), external="inference-xyz"),
        },
        desired={
            **DESIRED_ALL,
            "network": changed(NETWORK, label="inference"),
            "firewall": changed(FIREWALL, name="inference"),
            "cluster": changed(CLUSTER, name="inference", cni="flannel", applications=None),
            "release-cluster-autoscaler": {
                **release(GROUP, **ON_1_35),
                "metadata": {"annotations": {"crossplane.io/external-name": "inference-xyz"}},
            },
        },
        ready=EVERYTHING,
    ),
    Situation(
        name="observed fields of types that they can't have",
        reason="nobody's mistake may break the run, or reach the status that the XRD types",
        observed={
            **ALL,
            "network": changed(SEEN_NETWORK, label=8),
            "firewall": changed(SEEN_FIREWALL, name=["inference"]),
            "cluster": changed(SEEN_CLUSTER, name={"a": "b"}),
            "node-pool-gpu-l40s": seen(GPU_POOL, external="gpu-l40s", nodeCount=1.5),
            "node-pool-workers": seen(WORKERS_POOL, external="workers", nodeCount="2"),
        },
        desired=DESIRED_ALL,
        ready=EVERYTHING,
    ),
    Situation(
        name="a cluster that Civo could not create yet",
        reason="what doesn't exist in Civo may still change, but for its name",
        observed={**BASE, "cluster": changed(seen(CLUSTER, ready=False), cni="flannel")},
        desired=DESIRED_BASE,
        ready=ready("network", "firewall"),
    ),
    Situation(
        name="a provider config of the namespace",
        reason="every Civo resource authenticates with what the spec names",
        xr=cluster_xr(WORKERS, credentials={"type": "ProviderConfig", "name": "team-a"}),
        observed={"cluster": SEEN_CLUSTER},
        desired={
            name: {
                **resource,
                "spec": {
                    **resource["spec"],
                    "providerConfigRef": {"kind": "ProviderConfig", "name": "team-a"},
                },
            }
            for name, resource in (DESIRED_BASE | {"node-pool-workers": WORKERS_POOL}).items()
        },
        ready=ready("cluster"),
    ),
    Situation(
        name="credentials of which a part is left out",
        reason="the other part has its default",
        xr=cluster_xr(WORKERS, credentials={"name": "other"}),
        desired={
            name: {
                **resource,
                "spec": {
                    **resource["spec"],
                    "providerConfigRef": {"kind": "ClusterProviderConfig", "name": "other"},
                },
            }
            for name, resource in DESIRED_BASE.items()
        },
    ),
    Situation(
        name="a pinned version without generally available DRA",
        reason="GPU workloads claim GPUs with it",
        xr=cluster_xr(kubernetesVersion="1.33.4-k3s1"),
        desired={**DESIRED_BASE, "cluster": changed(CLUSTER, kubernetesVersion="1.33.4-k3s1")},
        warnings=("DynamicResourceAllocationUnavailable",),
    ),
    Situation(
        name="a pinned version without DRA, and no GPU",
        reason="who has no GPU claims none",
        xr=cluster_xr(WORKERS, kubernetesVersion="1.33.4-k3s1"),
        desired={**DESIRED_BASE, "cluster": changed(CLUSTER, kubernetesVersion="1.33.4-k3s1")},
    ),
    Situation(
        name="gpu on a System pool",
        reason="only role GPU makes a GPU pool",
        xr=cluster_xr({**WORKERS, "gpu": {"acceleratorType": "nvidia-l40s"}}),
        observed={"cluster": SEEN_CLUSTER},
        desired={**DESIRED_BASE, "node-pool-workers": WORKERS_POOL},
        ready=ready("cluster"),
    ),
    Situation(
        name="an autoscaled pool without minNodeCount",
        reason="its minimum is nodeCount",
        xr=cluster_xr({key: value for key, value in GPU.items() if key != "minNodeCount"}),
        observed={"cluster": SEEN_CLUSTER, "node-pool-gpu-l40s": SEEN_GPU},
        desired={
            **DESIRED_BASE,
            "node-pool-gpu-l40s": {
                **GPU_POOL,
                "spec": {**GPU_POOL["spec"], "initProvider": {"nodeCount": 2}},
            },
            "provider-config-helm": PROVIDER_CONFIG,
            "release-cluster-autoscaler": release({**GROUP, "minSize": 2}, **ON_1_35),
        },
        ready=ready("cluster", "node-pool-gpu-l40s", "provider-config-helm"),
    ),
    Situation(
        name="an autoscaled pool that starts above its minimum",
        reason="it is created with the larger of nodeCount and the minimum",
        xr=cluster_xr({**GPU, "nodeCount": 4}),
        observed={"cluster": SEEN_CLUSTER, "node-pool-gpu-l40s": SEEN_GPU},
        desired={
            **DESIRED_BASE,
            "node-pool-gpu-l40s": {
                **GPU_POOL,
                "spec": {**GPU_POOL["spec"], "initProvider": {"nodeCount": 4}},
            },
            "provider-config-helm": PROVIDER_CONFIG,
            "release-cluster-autoscaler": release(GROUP, **ON_1_35),
        },
        ready=ready("cluster", "node-pool-gpu-l40s", "provider-config-helm"),
    ),
    Situation(
        name="Civo refuses the token",
        reason="the first thing that fails, and the commonest",
        observed={
            "network": failing(
                NETWORK,
                "cannot observe external resource: observe failed: failed to observe the resource: "
                "[{0 [ERR] requires_authentication: token Zm9vYmFyMTIzNDU2Nzg5MGFiY2RlZg==  []}]",
            )
        },
        desired=DESIRED_BASE,
        warnings=("Unauthenticated",),
    ),
    Situation(
        name="the quota is used up for a pool",
        reason="the others stay, and the warning says what to do",
        observed={**ALL, "node-pool-gpu-l40s": failing(GPU_POOL, QUOTA, in_background=True)},
        desired={**DESIRED_ALL, "release-cluster-autoscaler": release(**ON_1_35)},
        ready=EVERYTHING - {"node-pool-gpu-l40s"},
        warnings=("QuotaExceeded",),
    ),
    Situation(
        name="an error of which nothing is known",
        reason="its message passes through, cleaned",
        observed={
            **ALL,
            "cluster": failing(CLUSTER, "cannot reach Civo:\n\x1b[31mbroken\x1b[0m pipe"),
            "release-cluster-autoscaler": failing(release(GROUP), "chart not found"),
        },
        desired={**DESIRED_ALL, "release-cluster-autoscaler": release(GROUP)},
        ready=EVERYTHING - {"cluster", "release-cluster-autoscaler"},
        warnings=("ReconcileError", "ReconcileError"),
    ),
    Situation(
        name="every code of Civo's that is known",
        reason="each has its cause and its remedy",
        xr=cluster_xr(*({**WORKERS, "name": name} for name in POOL_PER_CODE)),
        observed=BASE
        | {
            f"node-pool-{name}": failing(WORKERS_POOL, f"create failed: {code}: no")
            for name, code in POOL_PER_CODE.items()
        },
        desired=DESIRED_BASE
        | {
            f"node-pool-{name}": changed(
                WORKERS_POOL, label=name, labels={"modelplane.ai/pool": name}
            )
            for name in POOL_PER_CODE
        },
        ready=ready("network", "firewall", "cluster"),
        warnings=(
            "SizeNotFound",
            "RegionUnavailable",
            "VersionNotOffered",
            "NameTaken",
            "NameTaken",
            "NameTaken",
            "VolumesLeft",
            "FirewallInUse",
        ),
    ),
]
