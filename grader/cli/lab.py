"""The command that opens the course in JupyterLab."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

import click

from grader.cli.doctor import examine, line
from grader.course import require_course, write_course
from grader.learning import first_open_notebook

SAVING = "--ServerApp.jpserver_extensions=grader.learning.notebook.saving=True"  # no buttons
# Defaults, such as no question about news, and an end for kernels that were idle for an hour.
CONFIG = Path(__file__).with_name("jupyter")


@click.command(options_metavar="[OPTIONS]", epilog="Example: grader lab -- --port 9")
@click.argument("words", metavar="[DIR] [-- JUPYTERLAB'S OPTIONS]", nargs=-1)
@click.option("--no-open", is_flag=True, help="Only lay the course out.")
def lab(words: tuple[str, ...], no_open: bool) -> None:
    """Open the course in JupyterLab, at the first notebook that is not done.

    With DIR, lay the course out in that folder first, unless it is there; what you wrote stays.
    """
    folder = words[:1] if words and not words[0].startswith("-") else ()
    root = _course_folder(Path(*folder)) if folder else require_course()
    if not folder and _has_changed(root / "notebooks"):
        click.echo(
            "Your notebooks differ from the course's. Before a `git pull`: `git stash`; after it: "
            "`git stash pop`. Or work in a copy: `grader lab my-course`."
        )
    if not no_open:
        _open(root, words[len(folder) :])


def _has_changed(folder: Path) -> bool:
    """Whether git says so; False where there is no git, or none that knows the folder."""
    with suppress(OSError):
        command = ["git", "status", "--porcelain", "--untracked-files=no", "."]
        return bool(subprocess.run(command, cwd=folder, capture_output=True).stdout)
    return False


def _course_folder(folder: Path) -> Path:
    laid = write_course(folder)
    if laid.written:
        click.echo(f"The course is in {folder}: notebooks/ to read, exercises/ to fix.")
    if laid.kept:
        click.echo(f"Left as you have them: {', '.join(path.as_posix() for path in laid.kept)}.")
    return folder


def _open(root: Path, more: Sequence[str]) -> NoReturn:
    if find_spec("jupyterlab") is None:
        click.echo(
            f"grader: JupyterLab is not installed here. Install it, in this environment:\n"
            f"    {line(examine(), 'no notebooks').remedy}\n"
            "Or open notebooks/ in another editor that runs them, such as VS Code.",
            err=True,
        )
        sys.exit(2)
    # Not as an argument: the address that is printed, to be opened elsewhere, leads there too.
    opened = f"--LabApp.default_url=/lab/tree/notebooks/{first_open_notebook()}"
    options = [f"--notebook-dir={root}", opened, SAVING, *_for_this_machine(more), *more]
    command = [sys.executable, "-m", "jupyterlab", *options]
    paths = filter(None, [str(CONFIG), os.environ.get("JUPYTER_CONFIG_PATH")])
    os.environ["JUPYTER_CONFIG_PATH"] = os.pathsep.join(paths)
    if os.name == "posix":  # one process, so that Ctrl-C means what JupyterLab says it does
        sys.stdout.flush()
        os.execv(sys.executable, command)
    sys.exit(subprocess.call(command))


def _for_this_machine(more: Sequence[str]) -> Iterator[str]:
    """Options for root, whom JupyterLab refuses, and for a machine without a screen.

    Root who names an address has to allow it too: others may reach that.
    """
    is_open = any(re.match(r"--(\w+\.)?ip\b", option) for option in more)
    if os.name == "posix" and os.geteuid() == 0 and not is_open:
        click.echo("JupyterLab runs as root here. It can be reached from this machine alone.")
        yield from ("--allow-root", "--ip=localhost")
    # Else `webbrowser` may find a text browser, which takes the terminal with the address in it.
    if sys.platform == "linux" and not {"DISPLAY", "WAYLAND_DISPLAY", "BROWSER"} & set(os.environ):
        yield "--no-browser"
