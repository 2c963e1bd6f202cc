"""Both packages hold what they must and nothing else, and the function runs out of its own."""

import json
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from .harness import image, packages
from .harness.crossplane import serve_from_source
from .harness.live import Live, User, pool

needs_image_tools = pytest.mark.skipif(
    bool(image.missing()), reason=f"an image can't be built here without {image.missing()}"
)


@pytest.fixture(scope="module")
def tarball(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the function's image from the project's Dockerfile."""
    return image.build(tmp_path_factory.mktemp("image"))


def contents(package: Path) -> tuple[list[tuple[str, str]], list[str], dict[str, object]]:
    """Return what is in a package: its objects by kind and name, other files, and its config."""
    objects, files = [], []
    with tarfile.open(package) as archive:
        manifest = image.image_manifest(archive)
        config = archive.extractfile(str(manifest["Config"]))
        assert config is not None
        for name in manifest["Layers"]:
            with tarfile.open(fileobj=archive.extractfile(name)) as layer:
                for member in layer:
                    if member.name != "package.yaml":
                        files.append(member.name)
                        continue
                    stream = layer.extractfile(member)
                    assert stream is not None
                    objects += [
                        (each["kind"], each["metadata"]["name"])
                        for each in yaml.safe_load_all(stream)
                        if each
                    ]
        return objects, files, json.load(config)["config"]


def test_configuration_package(tmp_path: Path) -> None:
    built = packages.build(packages.CONFIGURATION_ROOT, tmp_path / "configuration.xpkg")
    objects, files, _ = contents(built)
    api = "civoclusters.infrastructure.modelplane.ai"
    assert sorted(objects) == [
        ("CompositeResourceDefinition", api),
        ("Composition", api),
        ("Configuration", "configuration-civocluster"),
        ("ManagedResourceActivationPolicy", api),
    ]
    assert files == []


def test_function_package_without_an_image_is_its_meta(tmp_path: Path) -> None:
    built = packages.build(packages.FUNCTION_ROOT, tmp_path / "function.xpkg")
    objects, files, _ = contents(built)
    assert objects == [("Function", "function-civocluster")]
    assert files == []


@needs_image_tools
@pytest.mark.timeout(900)
def test_function_package_holds_the_image(tmp_path: Path, tarball: Path) -> None:
    built = packages.build(
        packages.FUNCTION_ROOT,
        tmp_path / "function.xpkg",
        f"--embed-runtime-image-tarball={tarball}",
    )
    objects, files, config = contents(built)
    assert objects == [("Function", "function-civocluster")]
    assert config["User"] == "2000:2000"
    assert config["Entrypoint"] == ["/venv/bin/function"]
    assert config["ExposedPorts"] == {"9443/tcp": {}}
    paths = {file.removeprefix("./") for file in files}
    assert "venv/bin/function" in paths
    # What builds, tests or previews is not in it.
    assert not [path for path in paths if path.startswith(("build/", "tools/", "wheels/"))]
    assert not [path for path in paths if "site-packages/function/cli" in path]


@pytest.fixture
def out_of_the_image(
    live: Live, tarball: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[None]:
    """Serve the function out of its image for a while."""
    root = tmp_path_factory.mktemp("root")
    image.unpack(tarball, root)
    live.crossplane.start_function(image.serve(root, live.crossplane.function_certificates))
    yield
    live.crossplane.start_function(serve_from_source())


@needs_image_tools
@pytest.mark.timeout(900)
@pytest.mark.usefixtures("out_of_the_image")
def test_function_runs_out_of_its_image(live: Live, user: User) -> None:
    proc = Path("/proc", str(live.crossplane.function.pid))
    status = dict(line.split(":\t", 1) for line in (proc / "status").read_text().splitlines())
    assert status["Uid"].split() == ["2000"] * 4
    assert status["Gid"].split() == ["2000"] * 4
    mounts = [line.split() for line in (proc / "mountinfo").read_text().splitlines()]
    (options,) = [mount[5] for mount in mounts if mount[4] == "/"]
    assert "ro" in options.split(",")

    pools = [pool("workers"), pool("gpu", "GPU", maxNodeCount=3)]
    user.apply("inference", region="NYC1", nodePools=pools)
    user.wait_ready("inference")
    assert user.deletions() == []
