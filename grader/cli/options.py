"""What several commands ask for."""

from __future__ import annotations

import click

device = click.option(
    "--device",
    type=click.Choice(["auto", "cuda", "simulated"]),
    default="auto",
    help="What to judge on.  [default: auto]",
)
report_format = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "junit"]),
    default="text",
    help="How to print the report.",
)
