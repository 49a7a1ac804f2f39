"""What several commands ask for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

device = click.option(
    "--device",
    type=click.Choice(["auto", "cuda", "simulated"]),
    default="auto",
    help="What to judge on.  [default: auto]",
)
audit_device = click.option(
    "--device",
    type=click.Choice(["auto", "cuda", "simulated"]),
    help="What to judge on.  [default: auto]",
)
FORMATS = ("text", "json", "junit", "github")
report_format = click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="text",
    help="How to print the report; github marks lines in a pull request.",
)
audit_format = click.option(
    "--format",
    "form",
    type=click.Choice([*FORMATS, "sarif"]),
    default="text",
    help="How to print the report; github marks lines in a pull request, sarif is for code "
    "scanning.",
)


def meant(command: Callable[..., None]) -> Callable[..., None]:
    """The options by which a project says which findings are meant."""
    file = click.Path(dir_okay=False, path_type=Path)
    for option in (
        click.option(
            "--select", multiple=True, metavar="CODE", help="Tell findings of this code only."
        ),
        click.option(
            "--ignore", multiple=True, metavar="CODE", help="Leave out findings of this code."
        ),
        click.option(
            "--baseline", type=file, metavar="FILE", help="Leave out the findings in this file."
        ),
        click.option(
            "--write-baseline",
            type=file,
            metavar="FILE",
            help="Write the findings of today to this file, for --baseline.",
        ),
    ):
        command = option(command)
    return command
