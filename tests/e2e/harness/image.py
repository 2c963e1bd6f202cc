"""The function's image, built from the project's Dockerfile without a container engine.

buildah needs no daemon, and debootstrap makes the base where no registry can be reached: both come
with Debian. Python's index is reached as pip on this machine reaches it.
"""

import hashlib
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

from . import network, programs
from .packages import REPOSITORY

_SUITE = "bookworm"
_BASE = "localhost/civocluster-e2e-base"
_IMAGE = "localhost/civocluster-e2e"
_INCLUDE = "ca-certificates,python3,python3-venv"
# Where this machine says how to reach an index, if it does; mounted for the build alone.
_MACHINE = (Path("/etc/ssl/certs"), Path("/etc/pip.conf"))

# In a mount namespace of its own: what is mounted there is gone when the function ends.
_SERVE = """
root=$1 certificates=$2
shift 2
mount --bind "$root" "$root"
mount --bind "$certificates" "$root/mnt"
mount -o remount,bind,ro "$root"
chroot=$(command -v chroot)
exec env -i "$chroot" --userspec=2000:2000 --groups=2000 "$root" \
  /venv/bin/function "$@" --tls-server-certs-dir=/mnt
"""


def missing() -> str:
    """Return what this machine lacks to build and run the image, empty if it lacks nothing."""
    if os.geteuid() != 0:
        return "root"
    tools = ("buildah", "debootstrap", "unshare", "chroot")
    return ", ".join(tool for tool in tools if shutil.which(tool) is None)


def build(folder: Path) -> Path:
    """Build the image and return it as a tarball that `crossplane xpkg build` takes.

    Args:
        folder: For what is built; empty.
    """
    tarball = folder / "image.tar"
    containerfile = folder / "base.Dockerfile"
    containerfile.write_text("FROM scratch\nADD base.tar /\n")
    shutil.copyfile(_base(), folder / "base.tar")
    _buildah(folder, "build", f"--tag={_BASE}", f"--file={containerfile}", str(folder))
    mounts = [f"--volume={path}:{path}:ro" for path in _MACHINE if path.exists()]
    _buildah(
        folder,
        "build",
        "--network=host",
        *mounts,
        f"--build-arg=BUILD_IMAGE={_BASE}",
        f"--build-arg=RUNTIME_IMAGE={_BASE}",
        f"--tag={_IMAGE}",
        str(REPOSITORY),
    )
    _buildah(folder, "push", _IMAGE, f"docker-archive:{tarball}")
    # Every step of the build is a copy of the whole.
    shutil.rmtree(folder / "storage")
    return tarball


def unpack(tarball: Path, root: Path) -> None:
    """Lay the files of an image out in a folder, for any user."""
    root.chmod(0o755)
    with tarfile.open(tarball) as image:
        for layer in image_manifest(image)["Layers"]:
            content = image.extractfile(layer)
            with tarfile.open(fileobj=content) as files:
                files.extractall(root, filter="tar")


def image_manifest(image: tarfile.TarFile) -> dict[str, list[str]]:
    """Return the manifest of the one image in a tarball: its `Config` and `Layers`."""
    member = image.extractfile("manifest.json")
    assert member is not None
    (found,) = json.load(member)
    return dict(found)


def serve(root: Path, certificates: Path) -> list[str]:
    """Return the command that serves the function as Crossplane runs the image.

    That is as user 2000, on a root that nothing can be written to, with no environment.
    """
    script = ["unshare", "--mount", "sh", "-euc", _SERVE, "sh"]
    return [*script, str(root), str(certificates)]


def _base() -> Path:
    """Return a tarball of a minimal Debian with Python, made once."""
    key = hashlib.sha256(f"{_SUITE} {_INCLUDE}".encode()).hexdigest()[:12]
    kept = programs.cache() / f"base-{key}.tar"
    if not kept.exists():
        with tempfile.TemporaryDirectory(dir=programs.cache()) as scratch:
            root = Path(scratch) / "root"
            options = ["--variant=minbase", f"--include={_INCLUDE}"]
            _run(Path(scratch), "debootstrap", *options, _SUITE, str(root))
            for unneeded in root.glob("var/cache/apt/archives/*.deb"):
                unneeded.unlink()
            made = Path(scratch) / "base.tar"
            _run(Path(scratch), "tar", f"--directory={root}", f"--file={made}", "--create", ".")
            made.rename(kept)
    return kept


def _buildah(folder: Path, *arguments: str) -> None:
    storage = [f"--root={folder / 'storage'}", f"--runroot={folder / 'run'}"]
    _run(folder, "buildah", *storage, *arguments)


def _run(folder: Path, *command: str) -> None:
    environment = {**os.environ, "STORAGE_DRIVER": "vfs", "BUILDAH_ISOLATION": "chroot"}
    done = subprocess.run(
        network.outside(list(command)),
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
