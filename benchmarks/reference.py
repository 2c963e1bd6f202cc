"""What the function is measured against: the straightforward way to build the same objects.

One pydantic model for each kind of object, with nested models, every field given where the object
is built, and each object put into the response with the SDK's `resource.update`. The builder only
builds; the function around it also reads the request as the SDK does, and says what is ready.
Neither checks rules, nor gives status or conditions.
"""

# ruff: noqa: N815 - fields have their names on the wire

from typing import Any

from crossplane.function import resource, response
from crossplane.function.proto.v1 import run_function_pb2 as fnv1
from pydantic import BaseModel

from function import names
from function.api import CivoCluster, NodePool

ANYWHERE = "0.0.0.0/0"


class ProviderConfigRef(BaseModel):
    """A reference to a provider config."""

    kind: str
    name: str


class Selector(BaseModel):
    """A selector of what the same XR composes."""

    matchControllerRef: bool


class NetworkParameters(BaseModel):
    """A Network's forProvider."""

    label: str
    region: str


class NetworkSpec(BaseModel):
    """A Network's spec."""

    managementPolicies: list[str]
    providerConfigRef: ProviderConfigRef
    forProvider: NetworkParameters


class Network(BaseModel):
    """A Network."""

    apiVersion: str = "vpc.civo.m.upbound.io/v1beta1"
    kind: str = "Network"
    spec: NetworkSpec


class Rule(BaseModel):
    """A firewall rule."""

    label: str
    protocol: str
    portRange: str | None = None
    cidr: list[str]
    action: str


class FirewallParameters(BaseModel):
    """A Firewall's forProvider."""

    name: str
    region: str
    networkIdSelector: Selector
    createDefaultRules: bool
    ingressRule: list[Rule]
    egressRule: list[Rule]


class FirewallSpec(BaseModel):
    """A Firewall's spec."""

    managementPolicies: list[str]
    providerConfigRef: ProviderConfigRef
    forProvider: FirewallParameters


class Firewall(BaseModel):
    """A Firewall."""

    apiVersion: str = "vpc.civo.m.upbound.io/v1beta1"
    kind: str = "Firewall"
    spec: FirewallSpec


class ClusterParameters(BaseModel):
    """A Cluster's forProvider."""

    name: str
    region: str
    kubernetesVersion: str | None = None
    cni: str
    applications: str
    networkIdSelector: Selector
    firewallIdSelector: Selector
    writeKubeconfig: bool


class SystemPool(BaseModel):
    """A Cluster's own pool."""

    label: str
    size: str
    nodeCount: int
    labels: dict[str, str]


class ClusterInit(BaseModel):
    """A Cluster's initProvider."""

    pools: SystemPool


class SecretName(BaseModel):
    """A reference to a Secret in the same namespace."""

    name: str


class ClusterSpec(BaseModel):
    """A Cluster's spec."""

    managementPolicies: list[str]
    providerConfigRef: ProviderConfigRef
    forProvider: ClusterParameters
    initProvider: ClusterInit
    writeConnectionSecretToRef: SecretName


class Cluster(BaseModel):
    """A Cluster."""

    apiVersion: str = "kubernetes.civo.m.upbound.io/v1beta1"
    kind: str = "Cluster"
    spec: ClusterSpec


class Taint(BaseModel):
    """A taint."""

    key: str
    value: str
    effect: str


class NodePoolParameters(BaseModel):
    """A NodePool's forProvider."""

    label: str
    region: str
    size: str
    nodeCount: int | None = None
    labels: dict[str, str]
    taint: list[Taint] | None = None
    clusterIdSelector: Selector


class NodePoolInit(BaseModel):
    """A NodePool's initProvider."""

    nodeCount: int


class NodePoolSpec(BaseModel):
    """A NodePool's spec."""

    managementPolicies: list[str]
    providerConfigRef: ProviderConfigRef
    forProvider: NodePoolParameters
    initProvider: NodePoolInit | None = None


class NodePoolResource(BaseModel):
    """A NodePool."""

    apiVersion: str = "kubernetes.civo.m.upbound.io/v1beta1"
    kind: str = "NodePool"
    spec: NodePoolSpec


class ProviderConfigMetadata(BaseModel):
    """A ProviderConfig's metadata."""

    name: str
    namespace: str


