"""`civocluster sizes|versions|regions`: what Civo offers, to write manifests from."""

import json
from collections.abc import Callable
from typing import Any, TypeVar

import click

from function.cli import checks, tables
from function.cli.civo import Civo
from function.cli.session import APIError
from function.violations import shown

T = TypeVar("T")

_ENVIRONMENT = """
\b
Environment:
  CIVO_TOKEN    API key of the account
  CIVO_API_URL  address of a dedicated API, if not https://api.civo.com
"""

_region = click.option("--region", help="The region, such as LON1; Civo's default if not given.")


class CatalogError(click.ClickException):
    """A catalog that can't be had."""

    exit_code = 2


@click.command("regions", epilog="Example: civocluster regions --output json\n" + _ENVIRONMENT)
@tables.output_option
def regions(output: str) -> None:
    """List Civo's regions."""
    found = _asked(lambda civo: civo.regions())
    _show(
        output,
        found,
        {
            "region": lambda one: one.code,
            "name": lambda one: one.name,
            "kubernetes": lambda one: _yes(one.features.kubernetes),
            "gpus": lambda one: _yes(one.features.gpu),
            "capacity": lambda one: ("used up", "red") if one.out_of_capacity else "yes",
            "default": lambda one: _yes(one.default or None),
        },
    )


@click.command("sizes", epilog="Example: civocluster sizes --region LON1\n" + _ENVIRONMENT)
@_region
@tables.output_option
def sizes(region: str | None, output: str) -> None:
    """List the sizes that nodes of clusters can have in a region."""
    found = _asked(lambda civo: civo.sizes(_existing(region, civo)))
    _show(
        output,
        [size for size in found if size.for_kubernetes],
        {
            "size": lambda one: one.name,
            "cores": lambda one: str(one.cpu_cores),
            "memory": lambda one: checks.gigabytes(one.ram_mb),
            "disk": lambda one: f"{one.disk_gb} GB",
            "gpus": _gpus,
            "selectable": lambda one: "yes" if one.selectable else ("no", "red"),
        },
    )


@click.command("versions", epilog="Example: civocluster versions --region LON1\n" + _ENVIRONMENT)
@_region
@tables.output_option
def versions(region: str | None, output: str) -> None:
    """List the Kubernetes versions that a region offers."""
    found = _asked(lambda civo: civo.versions(_existing(region, civo)))
    _show(
        output,
        found,
        {
            "version": lambda one: one.version,
            "type": lambda one: one.type,
            "default": lambda one: _yes(one.default or None),
        },
    )


def _asked(question: Callable[[Civo], T]) -> T:
    """Return what Civo answers.

    Raises:
        CatalogError: It doesn't.
    """
    try:
        with Civo.from_environment() as civo:
            return question(civo)
    except APIError as error:
        raise CatalogError(f"{error.message}; {error.remedy}") from None


def _existing(wanted: str | None, civo: Civo) -> str:
    """Return the code of the wanted region, Civo's default one's for None.

    Raises:
        APIError: There is no such region.
    """
    known = civo.regions()
    region = checks.stand_in(wanted or "", known)
    if wanted not in (None, region):
        codes = [one.code for one in known]
        choice = checks.near(wanted, codes) or f"one of: {', '.join(codes)}"
        raise APIError(f"Civo has no region {shown(wanted)}", f"choose {choice}")
    return region


def _show(output: str, found: list[Any], columns: dict[str, Callable[[Any], tables.Cell]]) -> None:
    if output == "json":
        click.echo(json.dumps([one.model_dump() for one in found], indent=2))
    else:
        rows = [[cell(one) for cell in columns.values()] for one in found]
        tables.show(list(columns), rows)


def _gpus(size: Any) -> tables.Cell:
    return (f"{size.gpu_count} x {size.gpu_type or 'GPU'}", "bold green") if size.gpu_count else "-"


def _yes(value: object) -> tables.Cell:
    return "-" if value is None else "yes" if value else "no"
