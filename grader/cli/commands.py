"""The commands, each imported when it is called, and how whatever goes wrong is said."""

from __future__ import annotations

import gc
import logging
import sys
from difflib import get_close_matches
from importlib import import_module

import click

from grader.cli.extras import how_to_get
from grader.cli.terminal import in_words, print_other_signs
from grader.errors import GraderError

CANNOT_GRADE = 2
MANY_OBJECTS = 100_000  # PyTorch makes more than that when it is imported, and none is garbage


def _modules(places: str) -> dict[str, str]:
    """The module of each command: the one before its colon, else the one of its own name."""
    return {place.rpartition(":")[2]: place.partition(":")[0] for place in places.split()}


# A module's import waits until its command is called, so that each starts with what it needs.
GROUPS = {
    "To learn": _modules(
        "lab learning:way watch learning:list grade check learning:hint learning:solution "
        "learning:reset learning:progress learning:review puzzles exam learning:explain doctor"
    ),
    "To teach": _modules(
        "classroom:batch classroom:regrade classroom:merge classroom:mark assignment export release"
    ),
    "To maintain a library": _modules("audit"),
}
COMMANDS = {name: module for group in GROUPS.values() for name, module in group.items()}
BEGIN = (
    "Begin with `grader lab`, or with `grader list` and your editor. To grade a class, begin with "
    "`grader batch --help`; to look at a module of your own, with `grader audit net.py:Net`."
)
WHOLE = 1_000  # characters of a summary: more than any has


class _CommandsOnDemand(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"grader.cli.{COMMANDS[cmd_name]}")
        commands = (each for each in vars(module).values() if isinstance(each, click.Command))
        return next(each for each in commands if each.name == cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for title, group in GROUPS.items():
            commands = filter(None, (self.get_command(ctx, name) for name in group))
            with formatter.section(title):
                rows = [(each.name or "", each.get_short_help_str(WHOLE)) for each in commands]
                formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        # click suggests from `self.commands`, which is empty here: nothing is imported yet.
        typed = args[0]
        close = get_close_matches(typed, COMMANDS, n=1)
        if typed not in COMMANDS and close and not ctx.resilient_parsing:
            ctx.fail(f"No such command '{typed}'. Did you mean '{close[0]}'?")
        return super().resolve_command(ctx, args)


@click.group(
    cls=_CommandsOnDemand,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=BEGIN,
    invoke_without_command=True,
)
@click.version_option(package_name="wheres-my-tensor", prog_name="grader")
@click.pass_context
def grader(ctx: click.Context) -> None:
    """Where's My Tensor? Runs your nn.Module on CUDA and says what stayed behind, and why."""
    if ctx.invoked_subcommand is None:
        from grader.learning import current_progress, due_line

        click.echo(ctx.get_help())
        if due := due_line(current_progress()[0]):
            click.echo(f"\n{due}")


def main() -> None:
    """Run the command; whatever goes wrong is said in a sentence, never a traceback."""
    gc.set_threshold(MANY_OBJECTS)
    print_other_signs()
    log = logging.getLogger("grader")
    log.setLevel(logging.INFO)
    log.addHandler(logging.StreamHandler())  # to standard error: what takes long, before it does
    try:
        grader(prog_name="grader")
    except GraderError as error:
        click.echo(f"grader: {error}", err=True)
        sys.exit(error.status)
    except OSError as error:
        click.echo(f"grader: {in_words(error)}", err=True)
        sys.exit(CANNOT_GRADE)
    except ModuleNotFoundError as error:
        if not (advice := how_to_get(error)):
            raise
        click.echo(f"grader: {advice}", err=True)
        sys.exit(CANNOT_GRADE)
    finally:
        gc.freeze()  # to look for garbage once more, at the very end, takes a fifth as long again
