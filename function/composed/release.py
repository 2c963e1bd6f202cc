"""The Helm release of the cluster autoscaler, in the cluster's kube-system namespace.

The values were read in, and rendered with, the chart's own templates.
"""

from typing import Any, Literal

from typing_extensions import TypedDict

from function import names, versions
from function.api import CivoCluster
from function.composed import base
from function.observed import EXTERNAL_NAME, Observed

_NAME = "cluster-autoscaler"


class Metadata(TypedDict):
    """The Release's metadata."""

    annotations: dict[str, str]


class Chart(TypedDict):
    """A chart in a Helm repository."""

    name: str
    repository: str
    version: str


class Parameters(TypedDict):
    """The release to install."""

    chart: Chart
    namespace: str
    values: dict[str, Any]


class Spec(TypedDict):
    """A Release's spec."""

    managementPolicies: base.ManagementPolicies
    providerConfigRef: base.ProviderConfigRef
    rollbackLimit: int
    forProvider: Parameters


class Release(TypedDict):
    """A Release of provider-helm."""

    apiVersion: Literal["helm.m.crossplane.io/v1beta1"]
    kind: Literal["Release"]
    metadata: Metadata
    spec: Spec


def build(xr: CivoCluster, observed: Observed) -> Release:
    """Build the release: one autoscaling group for each autoscaled pool that exists in Civo."""
    return {
        "apiVersion": "helm.m.crossplane.io/v1beta1",
        "kind": "Release",
        # Helm's release name. Left to the provider it would be the managed resource's name:
        # longer than Helm's 53 characters for a long XR name, and another one after a restore,
        # which makes two autoscalers. One that was installed under another name keeps it: Helm
        # would refuse to install the same objects again.
        "metadata": {
            "annotations": {EXTERNAL_NAME: observed.external_name(names.RELEASE) or _NAME}
        },
        "spec": {
            # No Delete: when the XR goes, the kubeconfig is gone before the release could be
            # uninstalled, and a policy with Delete would hang for ever. It dies with its cluster.
            "managementPolicies": ["Observe", "Create", "Update"],
            "providerConfigRef": {
                "kind": "ProviderConfig",
                "name": names.kubeconfig_secret(xr.metadata.name),
            },
            "rollbackLimit": 3,
            "forProvider": {
                "chart": {
                    "name": _NAME,
                    "repository": "https://kubernetes.github.io/autoscaler",
                    "version": "9.57.0",
                },
                "namespace": "kube-system",
                "values": _values(xr, observed),
            },
        },
    }


def _values(xr: CivoCluster, observed: Observed) -> dict[str, Any]:
    version = versions.minor(observed.kubernetes_version()) or versions.minor(
        xr.spec.kubernetes_version
    )
    values: dict[str, Any] = {
        "cloudProvider": "civo",
        "fullnameOverride": _NAME,
        # Civo puts this Secret into every cluster: to refer to, never to write.
        "secretKeyRefNameOverride": "civo-api-access",
        "autoscalingGroups": _groups(xr, observed),
        "extraArgs": {
            # By default a raised minimum would never be reached.
            "enforce-node-group-min-size": True,
            # As in Civo's own example: the defaults block every scale-down.
            "skip-nodes-with-local-storage": False,
            "skip-nodes-with-system-pods": False,
            # GPU nodes are slow to come.
            "max-node-provision-time": "30m",
        },
        # Preferred, so that the autoscaler doesn't sit on a node that it may remove. Civo itself
        # sets this label.
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
                                    "values": [names.SYSTEM_POOL],
                                }
                            ]
                        },
                    }
                ]
            }
        },
        "resources": {"requests": {"cpu": "100m", "memory": "300Mi"}},
    }
    if version:
        values["image"] = {"tag": _image_tag(version)}
        # Without it this release never scales up for pods that claim GPUs; from 1.35 on it is
        # always on and the flag must not be passed.
        if version == (1, 34):
            values["extraArgs"]["enable-dynamic-resource-allocation"] = True
    return values


def _groups(xr: CivoCluster, observed: Observed) -> list[dict[str, Any]]:
    """Return the autoscaling groups, in the order of the spec.

    A pool whose ID isn't known yet is left out until it is. Without any group the chart renders
    everything but the Deployment, which is how the autoscaler is turned off.
    """
    return [
        {"name": pool_id, "minSize": pool.min_nodes, "maxSize": pool.max_node_count}
        for pool in xr.spec.node_pools
        if pool.autoscaled and (pool_id := observed.external_name(names.node_pool(pool.name)))
    ]


def _image_tag(version: tuple[int, int]) -> str:
    """Return the autoscaler's version for a cluster's minor version.

    A newer one than the cluster blocks for ever on an API that isn't there.
    """
    if version <= (1, 33):
        return "v1.33.6"
    if version == (1, 34):
        return "v1.34.5"
    if version == (1, 35):
        return "v1.35.2"
    return "v1.36.1"
