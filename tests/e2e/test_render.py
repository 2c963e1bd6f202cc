"""What `civocluster preview` says Crossplane would compose is what Crossplane's renderer says."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from .harness import packages, programs
from .harness.api import Object
from .harness.crossplane import serve_from_source
from .harness.process import HOST, Process, answers, free_port

EXAMPLES = packages.REPOSITORY / "examples"
PASSES = [
    pytest.param(xr, number, id=f"{xr.parent.name}-pass-{number}")
    for xr in sorted(EXAMPLES.glob("*/xr.yaml"))
    for number in range(1, 2 + len(list(xr.parent.glob("observed/pass-*.yaml"))))
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve the function as one does while developing it."""
    port = free_port()
    command = [*serve_from_source(), "--insecure", f"--address={HOST}:{port}"]
    process = Process("function", command, tmp_path_factory.mktemp("render"))
    process.wait_for(lambda: answers(port))
    yield f"{HOST}:{port}"
    process.stop()


def render(server: str, xr: Path, *options: str | Path) -> list[Object]:
    """Return what `crossplane composition render` prints, XR first."""
    printed = packages.crossplane(
        EXAMPLES,
        "composition",
        "render",
        str(xr),
        str(packages.CONFIGURATION_ROOT / "civoclusters" / "composition.yaml"),
        str(EXAMPLES / "functions.yaml"),
        f"--xrd={packages.CONFIGURATION_ROOT / 'civoclusters' / 'definition.yaml'}",
        f"--function-annotations=render.crossplane.io/runtime-development-target={server}",
        f"--crossplane-binary={programs.path(programs.CORE)}",
        *(str(option) for option in options),
    )
    return list(yaml.safe_load_all(printed))


def preview(xr: Path, *options: str) -> list[Object]:
    """Return what `civocluster preview --output yaml` prints, XR first."""
    civocluster = Path(sys.executable).parent / "civocluster"
    command: list[str | Path] = [civocluster, "preview", xr, "--output=yaml"]
    done = subprocess.run(
        [*command, *options], capture_output=True, text=True, timeout=60, check=True
    )
    return list(yaml.safe_load_all(done.stdout))


def test_there_are_passes_to_compare() -> None:
    assert len(PASSES) >= 9


@pytest.mark.parametrize(("xr", "number"), PASSES)
def test_preview_is_what_crossplane_renders(server: str, xr: Path, number: int) -> None:
    observed = xr.parent / "observed" / f"pass-{number}.yaml"
    options = [f"--observed-resources={observed}"] if observed.exists() else []
    rendered = render(server, xr, *options)
    assert preview(xr, f"--pass={number}") == rendered
    if options:
        assert preview(xr, f"--observed={observed}") == rendered


def test_a_violation_renders_nothing(server: str, tmp_path: Path) -> None:
    manifest = yaml.safe_load((EXAMPLES / "gpu-inference" / "xr.yaml").read_text())
    manifest["spec"]["nodePools"][1]["gpu"] = None
    xr = tmp_path / "xr.yaml"
    xr.write_text(yaml.safe_dump(manifest))
    with pytest.raises(RuntimeError, match=r"spec\.nodePools\[1\]\.gpu"):
        render(server, xr)
