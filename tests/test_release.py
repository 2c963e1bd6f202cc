"""The autoscaler's version, which must fit the cluster's."""

from typing import Any

import pytest

from function import structs
from running import Object, run
from situations import CLUSTER, cluster_xr, seen

DRA = "enable-dynamic-resource-allocation"


def values(observed: Any, pinned: str | None = None, known: Any = None) -> Object:
    """Return the release's values for versions observed, pinned and known from earlier."""
    xr = cluster_xr(**({"kubernetesVersion": pinned} if pinned else {}))
    if known:
        xr["status"]["cluster"] = {"kubernetesVersion": known}
    fields = {"kubernetesVersion": observed} if observed else {}
    answer = run(xr, {"cluster": seen(CLUSTER, **fields)})
    release = answer.desired.resources["release-cluster-autoscaler"].resource
    found = structs.dig(release, "spec", "forProvider", "values")
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize(
    ("version", "tag", "dra"),
    [
        ("1.28.7-k3s1", "v1.33.6", None),
        ("1.33.4-k3s1", "v1.33.6", None),
        ("1.34.1-k3s1", "v1.34.5", True),
        ("v1.34.1-k3s1-gpu", "v1.34.5", True),
        ("1.35.0-k3s1", "v1.35.2", None),
        ("1.36.0-k3s1", "v1.36.1", None),
        ("1.40.2-k3s1", "v1.36.1", None),
        ("2.0.0-k3s1", "v1.36.1", None),
    ],
)
def test_image_by_minor_version(version: str, tag: str, *, dra: bool | None) -> None:
    found = values(version)

    assert found["image"] == {"tag": tag}
    assert found["extraArgs"].get(DRA) is dra


@pytest.mark.parametrize(
    ("observed", "known", "pinned", "tag", "reason"),
    [
        ("1.34.1-k3s1", "1.33.1-k3s1", "1.35.0-k3s1", "v1.34.5", "the cluster is the truth"),
        (None, "1.34.1-k3s1", "1.35.0-k3s1", "v1.34.5", "it runs what it ran"),
        (None, None, "1.35.0-k3s1", "v1.35.2", "it will run what the user asks for"),
        ("latest", None, "1.35.0-k3s1", "v1.35.2", "what is no version tells nothing"),
        (8, None, "1.35.0-k3s1", "v1.35.2", "what is no version tells nothing"),
    ],
)
def test_where_the_version_comes_from(
    observed: Any, known: Any, pinned: str, tag: str, reason: str
) -> None:
    assert values(observed, pinned, known)["image"] == {"tag": tag}, reason


@pytest.mark.parametrize("observed", [None, "", "k3s", "1", "1.x", "11111.2"])
def test_no_image_without_a_version(observed: str | None) -> None:
    found = values(observed)

    assert "image" not in found
    assert DRA not in found["extraArgs"]
