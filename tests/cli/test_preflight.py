"""The preflight, against a server that answers as Civo's API does."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from civo_api import CivoAPIServer, offers
from function import names

Object = dict[str, Any]

SYSTEM = {"name": "workers", "role": "System", "size": "g4p.kube.small", "nodeCount": 2}
GPU = {
    "name": "gpu-l40s",
    "role": "GPU",
    "size": "an.g1.l40s.kube.x1",
    "nodeCount": 1,
    "maxNodeCount": 4,
    "gpu": {"acceleratorType": "nvidia-l40s"},
}


def manifest(*pools: Object, metadata: Object | None = None, **spec: Any) -> Object:
    return {
        "apiVersion": "infrastructure.modelplane.ai/v1alpha1",
        "kind": "CivoCluster",
        "metadata": metadata or {"name": "inference", "namespace": "ml"},
        "spec": {"region": "LON1", "nodePools": list(pools or (SYSTEM, GPU))} | spec,
    }


def make(kind: str) -> Callable[[CivoAPIServer], None]:
    """Return what makes a thing of the name that the manifest's would have."""
    name = names.civo("ml", "inference")

    def create(api: CivoAPIServer) -> None:
        account = api.account
        if kind == "network":
            account.create_network("LON1", name)
        elif kind == "firewall":
            account.create_firewall("LON1", name, account.networks("LON1")[0].id)
        else:
            account.create_cluster("LON1", {"name": name, "num_target_nodes": 1})

    return create


def many_clusters(api: CivoAPIServer) -> None:
    api.account.limits = dict.fromkeys(api.account.limits, 10_000_000)
    for number in range(150):
        api.account.create_cluster("LON1", {"name": f"other-{number}", "num_target_nodes": 1})
    make("cluster")(api)


def quota(**used: int) -> Callable[[CivoAPIServer], None]:
    return lambda api: api.account.used.update(used)


def without_default(api: CivoAPIServer) -> None:
    for version in api.account.versions:
        version["default"] = False


def old_default(api: CivoAPIServer) -> None:
    api.account.versions = [offers.version("1.33.4-k3s1", "stable", default=True)]


def silent_region(api: CivoAPIServer) -> None:
    api.account.regions[0]["features"] = {}


@dataclass(frozen=True)
class Case:
    reason: str
    xr: Object
    exit_code: int
    found: dict[str, tuple[str, str, str]]
    """By name, the checks that aren't good: the verdict, and parts of message and remedy."""
    given: Callable[[CivoAPIServer], None] = field(default=lambda _: None)


NAME = names.civo("ml", "inference")
ROOM = "delete what isn't needed"
LATER = "correct them first"

