"""What several commands ask for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
DEVICES, FORMATS = ["auto", "cuda", "simulated"], ["text", "json", "junit", "github"]
ON, HOW = "What to judge on.  [default: auto]", "github marks lines in a pull request"
# An audit's device may be set in pyproject.toml.
audit_device = click.option("--device", type=click.Choice(DEVICES), help=ON)
device = click.option("--device", type=click.Choice(DEVICES), default="auto", help=ON)
report_format = click.option(
    "--format", "form", type=click.Choice(FORMATS), default="text",
    help=f"How to print the report; {HOW}.",
)  # fmt: skip
audit_format = click.option(
    "--format", "form", type=click.Choice([*FORMATS, "sarif"]), default="text",
    help=f"How to print the report; {HOW}, sarif is for code scanning.",
)  # fmt: skip

roster = click.option(
    "--roster", type=FILE, metavar="FILE.csv",
    help="Who is enrolled, with columns such as name,id,section,group,email.",
)  # fmt: skip


def meant(command: Callable[..., None]) -> Callable[..., None]:
    """The options by which a project says which findings are meant."""
    code: dict[str, Any] = {"multiple": True, "metavar": "CODE"}
    file = {"type": click.Path(dir_okay=False, path_type=Path), "metavar": "FILE"}
    for name, text, kind in (
        ("select", "Tell findings of this code only.", code),
        ("ignore", "Leave out findings of this code.", code),
        ("baseline", "Leave out the findings in this file.", file),
        ("write-baseline", "Write the findings of today to this file, for --baseline.", file),
    ):
        command = click.option(f"--{name}", help=text, **kind)(command)
    return command
