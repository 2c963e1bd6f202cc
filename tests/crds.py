"""The CRDs of the providers, and objects checked against them as the API server would.

The CRDs aren't part of this project. They are read from the folder that the environment variable
CIVOCLUSTER_CRDS names, else from `shared/crds` beside the checkout.
"""

import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from schema import Finding, Schema, Structure, defaulted, rules_broken

FOLDER = "CIVOCLUSTER_CRDS"
_BESIDE = Path(__file__).parents[2] / "shared" / "crds"

HOW_TO_GET_THEM = f"""no CRDs of the providers: set {FOLDER} to a folder that holds them.
For each provider that apis/crossplane.yaml depends on, with the Crossplane CLI:
  crossplane xpkg extract PACKAGE:VERSION -o FOLDER/NAME.yaml.gz && gunzip FOLDER/NAME.yaml.gz
On a control plane that has the providers, this does it:
  kubectl get crd -o yaml > FOLDER/crds.yaml"""

# What objects that are applied may say of themselves; CRDs leave metadata open.
_METADATA: Schema = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 253},
        "namespace": {"type": "string", "maxLength": 63},
        "annotations": {"type": "object", "additionalProperties": {"type": "string"}},
        "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    },
}


def findings(composed: dict[str, Any]) -> set[Finding]:
    """Return what the API server would find wrong with an object, unknown fields included.

    Where there are no CRDs the test is skipped; in CI (CI=true) it fails.
    """
    identity = (composed.get("apiVersion"), composed.get("kind"))
    schema = _schemas(folder()).get(identity)
    if schema is None:
        return {Finding("", f"no CRD serves {identity}")}
    value = defaulted(schema, composed)
    return _structure(folder(), identity).findings(value) or set(rules_broken(schema, value))


def folder() -> Path:
    """Return the folder of the CRDs; skip the test, or in CI fail, if there is none."""
    if available():
        return _folder()
    if os.environ.get("CI", "").lower() in {"1", "true"}:
        pytest.fail(HOW_TO_GET_THEM)
    pytest.skip(HOW_TO_GET_THEM)


def available() -> bool:
    """Whether there are CRDs to check against."""
    return _folder().is_dir()


def _folder() -> Path:
    return Path(os.environ.get(FOLDER) or _BESIDE)


@cache
def _schemas(source: Path) -> dict[tuple[Any, Any], Schema]:
    """Return the schemas of all CRDs in a folder by apiVersion and kind."""
    schemas = {}
    for file in sorted(source.glob("*.y*ml")):
        for document in filter(None, yaml.load_all(file.read_text(), yaml.CSafeLoader)):
            items = document["items"] if document.get("kind") == "List" else [document]
            for crd in (one for one in items if one.get("kind") == "CustomResourceDefinition"):
                group, kind = crd["spec"]["group"], crd["spec"]["names"]["kind"]
                for version in crd["spec"]["versions"]:
                    schema = version["schema"]["openAPIV3Schema"]
                    schema["properties"]["metadata"] = _METADATA
                    schemas[f"{group}/{version['name']}", kind] = schema
    return schemas


@cache
def _structure(source: Path, identity: tuple[Any, Any]) -> Structure:
    return Structure(_schemas(source)[identity])
