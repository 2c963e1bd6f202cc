"""`civocluster preview`, as its user runs it."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result
from rich.console import Console

from function.cli import tables
from function.cli.main import cli
from running import Object
from situations import ALL, GPU, UNREADY_CLUSTER, WORKERS, cluster_xr

EXAMPLE = Path(__file__).parents[2] / "examples" / "gpu-inference"


def invoke(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["preview", *arguments], input=stdin)


def written(folder: Path, document: Any, name: str = "xr.yaml") -> str:
    file = folder / name
    file.write_text(document if isinstance(document, str) else yaml.safe_dump(document))
    return str(file)


def observed(**resources: Object) -> list[Object]:
    """Return resources as `kubectl get -o yaml` prints them of a control plane."""
    return [
        {
            **resource,
            "metadata": {
                **resource["metadata"],
                "namespace": "ml",
                "annotations": {
                    **resource["metadata"].get("annotations", {}),
                    "crossplane.io/composition-resource-name": name,
                },
                "labels": {"crossplane.io/composite": "inference"},
            },
        }
        for name, resource in resources.items()
    ]


@pytest.mark.parametrize("number", [1, 5, 8])
def test_yaml_is_a_pass_of_the_golden_files(number: int) -> None:
    golden = Path(__file__).parents[1] / "golden" / "gpu-inference" / f"pass-{number}.yaml"

    result = invoke(str(EXAMPLE / "xr.yaml"), "--output", "yaml", "--pass", str(number))

    assert result.exit_code == 0
    assert result.output == golden.read_text()


def test_yaml_is_the_last_pass_unless_told_otherwise() -> None:
    last = invoke(str(EXAMPLE / "xr.yaml"), "-o", "yaml", "--pass", "8")

    assert invoke(str(EXAMPLE / "xr.yaml"), "-o", "yaml").output == last.output


def test_json_is_the_same_as_yaml() -> None:
    as_json = json.loads(invoke(str(EXAMPLE / "xr.yaml"), "-o", "json").output)
    as_yaml = yaml.safe_load_all(invoke(str(EXAMPLE / "xr.yaml"), "-o", "yaml").output)

    assert (as_json["apiVersion"], as_json["kind"]) == ("v1", "List")
    assert as_json["items"] == list(as_yaml)


def test_mermaid_shows_what_waits_for_what() -> None:
    result = invoke(str(EXAMPLE / "xr.yaml"), "-o", "mermaid", "--pass", "4")

    assert result.exit_code == 0
    lines = [line.strip() for line in result.output.splitlines()]
    assert lines[0] == "flowchart LR"
    assert 'firewall["firewall<br/>Firewall, ready"]:::ready' in lines
    assert 'cluster["cluster<br/>Cluster, waiting"]:::waiting' in lines
    assert 'node-pool-gpu-l40s["node-pool-gpu-l40s<br/>not composed yet"]:::held' in lines
    assert "cluster -->|Ready| node-pool-gpu-l40s" in lines
    assert "node-pool-gpu-l40s -->|its ID| release-cluster-autoscaler" in lines


def test_one_pass_as_a_tree() -> None:
    result = invoke(str(EXAMPLE / "xr.yaml"), "--pass", "7")

    assert result.output.startswith("Pass 7: 6 of 7 resources ready\n")
    assert result.output.count("Pass ") == 1
    assert 'autoscalingGroups: [{"maxSize": 4, "minSize": 1, "name": "gpu-l40s"}]' in result.output
    assert "Status after pass 7" in result.output


def test_a_pass_that_never_comes() -> None:
    result = invoke(str(EXAMPLE / "xr.yaml"), "--pass", "9")

    assert result.exit_code == 2
    assert "there is no pass 9: nothing changes after pass 8" in result.output


def test_watch_pauses_on_a_terminal_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)

    assert invoke(str(EXAMPLE / "xr.yaml"), "--watch").exit_code == 0
    assert not pauses

    monkeypatch.setattr(tables, "Console", lambda **_: Console(force_terminal=True, width=200))
    result = invoke(str(EXAMPLE / "xr.yaml"), "--watch")
    assert len(pauses) == 8
    assert "\x1b[" in result.output


def test_standard_input_and_the_namespace_of_kubectl() -> None:
    xr = cluster_xr(WORKERS)
    del xr["metadata"]["namespace"]

    result = invoke("-", "-o", "yaml", "--pass", "1", stdin=yaml.safe_dump(xr))

    assert result.exit_code == 0
    assert {one["metadata"]["namespace"] for one in yaml.safe_load_all(result.output)} == {
        "default"
    }


def test_observed_takes_the_place_of_the_simulation(tmp_path: Path) -> None:
    other = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "other"}}
    resources = [*observed(**{**ALL, "cluster": UNREADY_CLUSTER}), other]
    listed = {"apiVersion": "v1", "kind": "List", "items": resources}
    xr = written(tmp_path, cluster_xr())

    result = invoke(xr, "--observed", written(tmp_path, listed, "observed.yaml"))

    assert result.exit_code == 0, result.output
    assert result.output.startswith("Pass 1: 6 of 7 resources ready\n")
    assert "waiting  its status is UPGRADING" in result.output


def test_observed_from_a_folder_gives_the_pass_of_the_simulation(tmp_path: Path) -> None:
    documents = yaml.safe_load_all((EXAMPLE / "observed" / "pass-5.yaml").read_text())
    for number, document in enumerate(documents):
        written(tmp_path, document, f"{number}.yaml")
    xr = str(EXAMPLE / "xr.yaml")

    result = invoke(xr, "--observed", str(tmp_path), "-o", "yaml")

    assert result.output == invoke(xr, "-o", "yaml", "--pass", "5").output


def test_a_warning_of_the_function_is_shown(tmp_path: Path) -> None:
    result = invoke(written(tmp_path, cluster_xr(kubernetesVersion="1.33.1-k3s1")), "--pass", "1")

    assert "Warning: spec.kubernetesVersion: 1.33.1-k3s1 is older than" in result.output


INVALID = cluster_xr({**WORKERS, "nodecount": 2, "size": ""}, {**GPU, "gpu": None, "zone": 1})


@pytest.mark.parametrize("output", ["tree", "yaml", "json", "mermaid"])
def test_a_bad_manifest_gets_every_violation(tmp_path: Path, output: str) -> None:
    file = written(tmp_path, INVALID)

    result = invoke(file, "--output", output)

    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.splitlines() == [
        f"Error: {file} is invalid:",
        "spec.nodePools[0].nodecount: is no field of the API; did you mean nodeCount? (got 2)",
        'spec.nodePools[0].size: must be at least 1 characters long (got "")',
        (
            "spec.nodePools[1].gpu: is required for role GPU; add gpu.acceleratorType, for "
            "example nvidia-l40s"
        ),
        (
            "spec.nodePools[1].zone: is no field of the API; remove it; known: name, role, size, "
            "nodeCount, maxNodeCount, minNodeCount, gpu (got 1)"
        ),
    ]


def test_what_the_function_refuses_of_what_exists(tmp_path: Path) -> None:
    file = written(tmp_path, cluster_xr(region="LON1"))

    result = invoke(file, "--observed", written(tmp_path, observed(**ALL)[0], "observed.yaml"))

    assert result.exit_code == 1
    assert "region can't change" in result.stderr


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a: [", "is not YAML at line 2"),
        ("!!python/none", "is not YAML at line 1"),
        ("just text", "is not YAML of a Kubernetes object"),
        ("a: .inf\nb: 1" + "0" * 400, "is not YAML of a Kubernetes object"),
        ("&a [*a]", "is not YAML of a Kubernetes object"),
        ("", "holds 0 documents, not one CivoCluster"),
        ("{}\n---\n{}", "holds 2 documents, not one CivoCluster"),
        (
            "{apiVersion: v1, kind: Pod}",
            (
                "is no CivoCluster: it has apiVersion v1 and kind Pod, not "
                "infrastructure.modelplane.ai/v1alpha1 and CivoCluster"
            ),
        ),
    ],
)
def test_a_file_that_is_no_civocluster_gets_one_line(
    tmp_path: Path, content: str, message: str
) -> None:
    file = written(tmp_path, content)

    result = invoke(file)

    assert result.exit_code == 2
    assert result.stderr.splitlines() == [f"Error: {file}: {message}"]


@pytest.mark.parametrize(
    "arguments",
    [("{}/none.yaml",), ("{}",), (str(EXAMPLE / "xr.yaml"), "--observed", "{}/none.yaml")],
)
def test_a_file_that_is_not_there_gets_one_line(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    result = invoke(*(one.format(tmp_path) for one in arguments))

    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert str(tmp_path) in result.stderr


def test_a_file_without_a_resource_of_the_xr_gets_one_line(tmp_path: Path) -> None:
    result = invoke(
        written(tmp_path, cluster_xr()),
        "--observed",
        written(tmp_path, {"kind": "ConfigMap"}, "observed.yaml"),
    )

    assert result.exit_code == 2
    assert "holds no composed resource of ml/inference" in result.stderr


COMPOSED = """\
metadata:
  name: inference-abc
  namespace: ml
  annotations: {crossplane.io/composition-resource-name: cluster}
  labels: {crossplane.io/composite: inference}
