"""`civocluster preview`: what becomes of a CivoCluster, played on the terminal."""

import json
import time
from pathlib import Path

import click
import yaml
from rich.text import Text

from function.api import CivoCluster
from function.cli import life, manifest, mermaid, relations, tables, tree
from function.violations import InvalidError

_PAUSE_SECONDS = 1.5

_EXAMPLES = """\b
Examples:
  civocluster preview xr.yaml --watch
  civocluster preview xr.yaml --output yaml --pass 5
  kubectl get managed -n ml -o yaml > observed.yaml
  civocluster preview xr.yaml --observed observed.yaml
"""


@click.command("preview", epilog=_EXAMPLES)
@click.argument("file", metavar="XR.yaml")
@click.option(
    "-o",
    "--output",
    type=click.Choice(["tree", "yaml", "json", "mermaid"]),
    default="tree",
    show_default=True,
    help="tree shows every pass; the others one: as YAML or JSON of the XR and its composed "
    "resources, in the form of `crossplane composition render`, or as a diagram.",
)
@click.option("--pass", "number", type=click.IntRange(1), help="Show this pass alone.")
@click.option(
    "--observed",
    type=click.Path(path_type=Path),
    help="Show the one pass on what exists already, as it stands in a YAML file or in a folder of "
    "them, and simulate nothing.",
)
@click.option("--watch", is_flag=True, help="Pause after every pass, on a terminal.")
def command(
    file: str, output: str, number: int | None, observed: Path | None, *, watch: bool
) -> None:
    """Show what a CivoCluster composes, pass after pass, until it is ready.

    The function itself runs here, against a simulation of Civo: no cluster, account or network is
    needed, and nothing is created. XR.yaml is a manifest, - is standard input.
    """
    try:
        xr = manifest.load_xr(file)
        waits_for = relations.waits_for(CivoCluster.parse(xr))
        if observed:
            passes = [life.run(xr, manifest.load_observed(observed, xr))]
        else:
            passes = list(life.live(xr))
    except InvalidError as error:
        # On the lines of their own, each with path, value and remedy.
        raise click.ClickException(f"{file} is invalid:\n{error}") from error
    except life.FatalError as error:
        raise click.ClickException(f"{file}: {error}") from error
    if number and number > len(passes):
        message = f"there is no pass {number}: nothing changes after pass {len(passes)}"
        raise click.BadParameter(message, param_hint="--pass")

    one = passes[number - 1 if number else -1]
    match output:
        case "tree":
            _play([one] if number else passes, waits_for, pause=watch)
        case "yaml":
            click.echo(
                yaml.dump_all(one.documents, explicit_start=True, width=tables.UNWRAPPED), nl=False
            )
        case "json":
            items = {"apiVersion": "v1", "kind": "List", "items": one.documents}
            click.echo(json.dumps(items, indent=2, sort_keys=True))
        case "mermaid":
            click.echo(mermaid.diagram(one, waits_for))


def _play(passes: list[life.Pass], waits_for: relations.WaitsFor, *, pause: bool) -> None:
    """Print a tree of every pass, and the status that the last one leaves."""
    console = tables.open_console()
    ready_before: frozenset[str] = frozenset()
    for one in passes:
        headline = f"Pass {one.number}: {len(one.ready)} of {len(one.composed)} resources ready"
        console.print(Text(headline, "bold"))
        console.print(tree.build(one, waits_for, ready_before))
        for warning in one.warnings:
            console.print(Text(f"Warning: {warning}", "yellow"))
        console.print()
        if pause and console.is_terminal:
            time.sleep(_PAUSE_SECONDS)
        ready_before = one.ready
    console.print(Text(f"Status after pass {one.number}", "bold"))
    console.print(Text(yaml.dump(one.composite["status"], width=tables.UNWRAPPED)), end="")
