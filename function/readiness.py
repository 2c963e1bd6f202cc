"""Which composed resources are ready."""

from function import names
from function.observed import Observed


def ready(name: str, observed: Observed) -> bool:
    """Whether a composed resource is ready.

    A ProviderConfig has no condition Ready: it always is.
    """
    return name == names.PROVIDER_CONFIG or observed.ready(name)
