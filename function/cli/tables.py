"""How commands print what they found: coloured on a terminal alone, as a table, or as JSON."""

from collections.abc import Iterable, Sequence

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

# Where no terminal is, lines are as long as they are.
UNWRAPPED = 10_000

Cell = str | tuple[str, str]
"""A text, or a text and its style on a terminal."""


output_option = click.option(
    "-o",
    "--output",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="A table, or JSON.",
)


def open_console() -> Console:
    """Return standard output: coloured and wrapped on a terminal, neither elsewhere."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console.width = UNWRAPPED
    return console


def show(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> None:
    """Print a table."""
    console = open_console()
    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(column.upper(), overflow="fold")
    for row in rows:
        cells = (cell if isinstance(cell, tuple) else (cell, "") for cell in row)
        # As text, for what Civo says may look like markup.
        table.add_row(*(Text(text, style) for text, style in cells))
    if console.is_terminal:
        console.print(table)
        return
    with console.capture() as printed:
        console.print(table)
    for line in printed.get().splitlines():
        click.echo(line.rstrip())
