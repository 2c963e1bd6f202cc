"""The programs that the tests run: found where they are installed, else built once.

A program is taken from the folder named by CIVOCLUSTER_E2E_PROGRAMS, or from PATH in a version
that fits, or it is built from the pinned Go module of the same name in `programs/`. What was built
stays in a cache outside the tree, under a key made of everything that it was built from.
"""

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic

MODULES = Path(__file__).parent.parent / "programs"
FOLDER = "CIVOCLUSTER_E2E_PROGRAMS"

# Crossplane compares this with the constraints of packages: unstamped, none would be compatible.
_CROSSPLANE_VERSION = "github.com/crossplane/crossplane-runtime/v2/pkg/version.version"
_KUBERNETES_VERSION = "k8s.io/component-base/version"


@dataclass(frozen=True)
class Program:
    """A program, and how to come by it.

    Attributes:
        name: Name of the executable, here, in the cache and on PATH.
        module: Folder below `programs/` with the module that pins it.
        package: Go package of its main function.
        version_of: Go module whose version the program reports as its own.
        stamps: Linker variables that take the version, as format strings.
        version_arguments: Make the program print its version.
        fits: Matches the printed version of one that is good enough; empty: never from PATH.
    """

    name: str
    module: str
    package: str
    version_of: str
    stamps: tuple[str, ...] = ()
    version_arguments: tuple[str, ...] = ("--version",)
    fits: str = ""


_KUBERNETES_STAMPS = (
    f"{_KUBERNETES_VERSION}.gitVersion={{version}}",
    f"{_KUBERNETES_VERSION}.gitMajor={{major}}",
    f"{_KUBERNETES_VERSION}.gitMinor={{minor}}",
)

CLI = Program(
    name="crossplane",
    module="cli",
    package="github.com/crossplane/cli/v2/cmd/crossplane",
    version_of="github.com/crossplane/cli/v2",
    stamps=(_CROSSPLANE_VERSION + "={version}",),
    version_arguments=("version", "--client"),
    fits=r"v2\.([5-9]|\d\d)\.",
)
# Not from PATH, where its name is the CLI's.
CORE = Program(
    name="crossplane-core",
    module="crossplane",
    package="github.com/crossplane/crossplane/v2/cmd/crossplane",
    version_of="github.com/crossplane/crossplane/v2",
    stamps=(_CROSSPLANE_VERSION + "={version}",),
)
ETCD = Program(
    name="etcd",
    module="etcd",
    package="go.etcd.io/etcd/server/v3",
    version_of="go.etcd.io/etcd/server/v3",
    fits=r"etcd Version: 3\.[5-9]\.",
)
API_SERVER = Program(
    name="kube-apiserver",
    module="kubernetes",
    package="k8s.io/kubernetes/cmd/kube-apiserver",
    version_of="k8s.io/kubernetes",
    stamps=_KUBERNETES_STAMPS,
    fits=r"Kubernetes v1\.(3[3-9]|[4-9]\d)\.",
)
CONTROLLER_MANAGER = Program(
    name="kube-controller-manager",
    module="kubernetes",
    package="k8s.io/kubernetes/cmd/kube-controller-manager",
    version_of="k8s.io/kubernetes",
    stamps=_KUBERNETES_STAMPS,
    fits=r"Kubernetes v1\.(3[3-9]|[4-9]\d)\.",
)
REGISTRY = Program(
    name="crane",
    module="registry",
    package="github.com/google/go-containerregistry/cmd/crane",
    version_of="github.com/google/go-containerregistry",
    version_arguments=("version",),
    fits=r"\d",
)
# The slowest first, so that the small ones fill the gap at the end.
ALL = (CONTROLLER_MANAGER, CORE, API_SERVER, CLI, ETCD, REGISTRY)

# Crossplane's image brings the definitions of its own API as files; so does its Go module.
CORE_CRDS = "crds"


def path(program: Program) -> Path:
    """Return where the program is.

    Raises:
        FileNotFoundError: It is nowhere yet; `build_missing` builds it.
    """
    found = _installed(program) or _cached(program)
    if found is None:
        message = f"{program.name} is neither installed nor built"
        raise FileNotFoundError(message)
    return found


def core_crds() -> Path:
    """Return the folder of Crossplane's own CustomResourceDefinitions."""
    return path(CORE).parent / CORE_CRDS


def build_missing(say: Callable[[str], None]) -> None:
    """Build every program that is neither installed nor in the cache.

    Args:
        say: Takes a line of progress.

    Raises:
        subprocess.CalledProcessError: A build failed; the compiler's words have been said.
    """
    with _locked():
        missing = [each for each in ALL if _installed(each) is None and _cached(each) is None]
        if not missing:
            return
        say(f"building {', '.join(each.name for each in missing)} (once; cache: {cache()})")
        # Two at a time: a link runs on one core while another program compiles.
        with ThreadPoolExecutor(max_workers=2) as pool:
            list(pool.map(lambda each: _build(each, say), missing))


def _installed(program: Program) -> Path | None:
    folder = os.environ.get(FOLDER)
    if folder and (Path(folder) / program.name).is_file():
        return Path(folder) / program.name
    found = shutil.which(program.name) if program.fits else None
    if found is None:
        return None
    asked = subprocess.run(
        [found, *program.version_arguments], capture_output=True, text=True, check=False
    )
    return Path(found) if re.search(program.fits, asked.stdout) else None


def _cached(program: Program) -> Path | None:
    built = cache() / _key(program) / program.name
    return built if built.is_file() else None


def _build(program: Program, say: Callable[[str], None]) -> None:
    started = monotonic()
    module = MODULES / program.module
    version = _go(module, "list", "-m", "-f", "{{.Version}}", program.version_of)
    _, major, minor = re.split(r"[v.]", version)[:3]
    stamps = [each.format(version=version, major=major, minor=minor) for each in program.stamps]
    flags = " ".join(["-s", "-w", *(f"-X {each}" for each in stamps)])

    target = cache() / _key(program)
    with tempfile.TemporaryDirectory(dir=cache()) as scratch:
        built = Path(scratch) / "built"
        built.mkdir()
        try:
            _go(
                module,
                "build",
                f"-ldflags={flags}",
                f"-o={built / program.name}",
                program.package,
            )
        except subprocess.CalledProcessError as error:
            say(f"{program.name} can't be built:\n{error.stderr}")
            raise
        if program is CORE:
            source = _go(module, "list", "-m", "-f", "{{.Dir}}", program.version_of)
            # File by file: the module cache is read-only, and its modes would be copied too.
            (built / CORE_CRDS).mkdir()
            for crd in Path(source, "cluster", "crds").iterdir():
                (built / CORE_CRDS / crd.name).write_bytes(crd.read_bytes())
        shutil.rmtree(target, ignore_errors=True)
        built.rename(target)
    say(f"built {program.name} {version} in {monotonic() - started:.0f} s")


def _go(module: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["go", *arguments],
        cwd=module,
        env={**os.environ, "GOFLAGS": "-buildvcs=false -mod=readonly"},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def cache() -> Path:
    """Return the folder that keeps what was built, for this run and the next."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base) / "civocluster-e2e"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _key(program: Program) -> str:
    digest = hashlib.sha256(repr(program).encode())
    for name in ("go.mod", "go.sum"):
        digest.update((MODULES / program.module / name).read_bytes())
    return f"{program.name}-{digest.hexdigest()[:12]}"


@contextmanager
def _locked() -> Iterator[None]:
    # Two runs at once build once: the second waits, and then finds what the first one built.
    with (cache() / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    build_missing(lambda line: print(line, file=sys.stderr, flush=True))  # noqa: T201
