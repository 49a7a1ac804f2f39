"""`grader explain`: a page for every code that a finding may have, and no other."""

import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from grader.judge.codes import Code
from grader.judge.findings import RULES
from grader.render.explain import finding_page, summaries

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "findings"


def test_every_code_has_a_page_and_every_page_a_code():
    pages = {path.stem for path in PAGES.glob("*.md")} - {"index"}

    assert pages == set(Code)


def test_every_rule_stands_in_the_module_of_its_code():
    modules = {rule.code: type(rule).__module__.rpartition(".")[2] for rule in RULES.values()}

    assert list(modules) == list(Code)
    assert modules == {code: code.replace("-", "_") for code in Code}


def test_every_rule_says_what_it_finds_and_whether_that_is_loud():
    for code, rule in RULES.items():
        assert rule.summary.endswith((".", ").")), code
        assert rule.shows.startswith(("loud", "silent")), code


def test_the_index_says_what_the_rules_say():
    tool = runpy.run_path(str(ROOT / "tools" / "refresh_findings.py"))

    stored = tool["INDEX"].read_text(encoding="utf-8")

    assert tool["refreshed"]() == stored, "python tools/refresh_findings.py"


@pytest.mark.parametrize("code", summaries())
def test_a_page_is_about_its_code(code):
    headings = re.findall("^##? (.+)", finding_page(code), re.MULTILINE)

    assert headings[0].startswith(f"`{code}`: ")
    assert headings[1:4] == ["The bug", "What happens", "Why"]
    assert "Seen in the wild" in headings


def test_without_a_code_it_lists_them_all(grader):
    ended = grader("explain")

    assert ended.status == 0
    assert [line.split()[0] for line in ended.out.splitlines()] == list(summaries())
    assert "A plain tensor attribute stays behind when the module moves." in ended.out


def test_it_prints_the_page(grader):
    ended = grader("explain", "member-tensor")

    assert ended.status == 0
    assert "member-tensor: a plain tensor attribute stays behind" in ended.out
    assert 'self.register_buffer("mean"' in ended.out
    assert "https://github.com/kornia/kornia/pull/4330" in ended.out


@pytest.mark.parametrize(
    ("code", "nearest"),
    [("membertensor", "member-tensor"), ("optimizer", "stale-optimizer"), ("xyzzy", "lists all")],
)
def test_an_unknown_code_names_the_nearest(grader, code, nearest):
    ended = grader("explain", code)

    assert ended.status == 2
    assert f"There is no finding {code}." in ended.err
    assert nearest in ended.err


def test_it_needs_no_torch():
    blocked = "import sys; sys.modules['torch'] = None; from grader.cli import main; main()"
    command = [sys.executable, "-c", blocked, "explain", "replica"]

    assert "DataParallel" in subprocess.run(command, capture_output=True, text=True).stdout
