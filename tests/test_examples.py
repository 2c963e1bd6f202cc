"""The examples, pass after pass, against golden files."""

from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from function.cli import life, manifest
from function.cli.main import cli

EXAMPLES = Path(__file__).parent.parent / "examples"
NAMES = sorted(file.parent.name for file in EXAMPLES.glob("*/xr.yaml"))

Golden = Callable[[str, str], None]


def dump(documents: list[dict[str, object]]) -> str:
    return yaml.safe_dump_all(documents, explicit_start=True, width=10_000)


@pytest.mark.parametrize("name", NAMES)
def test_every_pass_composes_what_the_golden_file_says(name: str, golden: Golden) -> None:
    passes = list(life.live(manifest.load_xr(str(EXAMPLES / name / "xr.yaml"))))

    for one in passes:
        golden(f"{name}/pass-{one.number}.yaml", dump(one.documents))
        if one.observed:
            golden(
                f"../../examples/{name}/observed/pass-{one.number}.yaml",
                dump(list(one.observed.values())),
            )
    assert passes[-1].ready == passes[-1].composed.keys(), "every example ends up ready"
    written = {file.name for file in (EXAMPLES / name / "observed").iterdir()}
    assert written == {f"pass-{one.number}.yaml" for one in passes[1:]}


@pytest.mark.parametrize("name", NAMES)
def test_the_preview_of_an_example_reads_as_the_golden_file(name: str, golden: Golden) -> None:
    result = CliRunner().invoke(cli, ["preview", str(EXAMPLES / name / "xr.yaml")])

    assert result.exit_code == 0, result.output
    golden(f"{name}/preview.txt", result.output)
