"""What Civo's API tells: regions, sizes, Kubernetes versions and the account's quota."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from function import untrusted

# Foreign text, fit to be shown.
Text = Annotated[str, AfterValidator(untrusted.clean)]
Count = Annotated[int, Field(ge=0)]


class _Model(BaseModel):
    # Strict: what isn't of its type comes from something that isn't Civo's API.
    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")


class Features(_Model):
    """What a region has; None where Civo doesn't say."""

    kubernetes: bool | None = None
    gpu: bool | None = None


class Region(_Model):
    """A region."""

    code: Text
    name: Text = ""
    default: bool = False
    out_of_capacity: bool = False
    features: Features = Features()


class Size(_Model):
    """A size of machines."""

    name: Text
    type: Text
    cpu_cores: Count
    ram_mb: Count
    disk_gb: Count
    gpu_count: Count = 0
    gpu_type: Text | None = None
    selectable: bool

    @property
    def for_kubernetes(self) -> bool:
        """Whether nodes of clusters can be of this size."""
        return self.type.casefold() == "kubernetes"


class Version(_Model):
    """A version of Kubernetes."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    version: Text
    type: Text
    default: bool = False
    cluster_type: Text = "k3s"


class Quota(_Model):
    """What the account may have and what it has."""

    instance_count_limit: Count
    instance_count_usage: Count
    cpu_core_limit: Count
    cpu_core_usage: Count
    ram_mb_limit: Count
    ram_mb_usage: Count
    disk_gb_limit: Count
    disk_gb_usage: Count
    disk_volume_count_limit: Count
    disk_volume_count_usage: Count
    network_count_limit: Count
    network_count_usage: Count
    security_group_limit: Count
    security_group_usage: Count

    def limit(self, resource: str) -> int:
        """Return how much the account may have of a resource, such as `cpu_core`."""
        return int(getattr(self, f"{resource}_limit"))

    def usage(self, resource: str) -> int:
        """Return how much the account has of a resource."""
        return int(getattr(self, f"{resource}_usage"))


class Cluster(_Model):
    """A cluster of the account."""

    name: str


class ClusterPage(_Model):
    """A page of the account's clusters."""

    pages: Count
    items: list[Cluster]


class Network(_Model):
    """A network of the account."""

    label: str


class Firewall(_Model):
    """A firewall of the account."""

    name: str
