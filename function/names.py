"""Names: of composed resources within the composition, in Civo, and of the kubeconfig Secret.

Pure functions of the XR's name and namespace, so that every run gives the same names.
"""

import hashlib

from crossplane.function import resource

# Composition resource names. A control plane finds the resources that it composed earlier by
# these: under another name it would delete and recreate them, GPU nodes included.
NETWORK = "network"
FIREWALL = "firewall"
CLUSTER = "cluster"
PROVIDER_CONFIG = "provider-config-helm"
RELEASE = "release-cluster-autoscaler"
NODE_POOL_PREFIX = "node-pool-"

# The pool that Civo creates with the cluster; user pools can't take its name.
SYSTEM_POOL = "system"

# Label of every node of a pool, with the pool's name as value.
POOL_LABEL = "modelplane.ai/pool"
# Label of every node of a GPU pool, with the accelerator's type as value.
GPU_LABEL = "modelplane.ai/gpu"

KUBECONFIG_KEY = "kubeconfig"

_CIVO_NAME_MAX = 63
_HASH_LENGTH = 5


def node_pool(pool: str) -> str:
    """Return the composition resource name of the user's pool named `pool`."""
    return NODE_POOL_PREFIX + pool


def civo(namespace: str, name: str) -> str:
    """Return the name of what an XR creates in Civo: its network, firewall and cluster.

    Civo wants these names unique in an account and region, while XRs of the same name may
    stand in any number of namespaces: five hexadecimal digits of a hash of `namespace/name`
    set them apart.

    Returns:
        `<name>-<hash>`, the name cut so that the whole is at most 63 characters long.
    """
    digest = hashlib.sha256(f"{namespace}/{name}".encode()).hexdigest()[:_HASH_LENGTH]
    prefix = name[: _CIVO_NAME_MAX - _HASH_LENGTH - 1].rstrip("-.")
    return f"{prefix}-{digest}"


def kubeconfig_secret(name: str) -> str:
    """Return the name of the Secret, in the XR's namespace, that holds the kubeconfig.

    Consumers of clusters that exist know this name: it must never change.
    """
    return resource.child_name(name, KUBECONFIG_KEY)
