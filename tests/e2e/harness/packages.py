"""Crossplane packages: built from this tree and from stand-ins, and served by a registry."""

import os
import re
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import yaml

from . import programs
from .api import Object
from .process import HOST, Process, answers, free_port

REPOSITORY = Path(__file__).parents[3]
FUNCTION_ROOT = REPOSITORY / "package"
CONFIGURATION_ROOT = REPOSITORY / "apis"

_CRDS = "CIVOCLUSTER_CRDS"


def provider_crds() -> Path:
    """Return the folder with the real CustomResourceDefinitions of the two providers.

    Raises:
        FileNotFoundError: There is none.
    """
    folder = Path(os.environ.get(_CRDS) or REPOSITORY.parent / "shared" / "crds")
    if not folder.is_dir():
        message = f"no CRDs in {folder}: name their folder in {_CRDS}; README.md says how to get"
        raise FileNotFoundError(message)
    return folder


class Dependency(NamedTuple):
    """A package that another one needs.

    Attributes:
        kind: `Provider`, `Function` or `Configuration`.
        package: Where it is published, without a tag.
        version: The constraint on its version.
    """

    kind: str
    package: str
    version: str

    @property
    def lowest(self) -> str:
        """The lowest version that the constraint names, as a tag."""
        found = re.search(r"\d+\.\d+\.\d+", self.version)
        if found is None:
            message = f"{self.package}: no version in the constraint {self.version!r}"
            raise ValueError(message)
        return f"v{found.group()}"

    @property
    def path(self) -> str:
        """The package's name without the host that it is published on."""
        return self.package.split("/", 1)[1]


def meta(root: Path) -> Object:
    """Return the meta of the package whose root this is."""
    found: Object = yaml.safe_load((root / "crossplane.yaml").read_text())
    return found


def dependencies(root: Path) -> list[Dependency]:
    """Return what the package of this root depends on."""
    return [
        Dependency(each["kind"], each["package"], each["version"])
        for each in meta(root)["spec"]["dependsOn"]
    ]


def build(root: Path, file: Path, *options: str) -> Path:
    """Build a package with the Crossplane CLI.

    Raises:
        subprocess.CalledProcessError: The CLI refused it.
    """
    # In the folder of the result: by default the CLI packs what it finds in `./examples`.
    crossplane(
        file.parent, "xpkg", "build", f"--package-root={root}", f"--package-file={file}", *options
    )
    return file


def stand_in(dependency: Dependency, crds: Iterable[Path], folder: Path) -> Path:
    """Build a package that stands in for a provider: its real CRDs, and nothing that runs."""
    root = folder / dependency.path.replace("/", "-")
    root.mkdir()
    manifest = {
        "apiVersion": "meta.pkg.crossplane.io/v1",
        "kind": dependency.kind,
        "metadata": {"name": dependency.path.rsplit("/", 1)[-1]},
        # As the real ones have: no kind is served before an activation policy asks for it.
        "spec": {"capabilities": ["safe-start"]},
    }
    (root / "crossplane.yaml").write_text(yaml.safe_dump(manifest))
    for crd in crds:
        (root / crd.name).write_bytes(crd.read_bytes())
    return build(root, root.with_suffix(".xpkg"))


class Registry:
    """An OCI registry that serves packages on this machine."""

    def __init__(self, logs: Path, folder: Path) -> None:
        """Start it; `wait` before the first push."""
        folder.mkdir()
        self._port = free_port()
        self.process = Process(
            "registry",
            [
                programs.path(programs.REGISTRY),
                "registry",
                "serve",
                f"--address={self.host}",
                f"--disk={folder}",
            ],
            logs,
        )

    @property
    def host(self) -> str:
        """Where it is, as the first part of an image's name."""
        return f"{HOST}:{self._port}"

    def wait(self) -> None:
        """Wait until it takes pushes."""
        self.process.wait_for(lambda: answers(self._port))

    def push(self, file: Path, path: str, tag: str) -> None:
        """Push a package file."""
        crossplane(
            file.parent, "xpkg", "push", f"--package-files={file}", f"{self.host}/{path}:{tag}"
        )


def crossplane(folder: Path, *arguments: str) -> str:
    command: Sequence[str | Path] = [programs.path(programs.CLI), *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        message = f"crossplane {' '.join(arguments)}:\n{done.stdout}{done.stderr}"
        raise RuntimeError(message)
    return done.stdout