class SecretKey(BaseModel):
    """A reference to a key of a Secret."""

    name: str
    namespace: str
    key: str


class Credentials(BaseModel):
    """A ProviderConfig's credentials."""

    source: str
    secretRef: SecretKey


class ProviderConfigSpec(BaseModel):
    """A ProviderConfig's spec."""

    credentials: Credentials


class ProviderConfig(BaseModel):
    """A ProviderConfig of provider-helm."""

    apiVersion: str = "helm.m.crossplane.io/v1beta1"
    kind: str = "ProviderConfig"
    metadata: ProviderConfigMetadata
    spec: ProviderConfigSpec


class ReleaseMetadata(BaseModel):
    """A Release's metadata."""

    annotations: dict[str, str]


class Chart(BaseModel):
    """A Helm chart."""

    name: str
    repository: str
    version: str


class ReleaseParameters(BaseModel):
    """A Release's forProvider."""

    chart: Chart
    namespace: str
    values: dict[str, Any]


class ReleaseSpec(BaseModel):
    """A Release's spec."""

    managementPolicies: list[str]
    providerConfigRef: ProviderConfigRef
    rollbackLimit: int
    forProvider: ReleaseParameters


class Release(BaseModel):
    """A Release of provider-helm."""

    apiVersion: str = "helm.m.crossplane.io/v1beta1"
    kind: str = "Release"
    metadata: ReleaseMetadata
    spec: ReleaseSpec


def run(request: fnv1.RunFunctionRequest) -> fnv1.RunFunctionResponse:
    """Return the response of a function that reads with the SDK what it needs."""
    answer = response.to(request)
    xr = CivoCluster.model_validate(
        _integers(resource.struct_to_dict(request.observed.composite.resource))
    )
    compose(answer, xr)
    for name, one in answer.desired.resources.items():
        condition = resource.get_condition(request.observed.resources.get(name), "Ready")
        if name == names.PROVIDER_CONFIG or condition.status == "True":
            one.ready = fnv1.READY_TRUE
    return answer


