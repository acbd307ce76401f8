"""The command line: one file for each command, imported only when it is called."""

from __future__ import annotations

import importlib
import io
import logging
import os
import sys

try:
    import click
except ModuleNotFoundError:  # the core alone is installed
    sys.exit("The onefold command needs its extra: pip install 'onefold[cli]'")

from onefold import OnefoldError, __version__

# A line each, so that `onefold --help` imports none of them.
COMMANDS = {
    "demo": "See a live pipeline on local Spark, three ways.",
    "run": "Run a pipeline over files.",
    "explain": "Show a pipeline operator by operator.",
    "trace": "Step through a small stream, window by window.",
    "check": "Do all implementations, and your own code, mean the same?",
    "conformance": "Put every rule of the model to engines.",
    "replay": "Replay transcripts: event-time tests as YAML files.",
    "bench": "Measure the paper's experiments on Spark.",
    "data": "Write a stream to measure on.",
}
NO = 1
"""The exit code if the answer is no, or something is wrong with what was given."""
USAGE = 2
"""The exit code if the command line can't be understood; of a judge, if it has no answer."""
INTERRUPTED = 130
"""The exit code of a program that Ctrl-C ended."""
LOGGED_BY_PY4J = (None, "py4j.clientserver", "py4j.java_gateway")
"""Where py4j, which PySpark speaks with Java through, writes a traceback of Ctrl-C."""
LONGEST_ERROR = 30
"""How many lines of an error are shown."""


class _Commands(click.Group):
    """Finds a command by its module's name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        from onefold.cli.choices import asking_back

        module = importlib.import_module(f"onefold.cli.{cmd_name}")
        return asking_back(module.command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            from onefold.core.near import did_you_mean

            hint = did_you_mean(name, COMMANDS, f"there are {', '.join(COMMANDS)}")
            ctx.fail(f"there is no command {name!r}: {hint}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            raise SystemExit(INTERRUPTED) from None


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="onefold")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Event-time pipelines on one operator: run them, look at them, put them to the test.

    \b
    onefold run examples/wordcount.py:pipeline --input edits=examples/data/edits.jsonl
    onefold explain examples/wordcount.py:pipeline --implementation aggregate
    onefold check examples/wordcount.py:pipeline
    onefold COMMAND --help

    \b
    Exit codes: 0 all is well; 1 the answer is no, or an error in what was given;
    2 the command line is wrong, or a judge could not ask; 130 stopped by Ctrl-C.
    Colours are for terminals; NO_COLOR=1 turns them off.
    """
    if os.environ.get("NO_COLOR"):
        ctx.color = False


def complain(problem: OnefoldError) -> None:
    """Write an error on standard error, on one screen."""
    lines = str(problem).splitlines() or [type(problem).__name__]
    if len(lines) > LONGEST_ERROR:
        more = len(lines) - LONGEST_ERROR
        lines = [*lines[:LONGEST_ERROR], f"  … and {more} more lines"]
    plain = bool(os.environ.get("NO_COLOR"))
    mark = "error:" if plain else click.style("error:", fg="red", bold=True)
    click.echo("\n".join([f"{mark} {lines[0]}", *lines[1:]]), err=True)


def _tells_more(record: logging.LogRecord) -> bool:
    """Say whether a log record is more than Ctrl-C, or what came of it."""
    problem = record.exc_info[1] if record.exc_info else None
    while problem is not None and not isinstance(problem, KeyboardInterrupt):
        problem = problem.__cause__ or problem.__context__
    return problem is None


def main() -> None:
    """Run the command line; a mistake of the user's is a message and exit code 1."""
    for name in LOGGED_BY_PY4J:
        logging.getLogger(name).addFilter(_tells_more)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # text that is no Unicode is shown, not a crash
            stream.reconfigure(errors="backslashreplace")
    try:
        cli()
    except OnefoldError as problem:
        complain(problem)
        sys.exit(NO)
    except BrokenPipeError:  # the reader of our output has gone
        if sys.stderr:
            sys.stderr.close()
        sys.exit(NO)
    except OSError as problem:
        if problem.filename is None:
            raise
        complain(OnefoldError(f"{problem.filename}: {problem.strerror or problem}"))
        sys.exit(NO)
