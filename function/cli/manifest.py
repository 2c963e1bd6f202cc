"""Manifests read from files: a CivoCluster, and the resources observed of it."""

import json
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any, ClassVar, get_args

import click
import yaml
from google.protobuf.struct_pb2 import Struct
from pydantic import BaseModel, ValidationError

from function import api, structs
from function.cli.render import COMPOSITE, COMPOSITION_RESOURCE_NAME
from function.violations import InvalidError, Violation, path


class ManifestError(click.ClickException):
    """A file that can't be read as what it should be."""

    exit_code = 2


_TIMESTAMP = "tag:yaml.org,2002:timestamp"


class _Loader(yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader):  # type: ignore[misc]
    """Reads YAML as Kubernetes does, to which a date is a string."""

    yaml_implicit_resolvers: ClassVar = {
        first: [resolver for resolver in resolvers if resolver[0] != _TIMESTAMP]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


def load_xr(file: str) -> dict[str, Any]:
    """Read the CivoCluster in a file.

    Args:
        file: A path, or `-` for standard input.

    Returns:
        The manifest as it stands there, in the namespace `default` if it names none.

    Raises:
        ManifestError: The file can't be read, or isn't one CivoCluster.
        InvalidError: The CivoCluster is invalid.
    """
    xr, violations = read_xr(file)
    if violations:
        raise InvalidError(violations)
    return xr


def read_xr(file: str) -> tuple[dict[str, Any], list[Violation]]:
    """Read the CivoCluster in a file, valid or not.

    Returns:
        The manifest as `load_xr` returns it; and a violation for every bound or rule of the API
        that it breaks, and for every field that the API doesn't know: kubectl refuses those too.

    Raises:
        ManifestError: The file can't be read, or isn't one CivoCluster.
    """
    documents = _documents(file)
    if len(documents) != 1:
        raise ManifestError(f"{file}: holds {len(documents)} documents, not one CivoCluster")
    xr = documents[0]
    found = (xr.get("apiVersion"), xr.get("kind"))
    if found != (api.API_VERSION, api.KIND):
        raise ManifestError(
            f"{file}: is no CivoCluster: it has apiVersion {found[0]} and kind {found[1]}, "
            f"not {api.API_VERSION} and {api.KIND}"
        )
    if isinstance(xr.get("metadata"), dict):
        xr["metadata"].setdefault("namespace", "default")
    violations = list(_unknown_fields(api.Spec, xr.get("spec"), "spec"))
    try:
        api.CivoCluster.parse(xr)
    except InvalidError as error:
        violations += error.violations
    return xr, sorted(violations, key=lambda violation: violation.path)


def load_observed(source: Path, xr: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Read what exists of an XR from a file, or from all YAML files of a folder.

    Objects that aren't composed resources of this XR are passed over, so that a file may hold
    whatever `kubectl get managed -o yaml` printed.

    Returns:
        The composed resources by composition resource name.

    Raises:
        ManifestError: A file can't be read, or none holds a composed resource of this XR.
    """
    files = sorted(source.glob("*.y*ml")) if source.is_dir() else [source]
    observed = {}
    for one_file in files:
        for one in _objects(str(one_file)):
            try:
                metadata = _Metadata.model_validate(one.get("metadata", {}))
                if name := metadata.composed_of(xr):
                    _Composed.model_validate(one)
                    observed[name] = one
            except ValidationError as error:
                raise ManifestError(f"{one_file}: is not YAML of a Kubernetes object") from error
    if not observed:
        raise ManifestError(
            f"{source}: holds no composed resource of {xr['metadata']['namespace']}/"
            f"{xr['metadata']['name']} (annotation {COMPOSITION_RESOURCE_NAME}, label {COMPOSITE})"
        )
    return observed


class _Metadata(BaseModel):
    name: str = ""
    namespace: str = ""
    annotations: dict[str, str] = {}
    labels: dict[str, str] = {}

    def composed_of(self, xr: dict[str, Any]) -> str | None:
        """Return the composition resource name of an XR's resource, None of anything else."""
        here = self.namespace == xr["metadata"]["namespace"]
        if self.name and here and self.labels.get(COMPOSITE) == xr["metadata"]["name"]:
            return self.annotations.get(COMPOSITION_RESOURCE_NAME)
        return None


class _Spec(BaseModel):
    forProvider: dict[str, Any] = {}  # noqa: N815 - its name in the file


class _Status(BaseModel):
    atProvider: dict[str, Any] = {}  # noqa: N815 - its name in the file


class _Composed(BaseModel):
    """What is looked at of a composed resource."""

    spec: _Spec = _Spec()
    status: _Status = _Status()


class _List(BaseModel):
    items: list[dict[str, Any]]


def _objects(file: str) -> Iterator[dict[str, Any]]:
    """Yield the objects in a file, those of lists one by one."""
    for document in _documents(file):
        if document.get("kind") != "List":
            yield document
            continue
        try:
            yield from _List.model_validate(document).items
        except ValidationError as error:
            raise ManifestError(f"{file}: is a List without a list of items") from error


def _documents(file: str) -> list[dict[str, Any]]:
    try:
        with click.open_file(file, encoding="utf-8") as stream:
            documents = [one for one in yaml.load_all(stream, _Loader) if one is not None]
        if not all(isinstance(document, dict) for document in documents):
            raise ManifestError(f"{file}: is not YAML of a Kubernetes object")
        return [_as_served(document) for document in documents]
    except OSError as error:
        raise ManifestError(f"{file}: {error.strerror}") from error
    except yaml.YAMLError as error:
        where = getattr(error, "problem_mark", None)
        line = f" at line {where.line + 1}" if where else ""
        raise ManifestError(f"{file}: is not YAML{line}") from error
    except (ValueError, TypeError, ArithmeticError, RecursionError) as error:
        raise ManifestError(f"{file}: is not YAML of a Kubernetes object") from error


def _as_served(document: dict[str, Any]) -> dict[str, Any]:
    """Return a document with the types that it has coming from an API server."""
    struct = Struct()
    # By way of JSON, where every key is a string.
    struct.update(json.loads(json.dumps(document)))
    return structs.to_dict(struct)


def _unknown_fields(model: type[BaseModel], value: Any, *at: str | int) -> Iterator[Violation]:
    """Yield a violation for every field of an object that its model doesn't have."""
    if not isinstance(value, dict):
        return
    fields = {field.alias or name: field for name, field in model.model_fields.items()}
    for key, inner in value.items():
        if key in fields:
            nested = list(_models_in(fields[key].annotation))
            items = enumerate(inner) if isinstance(inner, list) else [(None, inner)]
            for index, item in items:
                step = (key,) if index is None else (key, index)
                for one in nested:
                    yield from _unknown_fields(one, item, *at, *step)
        # Crossplane's own, in every XR.
        elif (*at, key) != ("spec", "crossplane"):
            near = get_close_matches(key, fields, n=1)
            hint = f"did you mean {near[0]}?" if near else f"remove it; known: {', '.join(fields)}"
            yield Violation(path(*at, key), inner, f"is no field of the API; {hint}")


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the models in a type: `Model`, `Model | None` and `list[Model]` have one."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _models_in(argument)
