"""What several commands ask for."""

from __future__ import annotations

import click

device = click.option(
    "--device",
    type=click.Choice(["auto", "cuda", "simulated"]),
    default="auto",
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