def _integers(value: Any) -> Any:
    """Return a value with integers where the SDK reads floats."""
    if isinstance(value, dict):
        return {key: _integers(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_integers(inner) for inner in value]
    return int(value) if isinstance(value, float) else value


def compose(answer: fnv1.RunFunctionResponse, xr: CivoCluster) -> None:
    """Build all objects of a cluster that runs 1.34, each pool's ID known, into an answer."""
    objects = {
        names.NETWORK: _network(xr),
        names.FIREWALL: _firewall(xr),
        names.CLUSTER: _cluster(xr),
        **{names.node_pool(pool.name): _node_pool(xr, pool) for pool in xr.spec.node_pools},
        names.PROVIDER_CONFIG: _provider_config(xr),
        names.RELEASE: _release(xr),
    }
    for name, model in objects.items():
        resource.update(answer.desired.resources[name], model)


def _policies() -> list[str]:
    return ["Observe", "Create", "Update", "Delete"]


def _provider_config_ref(xr: CivoCluster) -> ProviderConfigRef:
    return ProviderConfigRef(kind=xr.spec.credentials.type, name=xr.spec.credentials.name)


def _civo_name(xr: CivoCluster) -> str:
    return names.civo(xr.metadata.namespace, xr.metadata.name)


def _network(xr: CivoCluster) -> Network:
    return Network(
        spec=NetworkSpec(
            managementPolicies=_policies(),
            providerConfigRef=_provider_config_ref(xr),
            forProvider=NetworkParameters(label=_civo_name(xr), region=xr.spec.region),
        )
    )


def _firewall(xr: CivoCluster) -> Firewall:
    return Firewall(
        spec=FirewallSpec(
            managementPolicies=_policies(),
            providerConfigRef=_provider_config_ref(xr),
            forProvider=FirewallParameters(
                name=_civo_name(xr),
                region=xr.spec.region,
                networkIdSelector=Selector(matchControllerRef=True),
                createDefaultRules=False,
                ingressRule=[
                    _rule("kubernetes-api", "tcp", "6443"),
                    _rule("http", "tcp", "80"),
                    _rule("https", "tcp", "443"),
                ],
                egressRule=[
                    _rule("all-tcp", "tcp", "1-65535"),
                    _rule("all-udp", "udp", "1-65535"),
                    Rule(label="all-icmp", protocol="icmp", cidr=[ANYWHERE], action="allow"),
                ],
            ),
        )
    )


def _rule(label: str, protocol: str, ports: str) -> Rule:
    return Rule(label=label, protocol=protocol, portRange=ports, cidr=[ANYWHERE], action="allow")


def _cluster(xr: CivoCluster) -> Cluster:
    return Cluster(
        spec=ClusterSpec(
            managementPolicies=_policies(),
            providerConfigRef=_provider_config_ref(xr),
            forProvider=ClusterParameters(
                name=_civo_name(xr),
                region=xr.spec.region,
                cni="cilium",
                applications="-traefik2-nodeport",
                networkIdSelector=Selector(matchControllerRef=True),
                firewallIdSelector=Selector(matchControllerRef=True),
                writeKubeconfig=True,
            ),
            initProvider=ClusterInit(
                pools=SystemPool(
                    label="system",
                    size="g4p.kube.small",
                    nodeCount=2,
                    labels={names.POOL_LABEL: "system"},
                )
            ),
            writeConnectionSecretToRef=SecretName(name=names.kubeconfig_secret(xr.metadata.name)),
        )
    )


def _node_pool(xr: CivoCluster, pool: NodePool) -> NodePoolResource:
    parameters = NodePoolParameters(
        label=pool.name,
        region=xr.spec.region,
        size=pool.size,
        labels={names.POOL_LABEL: pool.name},
        clusterIdSelector=Selector(matchControllerRef=True),
    )
    if pool.gpu:
        parameters.labels[names.GPU_LABEL] = pool.gpu.accelerator_type
        parameters.taint = [Taint(key="nvidia.com/gpu", value="true", effect="NoSchedule")]
    spec = NodePoolSpec(
        managementPolicies=_policies(),
        providerConfigRef=_provider_config_ref(xr),
        forProvider=parameters,
    )
    if pool.autoscaled:
        spec.initProvider = NodePoolInit(nodeCount=pool.initial_nodes)
    else:
        parameters.nodeCount = pool.node_count
    return NodePoolResource(spec=spec)


def _provider_config(xr: CivoCluster) -> ProviderConfig:
    secret = names.kubeconfig_secret(xr.metadata.name)
    namespace = xr.metadata.namespace
    return ProviderConfig(
        metadata=ProviderConfigMetadata(name=secret, namespace=namespace),
        spec=ProviderConfigSpec(
            credentials=Credentials(
                source="Secret",
                secretRef=SecretKey(name=secret, namespace=namespace, key=names.KUBECONFIG_KEY),
            )
        ),
    )


def _release(xr: CivoCluster) -> Release:
    return Release(
        metadata=ReleaseMetadata(annotations={"crossplane.io/external-name": "cluster-autoscaler"}),
        spec=ReleaseSpec(
            managementPolicies=["Observe", "Create", "Update"],
            providerConfigRef=ProviderConfigRef(
                kind="ProviderConfig", name=names.kubeconfig_secret(xr.metadata.name)
            ),
            rollbackLimit=3,
            forProvider=ReleaseParameters(
                chart=Chart(
                    name="cluster-autoscaler",
                    repository="https://kubernetes.github.io/autoscaler",
                    version="9.57.0",
                ),
                namespace="kube-system",
                values=_values(xr),
            ),
        ),
    )


def _values(xr: CivoCluster) -> dict[str, Any]:
    return {
        "cloudProvider": "civo",
        "fullnameOverride": "cluster-autoscaler",
        "secretKeyRefNameOverride": "civo-api-access",
        "autoscalingGroups": [
            {"name": pool.name, "minSize": pool.min_nodes, "maxSize": pool.max_node_count}
            for pool in xr.spec.node_pools
            if pool.autoscaled
        ],
        "extraArgs": {
            "enforce-node-group-min-size": True,
            "skip-nodes-with-local-storage": False,
            "skip-nodes-with-system-pods": False,
            "max-node-provision-time": "30m",
            "enable-dynamic-resource-allocation": True,
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
        "image": {"tag": "v1.34.5"},
    }
