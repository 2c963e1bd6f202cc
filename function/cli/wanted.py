"""What a manifest asks of Civo, as far as it can be read.

A manifest that breaks its API in one place still says much in others, and a user wants to hear
of all mistakes at once. So this reads plain values, right or wrong: what isn't usable is empty.
"""

from dataclasses import dataclass
from typing import Any, Self

from pydantic import ValidationError

from function import api, names
from function.composed.cluster import SYSTEM_POOL


@dataclass(frozen=True)
class Pool:
    """A pool of nodes."""

    title: str
    """What people call it: `system`, or its place in the manifest."""
    size: str
    gpu: bool | None
    """Whether its nodes should have GPUs, None where the manifest doesn't say."""
    initial: int | None
    """How many nodes it is created with, None where the manifest doesn't say."""
    maximum: int | None
    """How many nodes it may come to have, None where the manifest doesn't say."""

    @classmethod
    def read(cls, index: int, pool: dict[str, Any]) -> Self:
        """Read the pool that stands at an index of the manifest's."""
        try:
            # With what counts don't depend on in order, whatever the manifest says.
            counted = api.NodePool.model_validate(
                pool | {"name": "any", "role": "System", "size": "any", "gpu": None}
            )
        except ValidationError:
            initial = maximum = None
        else:
            initial = counted.initial_nodes
            maximum = max(initial, counted.max_node_count or initial)
        return cls(
            title=f"nodePools[{index}]",
            size=_text(pool.get("size")),
            gpu={"GPU": True, "System": False}.get(_text(pool.get("role"))),
            initial=initial,
            maximum=maximum,
        )


@dataclass(frozen=True)
class Wanted:
    """What a manifest asks for."""

    name: str
    """Of the network, the firewall and the cluster in Civo."""
    region: str
    version: str | None
    """The version of Kubernetes, None for Civo's default."""
    pools: list[Pool]
    """The system pool first."""

    @property
    def gpu(self) -> bool:
        """Whether any pool should have GPUs."""
        return any(pool.gpu for pool in self.pools)

    @classmethod
    def read(cls, xr: dict[str, Any]) -> Self:
        """Read a manifest: plain values, of any type."""
        metadata, spec = _object(xr.get("metadata")), _object(xr.get("spec"))
        name, namespace = _text(metadata.get("name")), _text(metadata.get("namespace"))
        version = spec.get("kubernetesVersion")
        pools = spec.get("nodePools")
        return cls(
            name=names.civo(namespace, name) if name and namespace else "",
            region=_text(spec.get("region")),
            version=None if version is None else _text(version),
            pools=[
                Pool(
                    SYSTEM_POOL["label"],
                    SYSTEM_POOL["size"],
                    gpu=False,
                    initial=SYSTEM_POOL["nodeCount"],
                    maximum=SYSTEM_POOL["nodeCount"],
                ),
                *(
                    Pool.read(index, _object(pool))
                    for index, pool in enumerate(pools if isinstance(pools, list) else [])
                ),
            ],
        )


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    """Return a text that may be right, the empty one for all else."""
    return value if isinstance(value, str) and len(value) <= _TEXT_MAX else ""


# No field of the API is longer.
_TEXT_MAX = 253
