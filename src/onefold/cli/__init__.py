"""The command line: one file for each command, imported only when it is called."""

from __future__ import annotations

import importlib
import io
import sys

try:
    import click
except ModuleNotFoundError:  # the core alone is installed
    sys.exit("The onefold command needs its extra: pip install 'onefold[cli]'")

from onefold import OnefoldError, __version__

COMMANDS = ("run", "explain", "check", "conformance", "replay", "bench", "data")


class _Commands(click.Group):
    """Finds a command by its module's name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"onefold.cli.{cmd_name}")
        command: click.Command = module.command
        return command


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="onefold")
def cli() -> None:
    """Event-time pipelines on one operator: run them, look at them, put them to the test."""


def main() -> None:
    """Run the command line; a mistake of the user's is a message and exit code 1."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # text that is no Unicode is shown, not a crash
            stream.reconfigure(errors="backslashreplace")
    try:
        cli()
    except OnefoldError as problem:
        click.echo(f"error: {problem}", err=True)
        sys.exit(1)
    except BrokenPipeError:  # the reader of our output has gone
        if sys.stderr:
            sys.stderr.close()
        sys.exit(1)