"""


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("kind: List", "is a List without a list of items"),
        ("{kind: List, items: [1]}", "is a List without a list of items"),
        ("metadata: []", "is not YAML of a Kubernetes object"),
        ("metadata: {annotations: []}", "is not YAML of a Kubernetes object"),
        ("metadata: {labels: x}", "is not YAML of a Kubernetes object"),
        (COMPOSED + "spec: {forProvider: x}", "is not YAML of a Kubernetes object"),
        (COMPOSED + "status: x", "is not YAML of a Kubernetes object"),
        (COMPOSED + "status: {atProvider: []}", "is not YAML of a Kubernetes object"),
    ],
)
def test_observed_of_no_sense_gets_one_line(tmp_path: Path, content: str, message: str) -> None:
    file = written(tmp_path, content, "observed.yaml")

    result = invoke(written(tmp_path, cluster_xr()), "--observed", file)

    assert result.exit_code == 2
    assert result.stderr.splitlines() == [f"Error: {file}: {message}"]


def test_a_date_is_a_string_and_null_is_nothing(tmp_path: Path) -> None:
    manifest = yaml.safe_dump(cluster_xr(WORKERS, region="REGION", credentials=None))
    file = written(tmp_path, manifest.replace("REGION", "2026-01-01"))

    result = invoke(file, "-o", "json", "--pass", "1")

    network = json.loads(result.output)["items"][3]
    assert network["spec"]["forProvider"]["region"] == "2026-01-01"


def test_the_console_script_prints_plain_text_without_a_terminal() -> None:
    script = Path(sys.executable).parent / "civocluster"

    result = subprocess.run(
        [script, "preview", EXAMPLE / "xr.yaml"], capture_output=True, text=True, check=True
    )

    assert "\x1b" not in result.stdout
    assert "Pass 8: 7 of 7 resources ready" in result.stdout
    assert result.stderr == ""


def test_help_lists_every_command_and_an_unknown_one_is_refused() -> None:
    listed = CliRunner().invoke(cli, ["--help"])
    unknown = CliRunner().invoke(cli, ["nope"])

    assert listed.exit_code == 0
    for name in ("preview", "preflight", "sizes", "versions", "regions"):
        assert f"  {name} " in listed.output
    assert unknown.exit_code == 2
    assert "No such command 'nope'" in unknown.output
