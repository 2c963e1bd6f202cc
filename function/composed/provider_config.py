"""The Helm ProviderConfig: how provider-helm reaches the cluster."""

from typing import Literal

from function import names
from function.api import CivoCluster
from function.composed import base


class Metadata(base.Model):
    """The ProviderConfig's metadata."""

    name: str
    namespace: str


class SecretRef(base.Model):
    """A key of a Secret."""

    name: str
    namespace: str
    key: str


class Credentials(base.Model):
    """Where the kubeconfig is."""

    source: Literal["Secret"] = "Secret"
    secretRef: SecretRef


class Spec(base.Model):
    """A ProviderConfig's spec."""

    credentials: Credentials


class ProviderConfig(base.Composed):
    """A ProviderConfig of provider-helm."""

    apiVersion: Literal["helm.m.crossplane.io/v1beta1"] = "helm.m.crossplane.io/v1beta1"
    kind: Literal["ProviderConfig"] = "ProviderConfig"
    metadata: Metadata
    spec: Spec


def build(xr: CivoCluster) -> ProviderConfig:
    """Build the ProviderConfig, named like the kubeconfig Secret that it reads."""
    secret = names.kubeconfig_secret(xr.metadata.name)
    namespace = xr.metadata.namespace
    return ProviderConfig(
        metadata=Metadata(name=secret, namespace=namespace),
        spec=Spec(
            credentials=Credentials(
                secretRef=SecretRef(name=secret, namespace=namespace, key=names.KUBECONFIG_KEY)
            )
        ),
    )
