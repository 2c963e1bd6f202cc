"""The CivoCluster API, v1alpha1: the only place that parses the XR.

The same fields, bounds and defaults stand in the XRD (apis/civoclusters/definition.yaml), which
the API server enforces; the tests hold the two together. They are checked here again because
previews have no API server in front, and because an XR may be older than a rule.
"""

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from function import rules
from function.violations import InvalidError, structural

API_VERSION = "infrastructure.modelplane.ai/v1alpha1"
KIND = "CivoCluster"

NodeCount = Annotated[int, Field(ge=1, le=1000)]


class _Model(BaseModel):
    # Strict, as the API server is: "2" is no integer. What isn't defined here is tolerated,
    # since a real XR carries fields that belong to Crossplane.
    model_config = ConfigDict(strict=True, frozen=True, extra="ignore", alias_generator=to_camel)


class Credentials(_Model):
    """Which provider config authenticates to Civo."""

    type: Literal["ProviderConfig", "ClusterProviderConfig"] = "ClusterProviderConfig"
    name: Annotated[str, Field(min_length=1, max_length=253)] = "default"


class GPU(_Model):
    """The accelerators of a GPU pool's nodes."""

    accelerator_type: Annotated[str, Field(min_length=1, max_length=63)]


class NodePool(_Model):
    """A pool of nodes: of a fixed size, or autoscaled where `max_node_count` is set."""

    name: Annotated[str, Field(min_length=1, max_length=40)]
    role: Literal["System", "GPU"]
    size: Annotated[str, Field(min_length=1, max_length=63)]
    node_count: NodeCount = 1
    max_node_count: NodeCount | None = None
    min_node_count: NodeCount | None = None
    gpu: GPU | None = None

    @property
    def autoscaled(self) -> bool:
        """Whether the cluster autoscaler owns the pool's node count."""
        return self.max_node_count is not None

    @property
    def min_nodes(self) -> int:
        """The fewest nodes that the autoscaler leaves in the pool."""
        return self.node_count if self.min_node_count is None else self.min_node_count

    @property
    def initial_nodes(self) -> int:
        """How many nodes the pool is created with."""
        return max(self.node_count, self.min_nodes)


class Spec(_Model):
    """What the user asks for."""

    region: Annotated[str, Field(min_length=1, max_length=32)]
    kubernetes_version: Annotated[str, Field(min_length=1, max_length=32)] | None = None
    credentials: Credentials = Credentials()
    node_pools: Annotated[list[NodePool], Field(min_length=1, max_length=rules.POOLS_MAX)]


SPEC_FIELDS = tuple(to_camel(field) for field in Spec.model_fields)


class Metadata(_Model):
    """Which XR it is."""

    name: Annotated[str, Field(min_length=1, max_length=253)]
    namespace: Annotated[str, Field(min_length=1, max_length=63)]


class CivoCluster(_Model):
    """A CivoCluster, as its user wrote it."""

    metadata: Metadata
    spec: Spec

    @classmethod
    def parse(cls, xr: dict[str, Any]) -> Self:
        """Parse an XR, defaults applied.

        Args:
            xr: `metadata` and `spec` of the XR as plain values; anything else is ignored.

        Raises:
            InvalidError: The XR breaks bounds or rules; it names every one of them.
        """
        try:
            parsed = cls.model_validate(xr)
        except ValidationError as error:
            parsed, wrong = None, {found.path: found for found in structural(error)}
        else:
            wrong = {}
        for found in rules.broken(xr.get("spec")):
            wrong.setdefault(found.path, found)
        if wrong or parsed is None:
            raise InvalidError(wrong.values())
        return parsed
