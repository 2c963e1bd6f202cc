"""What the API offers out of the box: regions, sizes and Kubernetes versions."""

from typing import Any

Record = dict[str, Any]


def region(code: str, name: str, **changes: Any) -> Record:
    """Return a region with Kubernetes and GPUs, `changes` applied."""
    return {
        "code": code,
        "name": name,
        "type": "civostack",
        "default": False,
        "out_of_capacity": False,
        "country": "gb",
        "features": {"iaas": True, "kubernetes": True, "gpu": True, "volume": True},
    } | changes


def size(  # noqa: PLR0917
    name: str, cores: int, ram_gb: int, disk_gb: int, gpus: int = 0, gpu: str = ""
) -> Record:
    """Return a size that can be selected; its type is read off its name."""
    return {
        "name": name,
        "type": "Kubernetes" if ".kube." in name else "Instance",
        "cpu_cores": cores,
        "gpu_count": gpus,
        "gpu_type": gpu,
        "ram_mb": ram_gb * 1024,
        "disk_gb": disk_gb,
        "description": name,
        "selectable": True,
    }


def version(number: str, kind: str, **changes: Any) -> Record:
    """Return a k3s version of a type (`stable`, `development`, `deprecated`)."""
    return {
        "label": f"v{number}",
        "version": number,
        "type": kind,
        "default": False,
        "clusterType": "k3s",
    } | changes


REGIONS = [
    region("LON1", "London 1", default=True),
    region("NYC1", "New York 1"),
    region("FRA1", "Frankfurt 1", features={"iaas": True, "kubernetes": True, "gpu": False}),
    region("PHX1", "Phoenix 1", out_of_capacity=True),
    region("MUM1", "Mumbai 1", features={"iaas": True, "kubernetes": False, "gpu": False}),
]

SIZES = [
    size("g3.small", 1, 2, 25),
    size("g4p.kube.small", 4, 16, 60),
    size("g4p.kube.medium", 8, 32, 80),
    size("g4s.kube.small", 1, 2, 40),
    size("an.g1.l40s.x1", 8, 128, 200, 1, "NVIDIA L40S"),
    size("an.g1.l40s.kube.x1", 8, 128, 200, 1, "NVIDIA L40S"),
    size("an.g1.l40s.kube.x2", 16, 256, 200, 2, "NVIDIA L40S"),
    size("an.g1.h100.kube.x1", 20, 240, 300, 1, "NVIDIA H100"),
    size("g4g.kube.small", 12, 128, 100, 1, "NVIDIA A100 80GB") | {"selectable": False},
]

VERSIONS = [
    version("1.33.4-k3s1", "deprecated"),
    version("1.34.1-k3s1", "stable", default=True),
    version("1.35.0-k3s1", "development"),
    version("1.10.5", "stable", clusterType="talos"),
]

# Limits by the prefix of the quota's fields, with what other machines of the account use of it.
QUOTA = {
    "instance_count": (16, 1),
    "cpu_core": (96, 2),
    "ram_mb": (1_048_576, 4096),
    "disk_gb": (4000, 50),
    "disk_volume_count": (16, 0),
    "network_count": (10, 1),
    "security_group": (16, 1),
}
