"""`civocluster preflight`: what Civo would say to a CivoCluster."""

import json
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from typing import TypeVar

import click

from function.cli import checks, manifest, tables
from function.cli.checks import Answers, Check, Verdict
from function.cli.civo import Civo
from function.cli.session import APIError, HopelessError
from function.cli.wanted import Wanted

T = TypeVar("T")

_STYLES = {
    Verdict.OK: "green",
    Verdict.WARN: "yellow",
    Verdict.UNKNOWN: "magenta",
    Verdict.FAIL: "bold red",
}
_EXAMPLES = """\b
Examples:
  CIVO_TOKEN=$(cat token) civocluster preflight xr.yaml
  civocluster preflight xr.yaml --output json

\b
Environment:
  CIVO_TOKEN    API key of the account
  CIVO_API_URL  address of a dedicated API, if not https://api.civo.com

\b
Exit code:
  0  nothing speaks against it
  1  it would fail
  2  nobody could tell: no token, no answer, no readable manifest
"""


@click.command("preflight", epilog=_EXAMPLES)
@click.argument("file", metavar="XR.yaml")
@tables.output_option
def command(file: str, output: str) -> None:
    """Check a CivoCluster against Civo before anybody applies it.

    Asks Civo's API whether the region, the sizes and the Kubernetes version are offered, whether
    the quota is large enough, and whether the names are free. It reads and changes nothing.
    XR.yaml is a manifest, - is standard input.
    """
    xr, violations = manifest.read_xr(file)
    wanted = Wanted.read(xr)
    found = list(checks.run(wanted, violations, _ask(wanted)))
    code = checks.exit_code(found)
    if output == "json":
        verdict = (Verdict.OK, Verdict.FAIL, Verdict.UNKNOWN)[code]
        report = {"verdict": verdict, "checks": [asdict(check) for check in found]}
        click.echo(json.dumps(report, indent=2))
    else:
        tables.show(["check", "verdict", "found"], [_row(check) for check in found])
        click.echo(f"\n{_summary(found)}")
    sys.exit(code)


def _row(check: Check) -> tuple[tables.Cell, ...]:
    message = f"{check.message}\n-> {check.remedy}" if check.remedy else check.message
    return check.name, (check.verdict, _STYLES[check.verdict]), message


def _summary(found: list[Check]) -> str:
    counts = Counter(check.verdict for check in found)
    words = {
        Verdict.FAIL: "would fail",
        Verdict.UNKNOWN: "couldn't be told",
        Verdict.WARN: "with a warning",
        Verdict.OK: "good",
    }
    parts = [f"{counts[verdict]} {word}" for verdict, word in words.items() if counts[verdict]]
    return f"{len(found)} checks: {', '.join(parts)}"


def _ask(wanted: Wanted) -> Answers:
    """Ask Civo for all that the checks look at."""
    try:
        with Civo.from_environment() as civo:
            return _answers(civo, wanted)
    except HopelessError as error:
        return Answers(error, wanted.region, error, error, error, error, error, error)


def _answers(civo: Civo, wanted: Wanted) -> Answers:
    hopeless: HopelessError | None = None

    def answer(question: Callable[[], T]) -> T | APIError:
        nonlocal hopeless
        if hopeless:
            return hopeless
        try:
            return question()
        except HopelessError as error:
            hopeless = error
            return error
        except APIError as error:
            return error

    regions = answer(civo.regions)
    region = wanted.region
    if not isinstance(regions, APIError):
        region = checks.stand_in(region, regions)
    return Answers(
        regions=regions,
        region=region,
        sizes=answer(lambda: civo.sizes(region)),
        versions=answer(lambda: civo.versions(region)),
        quota=answer(lambda: civo.quota(region)),
        clusters=answer(lambda: civo.clusters(region)),
        networks=answer(lambda: civo.networks(region)),
        firewalls=answer(lambda: civo.firewalls(region)),
    )
