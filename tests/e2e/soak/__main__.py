"""CivoClusters live random lives on a live control plane whose programs are killed.

PYTHONPATH=tests python -m e2e.soak
"""

import json
import signal
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from time import monotonic

import click
from rich import box
from rich.console import Console
from rich.status import Status
from rich.table import Table

from benchmarks import machine
from benchmarks.figures import percentile
from e2e.harness import network, packages, programs
from e2e.harness.control_plane import CROSSPLANE
from e2e.harness.live import Live

from . import verdict
from .world import World


@click.command()
@click.option("--clusters", default=200, show_default=True, help="How many CivoClusters.")
@click.option("--minutes", default=30.0, show_default=True, help="How long something happens.")
@click.option("--seed", default=0, show_default=True, help="Another one makes other lives.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def cli(*, clusters: int, minutes: float, seed: int, as_json: bool) -> None:
    """Let CivoClusters live random lives, kill what runs them, and see what becomes of it.

    For example: python -m e2e.soak --clusters 20 --minutes 3
    """
    # Whoever ends it politely must not leave a control plane behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    # Crossplane's authority is of the country "Earth"; X.509 wants two letters.
    warnings.filterwarnings("ignore", "Attribute's length must be", UserWarning)
    console = Console(stderr=True)
    programs.build_missing(console.print)
    network.seclude()
    with (
        console.status("starting Crossplane") as status,
        tempfile.TemporaryDirectory(prefix="soak-") as folder,
        Live.running(Path(folder), packages.provider_crds()) as live,
    ):
        world = World(live, clusters, seed)
        found = verdict.after(world, minutes * 60, teller(console, status))
        figures = measured(world)
    if as_json:
        document = {"machine": machine.described(), "figures": figures, "findings": found}
        click.echo(json.dumps(document, indent=2))
    else:
        Console().print(table(figures))
    for finding in found:
        click.echo(f"- {finding}", err=True)
    if found:
        raise click.ClickException(f"{len(found)} things are not as they must be")


def teller(console: Console, status: Status) -> Callable[[str], None]:
    """Return what shows a line of progress: the newest on a terminal, else one a minute."""
    if console.is_terminal:
        return status.update
    due = 0.0

    def tell(line: str) -> None:
        nonlocal due
        if monotonic() >= due:
            console.print(line)
            due = monotonic() + 60

    return tell


def measured(world: World) -> dict[str, float]:
    """Return what happened, in figures."""
    live = world.live
    waits = {
        what: [wait for life in world.lives for wait in life.waits[what]]
        for what in ("ready", "gone")
    }
    writes = Counter(
        write.resource for write in live.control_plane.all_writes() if write.user == CROSSPLANE
    )
    return {
        **{f"users: {name}": times for name, times in world.asked.actions.items()},
        **{f"troubles: {name}": times for name, times in world.troubles.items()},
        # The network is in desired state every time.
        "desired states applied": writes["networks"],
        "requests to Civo": len(live.civo.calls),
        "requests that Civo refused": len(live.civo.calls) - len(live.civo.done),
        "operations of Helm": len(live.provider_helm.operations),
        **{
            f"seconds until {what}, {name}": percentile(waits[what], share)
            for what in waits
            for name, share in (("median", 0.5), ("most", 1.0))
            if waits[what]
        },
    }


def table(figures: dict[str, float]) -> Table:
    """Return the table of the figures."""
    drawn = Table(box=box.SIMPLE)
    drawn.add_column("What")
    drawn.add_column("How much", justify="right")
    for name, value in figures.items():
        drawn.add_row(name, f"{value:,.0f}")
    return drawn


if __name__ == "__main__":
    cli(prog_name="python -m e2e.soak")
