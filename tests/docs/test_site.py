"""The site is built from pages and notebooks as they are, works offline, and examples run."""

import doctest
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*ROOT.glob("docs/**/*.md"), ROOT / "CONTRIBUTING.md"]
WITH_EXAMPLES = [path for path in sorted(ROOT.glob("grader/**/*.py")) if ">>> " in path.read_text()]
# What a browser fetches without being asked to: not `<a href>`.
FETCHED = re.compile(r"""<(?:script|img|iframe)[^>]*\ssrc="([^"]+)"|<link[^>]*\shref="([^"]+)\"""")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built so that a link or a heading that leads nowhere is an error."""
    folder = tmp_path_factory.mktemp("site")
    build = ["-q", "-W", "--keep-going", "-b", "html", "-d", folder / "trees", "-c", "docs"]
    command = [sys.executable, "-m", "sphinx", *build, ".", folder / "html"]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    return folder / "html"


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


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_links_to_exists(page):
    links = re.findall(r"\]\((?!https?:|mailto:|#)([^)#\s]+)", page.read_text())

    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda path: str(path.relative_to(ROOT)))
def test_examples_in_docstrings_give_what_they_say(path):
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")

    result = doctest.testmod(import_module(name))

    assert result.attempted
    assert result.failed == 0
