"""The kinds of composed resources, and the check that all that is composed passes."""

from typing import Annotated

from pydantic import ConfigDict, Field, TypeAdapter

from function.composed import cluster, firewall, network, node_pool, provider_config, release

Composed = Annotated[
    network.Network
    | firewall.Firewall
    | cluster.Cluster
    | node_pool.NodePoolResource
    | provider_config.ProviderConfig
    | release.Release,
    Field(discriminator="kind"),
]

# For every object in it, however deep.
_STRICT = ConfigDict(strict=True, extra="forbid")
_ALL = TypeAdapter(dict[str, Composed], config=_STRICT)


def checked(composed: dict[str, Composed]) -> dict[str, Composed]:
    """Return a copy of composed resources: a wrong field or type can't leave the process.

    Raises:
        ValidationError: A field is unknown, missing or of another type.
    """
    return _ALL.validate_python(composed)
