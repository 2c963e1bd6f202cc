"""Measure everything side by side, and print one table."""

import dataclasses
import json
from pathlib import Path

import click
from crossplane.function import logging
from rich import box
from rich.console import Console
from rich.table import Table

from benchmarks import in_process, machine, over_grpc, processes
from benchmarks.figures import Figure, amount, figure


@click.command()
@click.option("--quick", is_flag=True, help="A tenth of the calls: for a look, not to quote.")
@click.option("--only-in-process", is_flag=True, help="Leave out servers and processes.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, to be kept as a baseline.")
@click.option(
    "--baseline",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Compare with an earlier run's JSON.",
)
def cli(*, quick: bool, only_in_process: bool, as_json: bool, baseline: Path | None) -> None:
    """Measure the function: in process, behind its server, started and over many calls."""
    logging.configure(logging.Level.DISABLED)
    share = 10 if quick else 1
    cases = in_process.measure(rounds=20, calls=500 // share)
    if not only_in_process:
        cases += over_grpc.measure(rounds=10, calls=1_000 // share)
        cases += processes.measure(rounds=20 // share, calls=100_000 // share)
    figures = [figure(case) for case in cases]
    measured_on = machine.described()
    if as_json:
        document = {"machine": measured_on, "figures": [dataclasses.asdict(one) for one in figures]}
        click.echo(json.dumps(document, indent=2))
        return
    before = json.loads(baseline.read_text())["figures"] if baseline else []
    console = Console()
    # Whole lines where nobody watches: in a file, or for a program.
    console = console if console.is_terminal else Console(width=140)
    console.print(table(figures, {one["name"]: one["median"] for one in before}))
    console.print(", ".join(f"{name} {value}" for name, value in measured_on.items()))


def table(figures: list[Figure], before: dict[str, float]) -> Table:
    """Return the table of the figures, with ratios to medians of before where there are any."""
    drawn = Table(box=box.SIMPLE)
    drawn.add_column("Measured")
    for column in ("median", "p99", "rounds", "ratio", "aim"):
        drawn.add_column(column, justify="right", no_wrap=True)
    if before:
        drawn.add_column("to baseline", justify="right", no_wrap=True)
    for one in figures:
        aim = f"≤ {one.limit:g} {'reached' if one.within else 'missed'}" if one.limit else ""
        row = [
            one.name,
            amount(one.median, one.unit),
            amount(one.p99, one.unit),
            f"{amount(one.low, one.unit)} - {amount(one.high, one.unit)}",
            f"{one.ratio:.2f}" if one.ratio else "",
            aim,
        ]
        if before:
            was = before.get(one.name)
            row.append(f"{one.median / was:.2f}" if was else "")
        drawn.add_row(*row)
    return drawn


if __name__ == "__main__":
    cli(prog_name="python -m benchmarks")
