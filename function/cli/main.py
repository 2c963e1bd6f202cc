"""The `civocluster` command."""

import click
from crossplane.function import logging

from function import __version__
from function.cli import preview


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="civocluster")
def cli() -> None:
    """See what a CivoCluster will be before it costs anything."""
    # What the function logs of its runs is for its server.
    logging.configure(logging.Level.DISABLED)


cli.add_command(preview.command)


if __name__ == "__main__":
    cli()
