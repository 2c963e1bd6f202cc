"""What Civo offers, listed to write manifests from."""

import json
from dataclasses import dataclass
from typing import Any

import pytest

from asking import TOKEN
from civo_api import CivoAPIServer, Fault, offers

REGIONS = """\
REGION  NAME         KUBERNETES  GPUS  CAPACITY  DEFAULT
LON1    London 1     yes         yes   yes       yes
NYC1    New York 1   yes         yes   yes       -
FRA1    Frankfurt 1  yes         no    yes       -
PHX1    Phoenix 1    yes         yes   used up   -
MUM1    Mumbai 1     no          no    yes       -
"""
SIZES = """\
SIZE                CORES  MEMORY  DISK    GPUS                  SELECTABLE
g4p.kube.small      4      16 GB   60 GB   -                     yes
g4p.kube.medium     8      32 GB   80 GB   -                     yes
g4s.kube.small      1      2 GB    40 GB   -                     yes
an.g1.l40s.kube.x1  8      128 GB  200 GB  1 x NVIDIA L40S       yes
an.g1.l40s.kube.x2  16     256 GB  200 GB  2 x NVIDIA L40S       yes
an.g1.h100.kube.x1  20     240 GB  300 GB  1 x NVIDIA H100       yes
g4g.kube.small      12     128 GB  100 GB  1 x NVIDIA A100 80GB  no
"""
VERSIONS = """\
VERSION      TYPE         DEFAULT
1.33.4-k3s1  deprecated   -
1.34.1-k3s1  stable       yes
1.35.0-k3s1  development  -
"""


@dataclass(frozen=True)
class Case:
    reason: str
    command: list[str]
    output: str
    asked: list[tuple[str, str | None]]
    """Paths and regions."""
    exit_code: int = 0


CASES = {
    "regions": Case("all regions", ["regions"], REGIONS, [("/v2/regions", None)]),
    "sizes": Case(
        "of Civo's default region, and no sizes for instances",
        ["sizes"],
        SIZES,
        [("/v2/regions", None), ("/v2/sizes", "LON1")],
    ),
    "sizes of a region": Case(
        "the region is passed on",
        ["sizes", "--region", "NYC1"],
        SIZES,
        [("/v2/regions", None), ("/v2/sizes", "NYC1")],
    ),
    "versions": Case(
        "of k3s alone",
        ["versions"],
        VERSIONS,
        [("/v2/regions", None), ("/v2/kubernetes/versions", "LON1")],
    ),
    "region misspelled": Case(
        "the one that was meant is named",
        ["versions", "--region", "lon1"],
        'Error: Civo has no region "lon1"; choose LON1\n',
        [("/v2/regions", None)],
        2,
    ),
    "region unknown": Case(
        "all are named",
        ["sizes", "--region", "atlantis"],
        'Error: Civo has no region "atlantis"; choose one of: LON1, NYC1, FRA1, PHX1, MUM1\n',
        [("/v2/regions", None)],
        2,
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_text(case: Case, civo_server: CivoAPIServer, civocluster: Any) -> None:
    result = civocluster(*case.command)
    assert (result.output, result.exit_code) == (case.output, case.exit_code), case.reason
    asked = [(one.path, one.query.get("region")) for one in civo_server.requests]
    assert asked == case.asked, case.reason


JSON = {
    "regions": (
        "regions",
        {
            "code": "LON1",
            "name": "London 1",
            "default": True,
            "out_of_capacity": False,
            "features": {"kubernetes": True, "gpu": True},
        },
    ),
    "sizes": (
        "sizes",
        {
            "name": "g4p.kube.small",
            "type": "Kubernetes",
            "cpu_cores": 4,
            "ram_mb": 16384,
            "disk_gb": 60,
            "gpu_count": 0,
            "gpu_type": "",
            "selectable": True,
        },
    ),
    "versions": (
        "versions",
        {
            "version": "1.33.4-k3s1",
            "type": "deprecated",
            "default": False,
            "cluster_type": "k3s",
        },
    ),
}


@pytest.mark.usefixtures("civo_server")
@pytest.mark.parametrize(("command", "first"), JSON.values(), ids=JSON)
def test_json(command: str, first: dict[str, Any], civocluster: Any) -> None:
    result = civocluster(command, "--output", "json")
    assert json.loads(result.output)[0] == first
    assert result.exit_code == 0


@pytest.mark.usefixtures("civo_server")
def test_terminal(civocluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal GPU sizes stand out."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("NO_COLOR", raising=False)
    result = civocluster("sizes", color=True)
    assert "\x1b[1;32m1 x NVIDIA L40S" in result.output


FOREIGN = offers.region("X\x1b[31m1", "[bold]Red\nHat[/bold]", features={})


def test_foreign_text(civo_server: CivoAPIServer, civocluster: Any) -> None:
    """What Civo says can neither move the cursor nor pass for markup."""
    civo_server.inject("/v2/regions", Fault.json([FOREIGN]))
    lines = civocluster("regions").output.splitlines()
    assert lines[1:] == ["X1      [bold]Red Hat[/bold]  -           -     yes       -"]


FAULTS = {
    "no region at all": (Fault.json([]), "has no region at all", "check that CIVO_API_URL"),
    "token refused": (Fault.refusal(401, "requires_authentication"), "the token", "set CIVO_TOKEN"),
    "broken": (Fault.html(500), "Civo's API fails (HTTP 500)", "try again"),
    "something else": (Fault.json({}), "the question for regions", "check that CIVO_API_URL"),
}


@pytest.mark.parametrize("command", ["sizes", "versions"])
@pytest.mark.parametrize(("fault", "said", "todo"), FAULTS.values(), ids=FAULTS)
def test_faults(  # noqa: PLR0917
    fault: Fault,
    said: str,
    todo: str,
    command: str,
    civo_server: CivoAPIServer,
    civocluster: Any,
) -> None:
    """Without an answer there is a message, and what to do."""
    civo_server.inject("*", fault)
    result = civocluster(command)
    assert said in result.output
    assert todo in result.output
    assert TOKEN not in result.output
    assert result.exit_code == 2
