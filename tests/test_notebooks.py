"""The notebooks as they are stored, without running them; `make notebooks` runs them."""

import ast
import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from grader import catalog

ROOT = Path(__file__).resolve().parent.parent
PATHS = sorted((ROOT / "notebooks").glob("*.ipynb"))
FACTS = {f"F{number:02}" for number in range(1, 50)}
OTHER_TAGS = {"nbval-ignore-output"}
PNG = "image/png"
MACHINE_PATH = re.compile(r"/tmp\b|/home\b|/root\b|/Users\b|site-packages|ipykernel_|[A-Z]:\\\\")

# The facts a notebook is there to show; design and numbers are the course's own.
SHOWN = {"03_member_tensors": {"F01", "F02", "F41", "F42"}}


@pytest.fixture(params=PATHS, ids=lambda path: path.stem)
def path(request: pytest.FixtureRequest) -> Path:
    return request.param


@pytest.fixture
def cells(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.read_text(encoding="utf-8"))["cells"]


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def code(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [cell for cell in cells if cell["cell_type"] == "code"]


def prose(cells: list[dict[str, Any]]) -> str:
    return "\n\n".join(source(cell) for cell in cells if cell["cell_type"] == "markdown")


def tags(cells: list[dict[str, Any]]) -> set[str]:
    return {tag for cell in cells for tag in cell["metadata"].get("tags", [])}


def without_comments(text: str) -> str:
    return ast.unparse(ast.parse(text))


def shows_something(cell: dict[str, Any]) -> bool:
    """Whether the cell prints, draws, or ends in a value."""
    tree = ast.parse(source(cell))
    called = {
        getattr(node.func, "id", getattr(node.func, "attr", ""))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
    }
    return bool(called & {"print", "show", "hint", "solution", "check"})


def classes(text: str) -> dict[str, str]:
    nodes = [node for node in ast.parse(text).body if isinstance(node, ast.ClassDef)]
    return {node.name: ast.dump(node) for node in nodes}


def test_there_are_notebooks() -> None:
    assert PATHS


def test_it_starts_with_its_only_title(cells: list[dict[str, Any]]) -> None:
    first, *rest = re.sub(r"```.*?```", "", prose(cells), flags=re.DOTALL).splitlines()
    assert cells[0]["cell_type"] == "markdown"
    assert first.startswith("# ")
    assert not [line for line in rest if line.startswith("# ")]


def test_headings_make_a_table_of_contents(cells: list[dict[str, Any]]) -> None:
    levels = [len(marks) for marks in re.findall(r"^(#+) ", prose(cells), flags=re.MULTILINE)]
    assert levels.count(2) >= 3
    assert all(deeper <= level + 1 for level, deeper in pairwise(levels))


def test_every_cell_was_run_in_order(cells: list[dict[str, Any]]) -> None:
    # Strict nbval passes a notebook without outputs unchecked, and fails one without the counts.
    counts = [cell["execution_count"] for cell in code(cells)]
    assert counts == list(range(1, len(counts) + 1))


def test_what_a_cell_shows_is_stored(cells: list[dict[str, Any]]) -> None:
    for cell in code(cells):
        assert bool(cell["outputs"]) == shows_something(cell), source(cell)


def test_outputs_read_the_same_on_every_machine(cells: list[dict[str, Any]]) -> None:
    for cell in code(cells):
        for output in cell["outputs"]:
            assert output["output_type"] != "error", source(cell)
            assert output.get("name") != "stderr", "a warning or a progress bar"
            told = {
                key: value for key, value in output.get("data", {}).items() if "image" not in key
            }
            assert not MACHINE_PATH.search(json.dumps([told, output.get("text", "")])), source(cell)


def test_metadata_is_not_volatile(path: Path, cells: list[dict[str, Any]]) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert notebook["metadata"]["language_info"] == {"name": "python"}
    assert all(set(cell["metadata"]) <= {"tags", "jupyter"} for cell in cells)
    ids = [cell["id"] for cell in cells]
    assert len(set(ids)) == len(ids)


def test_tags_are_facts_or_nbval_s(path: Path, cells: list[dict[str, Any]]) -> None:
    assert tags(cells) <= FACTS | OTHER_TAGS
    assert tags(cells) >= SHOWN.get(path.stem, set())


def test_only_the_device_s_name_is_left_unchecked(cells: list[dict[str, Any]]) -> None:
    unchecked = [cell for cell in cells if "nbval-ignore-output" in tags([cell])]
    assert all("ensure_cuda()" in source(cell) for cell in unchecked)


def test_the_exercise_is_the_starter(path: Path, cells: list[dict[str, Any]]) -> None:
    checked = [cell for cell in code(cells) if "check(" in without_comments(source(cell))]
    # The pristine one, since a learner who has solved exercises/ should still see the tests pass.
    starters = [stem for stem in catalog.stems() if stem == path.stem]
    expected = [classes(catalog.starter(stem)) for stem in starters]
    assert [classes(source(cell)) for cell in checked] == expected


def test_a_report_is_shown_once_and_speaks_of_calls(cells: list[dict[str, Any]]) -> None:
    for cell in code(cells):
        if "check(" in without_comments(source(cell)):
            (output,) = cell["outputs"]
            assert set(output["data"]) == {"text/html", "text/plain"}
            assert "grader hint" not in json.dumps(output["data"])


def test_a_failure_is_said_to_be_meant(cells: list[dict[str, Any]]) -> None:
    for before, cell in pairwise(cells):
        fails = "except RuntimeError" in source(cell) or "✗" in json.dumps(
            cell.get("outputs", []), ensure_ascii=False
        )
        if cell["cell_type"] == "code" and fails:
            assert "meant to fail" in source(before), source(cell)


def test_a_cell_that_is_meant_to_raise_says_so_if_it_does_not(cells: list[dict[str, Any]]) -> None:
    for cell in code(cells):
        for node in ast.walk(ast.parse(source(cell))):
            if isinstance(node, ast.Try):
                assert node.orelse, source(cell)


def test_it_links_only_to_notebooks_that_are_there(path: Path, cells: list[dict[str, Any]]) -> None:
    links = re.findall(r"\]\(([^)]+)\)", prose(cells))
    local = [link for link in links if "://" not in link]
    assert all((path.parent / link.partition("#")[0]).is_file() for link in local), local
    assert all(link.startswith("https://") for link in links if link not in local)


def test_answers_stay_closed(cells: list[dict[str, Any]]) -> None:
    text = prose(cells)
    assert text.count("**Predict:**") == text.count("<details>") == text.count("</details>")
    assert "<details open" not in text
