"""The browser, and a JupyterLab on a copy of the course, for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from lab import Lab, Notebook, opened, running_lab
from playwright.sync_api import Browser


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.slow)


@pytest.fixture(scope="session")
def lab(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with running_lab(tmp_path_factory.mktemp("lab")) as lab:
        yield lab


@pytest.fixture(scope="session")
def page_of_all(browser: Browser, lab: Lab) -> Iterator[Notebook]:
    with opened(browser, lab) as notebook:
        yield notebook


@pytest.fixture
def notebook(page_of_all: Notebook) -> Iterator[Notebook]:
    """A page of JupyterLab; the test fails if it complained, or a widget did not come."""
    page_of_all.errors.clear()
    yield page_of_all
    assert page_of_all.errors == []
    assert page_of_all.page.get_by_text("Error displaying widget").count() == 0
