"""Civo's API, and the commands that ask it."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from click.testing import CliRunner, Result

from asking import FAST, IMPATIENT, TOKEN
from civo_api import CivoAPIServer
from function.cli import catalog, civo, preflight
from function.cli.session import Limits


@pytest.fixture
def civo_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[CivoAPIServer]:
    """Serve an account's API, at the address and with the token that the environment names."""
    with CivoAPIServer(TOKEN) as server:
        monkeypatch.setenv("CIVO_TOKEN", TOKEN)
        monkeypatch.setenv("CIVO_API_URL", server.url)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setattr(civo, "Limits", partial(Limits, **vars(FAST)))
        yield server


@pytest.fixture
def impatient(civo_server: CivoAPIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the commands wait for the API no longer than a test may take."""
    del civo_server
    monkeypatch.setattr(civo, "Limits", partial(Limits, **vars(IMPATIENT)))


@pytest.fixture
def civocluster(tmp_path: Path) -> Callable[..., Result]:
    """Return what runs a command; `xr` stands for the path of a manifest that it holds."""
    commands = [preflight.command, catalog.regions, catalog.sizes, catalog.versions]
    group = click.Group("civocluster", commands=commands)

    def invoke(*arguments: str, xr: Any = None, **options: Any) -> Result:
        path = tmp_path / "xr.yaml"
        path.write_text(yaml.safe_dump(xr))
        given = [str(path) if argument == "xr" else argument for argument in arguments]
        return CliRunner().invoke(group, given, **options)

    return invoke
