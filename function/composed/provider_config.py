"""The Helm ProviderConfig: how provider-helm reaches the cluster."""

from typing import Literal

from typing_extensions import TypedDict

from function import names
from function.api import CivoCluster


class Metadata(TypedDict):
    """The ProviderConfig's metadata."""

    name: str
    namespace: str


class SecretRef(TypedDict):
    """A key of a Secret."""

    name: str
    namespace: str
    key: str


class Credentials(TypedDict):
    """Where the kubeconfig is."""

    source: Literal["Secret"]
    secretRef: SecretRef


class Spec(TypedDict):
    """A ProviderConfig's spec."""

    credentials: Credentials


class ProviderConfig(TypedDict):
    """A ProviderConfig of provider-helm."""

    apiVersion: Literal["helm.m.crossplane.io/v1beta1"]
    kind: Literal["ProviderConfig"]
    metadata: Metadata
    spec: Spec


def build(xr: CivoCluster) -> ProviderConfig:
    """Build the ProviderConfig, named like the kubeconfig Secret that it reads."""
    secret = names.kubeconfig_secret(xr.metadata.name)
    namespace = xr.metadata.namespace
    return {
        "apiVersion": "helm.m.crossplane.io/v1beta1",
        "kind": "ProviderConfig",
        "metadata": {"name": secret, "namespace": namespace},
        "spec": {
            "credentials": {
                "source": "Secret",
                "secretRef": {"name": secret, "namespace": namespace, "key": names.KUBECONFIG_KEY},
            }
        },
    }