CASES = {
    "good": Case("all is offered, and the quota is large enough", manifest(), 0, {}),
    "version pinned": Case(
        "the version is offered and stable", manifest(kubernetesVersion="1.34.1-k3s1"), 0, {}
    ),
    "version deprecated": Case(
        "it comes up, but not for long; and GPU workloads claim in vain",
        manifest(kubernetesVersion="1.33.4-k3s1"),
        0,
        {
            "Kubernetes version": (
                "warn",
                "1.33.4-k3s1 (deprecated)",
                "set spec.kubernetesVersion to 1.34.1-k3s1 (",
            ),
            "GPU claims": ("warn", "Dynamic Resource Allocation", "1.34 or newer"),
        },
    ),
    "version in development": Case(
        "a user should know",
        manifest(kubernetesVersion="1.35.0-k3s1"),
        0,
        {"Kubernetes version": ("warn", "(development)", "1.34.1-k3s1")},
    ),
    "default version old": Case(
        "what Civo chooses may be too old for GPU claims",
        manifest(),
        0,
        {"GPU claims": ("warn", "1.33.4-k3s1", "set spec.kubernetesVersion")},
        old_default,
    ),
    "version of another kind": Case(
        "a version of Talos is none of k3s",
        manifest(kubernetesVersion="1.10.5-k3s1"),
        1,
        {"Kubernetes version": ("fail", 'LON1 doesn\'t offer "1.10.5-k3s1"', "LON1")},
    ),
    "no default version": Case(
        "nobody knows what Civo would take",
        manifest(),
        2,
        {"Kubernetes version": ("unknown", "names no default", "1.34.1-k3s1")},
        without_default,
    ),
    "region misspelled": Case(
        "the rest is checked against the region that was probably meant",
        manifest(region="lon1"),
        1,
        {
            "region": ("fail", 'no region "lon1"; LON1 stands in', "set spec.region to LON1"),
            "name of cluster": ("unknown", "a region that are right", LATER),
            "name of network": ("unknown", "a region that are right", LATER),
            "name of firewall": ("unknown", "a region that are right", LATER),
        },
    ),
    "region like no other": Case(
        "Civo's default region stands in",
        manifest(region="atlantis"),
        1,
        {
            "region": ("fail", "LON1 stands in", "one of: LON1, NYC1, FRA1, PHX1, MUM1"),
            "name of cluster": ("unknown", "", LATER),
            "name of network": ("unknown", "", LATER),
            "name of firewall": ("unknown", "", LATER),
        },
    ),
    "region without GPUs": Case(
        "regions that would do are named, the full one isn't",
        manifest(region="FRA1"),
        1,
        {"region GPUs": ("fail", "no GPUs", "one of: LON1, NYC1 (")},
    ),
    "region without GPUs, none wanted": Case(
        "pools without GPUs don't mind", manifest(SYSTEM, region="FRA1"), 0, {}
    ),
    "region without Kubernetes": Case(
        "the region is no place for clusters",
        manifest(SYSTEM, region="MUM1"),
        1,
        {"region Kubernetes": ("fail", "no Kubernetes", "one of: LON1, NYC1, FRA1 (")},
    ),
    "region full": Case(
        "the region has no capacity left",
        manifest(region="PHX1"),
        1,
        {"region capacity": ("fail", "PHX1 is out of capacity", "wait, or set spec.region")},
    ),
    "region that doesn't say": Case(
        "the sizes tell, where the region's features don't",
        manifest(),
        0,
        {
            "region Kubernetes": ("warn", "doesn't say", "sizes"),
            "region GPUs": ("warn", "doesn't say", "sizes"),
        },
        silent_region,
    ),
    "size of instances": Case(
        "the size for clusters has another name",
        manifest(GPU | {"size": "an.g1.l40s.x1"}),
        1,
        {
            "size of nodePools[0]": (
                "fail",
                '"an.g1.l40s.x1" isn\'t a size for clusters',
                "set size to an.g1.l40s.kube.x1 (`civocluster sizes --region LON1`",
            ),
            "quota of cores": ("unknown", "without nodePools[0]", "correct the size"),
            "quota of memory": ("unknown", "without nodePools[0]", "correct the size"),
            "quota of disk": ("unknown", "without nodePools[0]", "correct the size"),
        },
    ),
    "size misspelled": Case(
        "the nearest one that the role may have is named",
        manifest(SYSTEM | {"size": "g4p.kube.smal"}),
        1,
        {
            "size of nodePools[0]": ("fail", "LON1 has no size", "set size to g4p.kube.small"),
            "quota of cores": ("unknown", "", ""),
            "quota of memory": ("unknown", "", ""),
            "quota of disk": ("unknown", "", ""),
        },
    ),
    "size not selectable": Case(
        "the size exists, and can't be had",
        manifest(GPU | {"size": "g4g.kube.small"}),
        1,
        {"size of nodePools[0]": ("fail", "can't be selected in LON1", "set size to")},
    ),
    "GPU pool without GPUs": Case(
        "pods that claim GPUs would wait for ever",
        manifest(GPU | {"size": "g4p.kube.medium"}),
        1,
        {"size of nodePools[0]": ("fail", "has no GPU", "one of: an.g1.l40s.kube.x1")},
    ),
    "GPU pool of a size with a similar name": Case(
        "what is like g4p.kube.small in its name alone, and costs a lot, wasn't meant",
        manifest(GPU | {"size": "g4p.kube.small"}),
        1,
        {"size of nodePools[0]": ("fail", "has no GPU", "one of: an.g1.l40s.kube.x1")},
        lambda api: api.account.sizes[-1].update(selectable=True),
    ),
    "size misspelled, and not selectable": Case(
        "what can't be had isn't suggested",
        manifest(GPU | {"size": "g4g.kube.smal"}),
        1,
        {
            "size of nodePools[0]": ("fail", "LON1 has no size", "one of: an.g1.l40s.kube.x1"),
            "quota of cores": ("unknown", "", ""),
            "quota of memory": ("unknown", "", ""),
            "quota of disk": ("unknown", "", ""),
        },
    ),
    "System pool with GPUs": Case(
        "GPUs would be paid for and not be used",
        manifest(SYSTEM | {"size": "an.g1.l40s.kube.x1"}),
        1,
        {"size of nodePools[0]": ("fail", "has GPUs", "set role to GPU, or set size to one of")},
    ),
    "system pool's size gone": Case(
        "the built-in pool is checked as well",
        manifest(GPU),
        1,
        {
            "size of system": ("fail", "LON1 has no size", "sizes --region LON1"),
            "quota of cores": ("unknown", "without system", ""),
            "quota of memory": ("unknown", "without system", ""),
            "quota of disk": ("unknown", "without system", ""),
        },
        lambda api: api.account.sizes.__delitem__(1),
    ),
    "quota exceeded at once": Case(
        "24 cores are needed and 16 free, 5 instances and 4, 192 GB and 1, 440 GB and 40",
        manifest(),
        1,
        {
            "quota of cores": ("fail", "needs 24 at first, 48 at most: 16 free of 96", ROOM),
            "quota of memory": ("fail", "needs 192 GB at first", ROOM),
            "quota of disk": ("fail", "40 GB free of 4000 GB", ROOM),
            "quota of instances": ("fail", "needs 5 at first, 8 at most: 4 free of 16", ROOM),
            "quota of networks": ("fail", "needs 1: 0 free of 10", ROOM),
            "quota of firewalls": ("fail", "needs 1: 0 free of 16", ROOM),
            "quota of volumes": ("warn", "0 free of 16 for PersistentVolumeClaims", ""),
        },
        quota(
            cpu_core=80,
            ram_mb=1_047_552,
            disk_gb=3960,
            instance_count=12,
            network_count=10,
            security_group=17,
            disk_volume_count=16,
        ),
    ),
    "quota just enough": Case(
        "5 instances are needed at first and free; it is never more",
        manifest(SYSTEM, GPU | {"maxNodeCount": 1}),
        0,
        {},
        quota(instance_count=11),
    ),
    "quota exceeded later": Case(
        "the pools can't grow to the maximum",
        manifest(),
        0,
        {
            "quota of instances": ("warn", "needs 5 at first, 8 at most: 7 free of 16", "lower"),
        },
        quota(instance_count=9),
    ),
    "minimum above the count": Case(
        "a pool is created with its minimum: 2 + 2 + 12 nodes",
        manifest(SYSTEM, GPU | {"minNodeCount": 12, "maxNodeCount": 12, "size": "g4p.kube.small"}),
        1,
        {
            "size of nodePools[1]": ("fail", "has no GPU", ""),
            "quota of instances": ("fail", "needs 16: 15 free", ROOM),
        },
    ),
    "cluster exists": Case(
        "the name is taken, or the manifest was applied already",
        manifest(),
        1,
        {"name of cluster": ("fail", f"{NAME}: the account has a cluster", "applied before")},
        make("cluster"),
    ),
    "network exists": Case(
        "the name is taken",
        manifest(),
        1,
        {"name of network": ("fail", f"{NAME}: the account has a network", "applied before")},
        make("network"),
    ),
    "firewall exists": Case(
        "the name is taken",
        manifest(),
        1,
        {"name of firewall": ("fail", f"{NAME}: the account has a firewall", "applied before")},
        make("firewall"),
    ),
    "cluster exists, pages on": Case(
        "clusters come in pages, and the last one counts like the first",
        manifest(),
        1,
        {"name of cluster": ("fail", NAME, "")},
        many_clusters,
    ),
    "name in another region": Case(
        "names are unique in a region only", manifest(region="NYC1"), 0, {}, make("cluster")
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_verdicts(case: Case, civo_server: CivoAPIServer, civocluster: Any) -> None:
    case.given(civo_server)
    result = civocluster("preflight", "xr", "--output", "json", xr=case.xr)
    report = json.loads(result.output)
    bad = {one["name"]: one for one in report["checks"] if one["verdict"] != "ok"}
    verdicts = {name: one["verdict"] for name, one in bad.items()}
    assert verdicts == {name: verdict for name, (verdict, _, _) in case.found.items()}, case.reason
    for name, (_, message, remedy) in case.found.items():
        assert message in bad[name]["message"], case.reason
        assert remedy in bad[name]["remedy"], case.reason
        assert bad[name]["remedy"], "who reads of trouble wants to know what to do"
    assert result.exit_code == case.exit_code, case.reason
    assert report["verdict"] == ["ok", "fail", "unknown"][case.exit_code], case.reason


@pytest.mark.usefixtures("civo_server")
def test_five_mistakes(civocluster: Any) -> None:
    """Each mistake is of another kind, and one run names them all."""
    pools = [GPU | {"nodeCount": 20, "maxNodeCount": 20}, SYSTEM | {"size": "g4x.kube.small"}]
    xr = manifest(*pools, region="LON2", kubernetesVersion="1.34.9-k3s1", colour="red")
    result = civocluster("preflight", "xr", xr=xr)
    for mistake in (
        "spec.colour: is no field of the API",
        'Civo has no region "LON2"',
        'LON1 has no size "g4x.kube.small"',
        'LON1 doesn\'t offer "1.34.9-k3s1"',
        "needs 24: 15 free of 16",
    ):
        assert mistake in result.output
    assert result.exit_code == 1


HALF_RIGHT = {
    "pools are no list": (
        manifest() | {"spec": {"region": "LON1", "nodePools": "none"}},
        ["spec.nodePools: must be a list", "size of system"],
    ),
    "spec is no object": (
        manifest() | {"spec": []},
        ["spec: must be an object", "the manifest names no region; LON1 stands in"],
    ),
    "no name": (
        manifest(metadata={"namespace": "ml"}),
        ["metadata.name: is required", "depends on a name, a namespace and a region"],
    ),
    "metadata is no object": (
        manifest() | {"metadata": "inference"},
        ["metadata: must be an object", "depends on a name, a namespace and a region"],
    ),
    "no namespace": (
        manifest(metadata={"name": "inference"}, colour="red"),
        ["spec.colour", f"{names.civo('default', 'inference')} is free"],
    ),
    "count is no number": (
        manifest(GPU | {"nodeCount": "two", "name": "-gpu"}),
        [
            "spec.nodePools[0].nodeCount: must be an integer",
            "spec.nodePools[0].name: must be a Kubernetes label value",
            "an.g1.l40s.kube.x1: 8 cores, 128 GB, 200 GB of disk, 1 x NVIDIA L40S",
            "needs 2, without nodePools[0]: 15 free of 16",
        ],
    ),
    "version is no text": (
        manifest(kubernetesVersion=1.34),
        ["spec.kubernetesVersion: must be a string", "size of nodePools[1]"],
    ),
    "role unknown": (
        manifest(GPU | {"role": "TPU"}),
        ["spec.nodePools[0].role: must be", "an.g1.l40s.kube.x1: 8 cores"],
    ),
    "pool is no object": (
        manifest(*[SYSTEM], nodePools=["workers", SYSTEM]),
        ["spec.nodePools[0]: must be an object", "size of nodePools[1]", "without nodePools[0]"],
    ),
}


@pytest.mark.usefixtures("civo_server")
@pytest.mark.parametrize(("xr", "found"), HALF_RIGHT.values(), ids=HALF_RIGHT)
def test_half_right(xr: Object, found: list[str], civocluster: Any) -> None:
    """What of a manifest can be read is checked, and all that is wrong with it is named."""
    for source, options in (("xr", {}), ("-", {"input": yaml.safe_dump(xr)})):
        result = civocluster("preflight", source, xr=xr, **options)
        for part in found:
            assert part in result.output
        assert result.exit_code == 1


def test_reads_only(civo_server: CivoAPIServer, civocluster: Any) -> None:
    """Nothing is changed, and all questions but the one for regions are about the region."""
    civocluster("preflight", "xr", xr=manifest(region="NYC1"))
    assert [(one.method, one.path, one.query.get("region")) for one in civo_server.requests] == [
        ("GET", "/v2/regions", None),
        ("GET", "/v2/sizes", "NYC1"),
        ("GET", "/v2/kubernetes/versions", "NYC1"),
        ("GET", "/v2/quota", "NYC1"),
        ("GET", "/v2/kubernetes/clusters", "NYC1"),
        ("GET", "/v2/networks", "NYC1"),
        ("GET", "/v2/firewalls", "NYC1"),
    ]


SCREENS = {
    "good": manifest(kubernetesVersion="1.34.1-k3s1"),
    "bad": manifest(
        SYSTEM | {"size": "an.g1.h100.kube.x1"},
        GPU | {"size": "an.g1.l40s.x1", "minNodeCount": 5},
        region="FRA1",
        kubernetesVersion="1.33.4-k3s1",
    ),
}


@pytest.mark.usefixtures("civo_server")
@pytest.mark.parametrize("name", SCREENS)
def test_screen(name: str, civocluster: Any, golden: Callable[[str, str], None]) -> None:
    """The table as it is printed where no terminal is: whole lines, no colour."""
    result = civocluster("preflight", "xr", xr=SCREENS[name])
    assert "\x1b" not in result.output
    golden(f"preflight/{name}.txt", result.output)


@pytest.mark.usefixtures("civo_server")
def test_terminal(civocluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal verdicts have colours, and lines fit."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("NO_COLOR", raising=False)
    result = civocluster("preflight", "xr", xr=SCREENS["bad"], color=True)
    assert "\x1b[1;31mfail" in result.output
    plain = [click.unstyle(line) for line in result.output.splitlines()]
    assert max(map(len, plain)) <= 80


UNREADABLE = {
    "absent": (None, "No such file"),
    "not YAML": ("a: [", "is not YAML"),
    "another kind": ("apiVersion: v1\nkind: Secret\n", "is no CivoCluster"),
    "nothing": ("", "0 documents"),
}


@pytest.mark.parametrize(("text", "said"), UNREADABLE.values(), ids=UNREADABLE)
def test_unreadable(
    text: str | None, said: str, civo_server: CivoAPIServer, civocluster: Any, tmp_path: Path
) -> None:
    """A manifest that can't be read is no verdict on it, and Civo isn't asked."""
    path = tmp_path / "manifest.yaml"
    if text is not None:
        path.write_text(text)
    result = civocluster("preflight", str(path))
    assert said in result.output
    assert (result.exit_code, civo_server.requests) == (2, [])
    if text is not None:
        result = civocluster("preflight", "-", input=text)
        assert said in result.output
        assert result.exit_code == 2
