"""The machine that figures were measured on."""

import os
import platform
from importlib.metadata import version
from pathlib import Path


def described() -> dict[str, str]:
    """Return what the figures depend on."""
    models = {
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    }
    return {
        "processor": ", ".join(sorted(models)) or platform.machine(),
        "cores": str(os.cpu_count()),
        "load": f"{os.getloadavg()[0]:.1f}",
        "python": platform.python_version(),
        **{name: version(name) for name in ("grpcio", "protobuf", "pydantic")},
    }
