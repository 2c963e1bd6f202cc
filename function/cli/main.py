"""The `civocluster` command."""

from importlib import import_module

import click
from crossplane.function import logging

from function import __version__

# By name: the module and the attribute. Imported when called, for not every command needs what
# speaks to Civo.
_COMMANDS = {
    "preview": ("function.cli.preview", "command"),
    "preflight": ("function.cli.preflight", "command"),
    "sizes": ("function.cli.catalog", "sizes"),
    "versions": ("function.cli.catalog", "versions"),
    "regions": ("function.cli.catalog", "regions"),
}


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        module, attribute = _COMMANDS[cmd_name]
        command: click.Command = getattr(import_module(module), attribute)
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="civocluster")
def cli() -> None:
    """See what a CivoCluster will be before it costs anything."""
    # What the function logs of its runs is for its server.
    logging.configure(logging.Level.DISABLED)


if __name__ == "__main__":
    cli()
