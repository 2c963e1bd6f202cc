"""Crossplane's own validator accepts what is composed, and refuses XRs that break the API."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from .harness import packages
from .harness.api import Object
from .test_render import EXAMPLES, PASSES, preview

DEFINITION = packages.CONFIGURATION_ROOT / "civoclusters" / "definition.yaml"
GPU = yaml.safe_load((EXAMPLES / "gpu-inference" / "xr.yaml").read_text())


def validate(folder: Path, schemas: Path, objects: list[Object]) -> str:
    """Return what the validator says of objects; it raises RuntimeError with that if it refuses."""
    resources = folder / "resources.yaml"
    resources.write_text(yaml.safe_dump_all(objects))
    return packages.crossplane(
        folder,
        "resource",
        "validate",
        str(schemas),
        str(resources),
        # Empty: nothing is downloaded, every schema is in the folder.
        "--crossplane-image=",
        "--error-on-missing-schemas",
        f"--cache-dir={folder / 'cache'}",
    )


def changed(*path: str | int, to: Any) -> Object:
    """Return the GPU example with a field of its spec set, or taken out where `to` is None."""
    manifest = deepcopy(GPU)
    *parents, field = path
    at = manifest["spec"]
    for step in parents:
        at = at[step]
    if to is None:
        del at[field]
    else:
        at[field] = to
    return dict(manifest)


@pytest.mark.parametrize(("xr", "number"), PASSES)
def test_rendered_resources_are_valid(tmp_path: Path, crds: Path, xr: Path, number: int) -> None:
    composed = preview(xr, f"--pass={number}")[1:]
    said = validate(tmp_path, crds, composed)
    assert f"{len(composed)} success cases, 0 failure cases" in said


def test_examples_are_valid(tmp_path: Path) -> None:
    examples = [yaml.safe_load(xr.read_text()) for xr in sorted(EXAMPLES.glob("*/xr.yaml"))]
    said = validate(tmp_path, DEFINITION, examples)
    assert f"{len(examples)} success cases, 0 failure cases" in said


@pytest.mark.parametrize(
    ("manifest", "message"),
    [
        pytest.param(changed("region", to=None), "region", id="no region"),
        pytest.param(changed("nodePools", to=[]), "nodePools", id="no pool"),
        pytest.param(changed("nodePools", 0, "role", to="CPU"), "role", id="unknown role"),
        pytest.param(changed("nodePools", 0, "size", to=None), "size", id="no size"),
        pytest.param(changed("nodePools", 0, "nodeCount", to=0), "nodeCount", id="no node"),
        pytest.param(changed("nodePools", 0, "color", to="red"), "color", id="unknown field"),
        pytest.param(changed("nodePools", 1, "gpu", to=None), "acceleratorType", id="no gpu"),
        pytest.param(changed("nodePools", 0, "name", to="system"), "built-in", id="taken name"),
        pytest.param(changed("nodePools", 0, "maxNodeCount", to=3), "every pool", id="workers"),
        pytest.param(changed("kubernetesVersion", to="1.34"), "k3s version", id="no k3s version"),
    ],
)
def test_bad_manifests_are_refused(tmp_path: Path, manifest: Object, message: str) -> None:
    with pytest.raises(RuntimeError, match=message):
        validate(tmp_path, DEFINITION, [manifest])
