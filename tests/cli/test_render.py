"""What Crossplane adds to what a function desires, as its own renderer prints it."""

from typing import Any

import pytest

from function.cli import render


def xr(name: str) -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": "ml"}}


@pytest.mark.parametrize(
    ("name", "prefix", "reason"),
    [
        ("inference", "inference-", "the XR's name, and a hash"),
        ("a" * 50, "a" * 50 + "-", "63 characters in all"),
        ("a" * 51, "a" * 50 + "-", "cut to 63 characters"),
        ("a" * 50 + "-b", "a" * 50 + "-", "one hyphen, not two"),
    ],
)
def test_generated_names(name: str, prefix: str, reason: str) -> None:
    metadata = render.composed(xr(name), "network", {"kind": "Network"}, None)["metadata"]

    assert metadata["name"][:-12] == prefix, reason
    assert len(metadata["name"]) <= 63
    assert metadata["generateName"] == f"{name}-"


def test_a_uid_of_its_own_stays() -> None:
    own = {"metadata": {"name": "inference", "namespace": "ml", "uid": "own"}}

    assert render.uid(own) == "own"
    assert render.uid(xr("inference")) == "d786d589-0064-5a3d-beb4-6d234a1b8a13"


@pytest.mark.parametrize(
    ("unready", "message"),
    [
        (["b", "a"], "Unready resources: a, b"),
        (["c", "b", "a"], "Unready resources: a, b, and c"),
        (["d", "c", "b", "a"], "Unready resources: a, b, c, and 1 more"),
    ],
)
def test_unready_resources_are_listed_as_crossplane_lists_them(
    unready: list[str], message: str
) -> None:
    composite = render.composite(xr("inference"), {}, [], [], unready)

    ready = composite["status"]["conditions"][-1]
    assert (ready["type"], ready["status"], ready["message"]) == ("Ready", "False", message)
