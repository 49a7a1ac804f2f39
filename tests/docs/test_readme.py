"""What the README shows and points to is there, and is as it is now."""

import re
import runpy
import subprocess
from itertools import chain
from pathlib import Path

import pytest

from grader.cli import commands as cli

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["report", "puzzle"])
def test_a_terminals_picture_shows_it_as_it_is(name):
    tool = runpy.run_path(str(ROOT / "tools" / "report_picture.py"))

    stored = (tool["IMAGES"] / f"{name}.svg").read_text(encoding="utf-8")

    assert tool[f"{name}_picture"]() == stored, "if it is meant: python tools/report_picture.py"


def test_what_it_links_to_exists():
    links = re.findall(r"\]\((?!https?:)([^)#]+)", README)

    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def commands(program, page=README):
    """The subcommands of a program that a page tells a reader to type."""
    return set(re.findall(rf"(?:^    |`){program} ([a-z-]+)", page, re.MULTILINE))


def test_every_make_target_it_names_exists():
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)

    assert {"lab", "grade", "test", "check"} <= commands("make") <= set(targets)


def test_make_help_groups_every_target_by_reader():
    lines = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True).stdout
    groups = [re.findall(r"^  make ([a-z-]+)", group, re.M) for group in lines.split("\nFor ")]
    phony = re.search(r"^\.PHONY: (.*)", (ROOT / "Makefile").read_text(), re.MULTILINE)[1]

    assert [len(group) > 1 for group in groups] == [False, True, True, True, True]
    assert {"grade", "lab"} <= set(groups[1])
    assert sorted(chain(*groups)) == sorted(phony.split())


def test_every_grader_command_it_names_exists_and_one_page_has_them_all():
    assert {"check", "hint", "audit"} <= commands("grader") <= cli.COMMANDS.keys()
    assert commands("grader", COMMANDS) == cli.COMMANDS.keys()


def test_it_counts_no_findings_so_adding_one_changes_no_line_of_it():
    assert (
        re.findall(r"(?<!over )\b\d+ (?:faults|findings|exercises|notebooks|questions)\b", README)
        == []
    )


def test_it_fits_two_screens():
    assert len(README.splitlines()) <= 90
