"""The site is built from pages and notebooks as they are, works offline, and examples run."""

import doctest
import re
from importlib import import_module
from pathlib import Path

import pytest
from rules import for_each

from grader.course import all_questions, all_rubrics

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("docs/**/*.md"), ROOT / "CONTRIBUTING.md"]
WITH_EXAMPLES = [path for path in sorted(ROOT.glob("grader/**/*.py")) if ">>> " in path.read_text()]
# What a browser fetches without being asked to: not `<a href>`.
FETCHED = re.compile(r"""<(?:script|img|iframe)[^>]*\ssrc="([^"]+)"|<link[^>]*\shref="([^"]+)\"""")
LOADED = re.compile(
    r"""<script[^>]*\ssrc="([^"]+)"|<link[^>]*rel="stylesheet"[^>]*href="([^"]+)\""""
)


@pytest.mark.slow
def test_the_site_holds_the_course_the_findings_and_a_search(site):
    pages = {str(path.relative_to(site).with_suffix("")) for path in site.rglob("*.html")}
    notebooks = {f"notebooks/{path.stem}" for path in ROOT.glob("notebooks/*.ipynb")}
    findings = {f"docs/findings/{path.stem}" for path in ROOT.glob("docs/findings/*.md")}

    assert len(notebooks) > 12
    assert pages >= notebooks | findings | {"index", "search", "docs/index", "docs/api"}
    assert "register_buff" in (site / "searchindex.js").read_text()


@pytest.mark.slow
def test_the_site_fetches_nothing_from_elsewhere(site):
    fetched = [
        (page.name, address)
        for page in site.rglob("*.html")
        for address in map("".join, FETCHED.findall(page.read_text()))
        if re.match(r"(https?:)?//", address)
    ]

    assert fetched == []


@pytest.mark.slow
def test_every_question_exercise_and_map_of_the_course_is_asked_on_the_site(site):
    pages = "".join(path.read_text() for path in sorted(site.glob("notebooks/*.html")))
    sources = [path.read_text() for path in sorted(ROOT.glob("notebooks/*.ipynb"))]
    asked = re.findall(r'data-view="(\w+)"', pages)

    assert asked.count("question") == len(all_questions())
    assert asked.count("lines") == len(all_rubrics())
    assert asked.count("exam") == 1
    drawn = sum(len(re.findall(r'"(?:predict\(\\"\w+\\"\)|device_map\(.*\))"', s)) for s in sources)
    assert asked.count("map") == drawn


@pytest.mark.slow
def test_what_a_page_loads_is_small(site):
    assert {
        page.stem: size for page in site.glob("*/*.html") if (size := weight(page)) > 300_000
    } == {}


def weight(page: Path) -> int:
    """How many bytes a page and what it fetches have, without pictures."""
    text = page.read_text()
    files = [page.parent / "".join(match).split("?")[0] for match in LOADED.findall(text)]
    return len(text.encode()) + sum(path.resolve().stat().st_size for path in files)


@for_each(PAGES, lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_links_to_exists(page):
    links = re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", page.read_text())

    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda path: str(path.relative_to(ROOT)))
def test_examples_in_docstrings_give_what_they_say(path):
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")

    result = doctest.testmod(import_module(name))

    assert result.attempted
    assert result.failed == 0
