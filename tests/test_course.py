"""The course as it is stored, without running it; `make notebooks` runs it."""

import ast
import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from grader import catalog
from grader.questions import load_questions

ROOT = Path(__file__).resolve().parent.parent
PATHS = sorted((ROOT / "notebooks").glob("*.ipynb"))
FACTS = {f"F{number:02}" for number in range(1, 50)}
OTHER_TAGS = {"nbval-ignore-output", "hide-output", "remove-cell", "remove-input"}
METADATA = {"tags", "jupyter", "collapsed", "cellView", "mystnb"}
PNG = "image/png"
MACHINE_PATH = re.compile(r"/tmp\b|/home\b|/root\b|/Users\b|site-packages|ipykernel_|[A-Z]:\\\\")
CHECK = re.compile(r'^check\("(\w+)", \w+\)$', re.MULTILINE)

PREDICT = re.compile(r'^predict\("(\d\d\.\d)"\)$')

# The facts that each notebook is there to show.
SHOWN = {
    "01_where_tensors_live": "07 08 21 22 23 24 26 34 35 36 37 38",
    "02_to_returns_or_moves": "27 28 29 31 32 33",
    "03_member_tensors": "01 02 41 42",
    "04_parameter_or_buffer": "03 04 05 06 09 10 11 43",
    "05_module_containers": "12 13 14 40 44 45 46 47 48 49",
    "06_noise_in_forward": "15 16 17 18 30",
    "07_moving_inputs": "19 20",
    "08_leaf_tensors": "25",
    "09_stale_devices": "39",
}

# An honest twenty minutes: reading with thought, each line of code and of what it shows.
WORDS_A_MINUTE, SECONDS_A_LINE, SECONDS_A_SHOWN_LINE, MOST_MINUTES = 200, 3, 2, 20


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


def code_cells_that_check(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [cell for cell in code(cells) if CHECK.search(source(cell))]


def is_folded(cell: dict[str, Any]) -> bool:
    """Whether JupyterLab, Colab and the site show its outputs only when they are asked for."""
    metadata = cell["metadata"]
    marks = (
        metadata.get("jupyter", {}).get("outputs_hidden", False),
        metadata.get("collapsed", False),
        "hide-output" in metadata.get("tags", []),
    )
    assert len(set(marks)) == 1, "folded in one place and not in another"
    return bool(marks[0])


def shows_something(cell: dict[str, Any]) -> bool:
    """Whether the cell prints, draws, or ends in a value."""
    tree = ast.parse(source(cell))
    called = {
        getattr(node.func, "id", getattr(node.func, "attr", ""))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
    }
    return bool(
        called
        & {
            "print",
            "show",
            "show_figure",
            "hint",
            "check",
            "predict",
            "device_map",
            "expected_error",
        }
    )


def lines_to_read(cells: list[dict[str, Any]]) -> int:
    """The lines of code, but for Colab's cell; one that draws is said to be one to skip."""
    texts = [source(cell) for cell in code(cells) if cell["id"] != "in-colab"]
    read = [text for text in texts if "plt." not in text]
    return sum(bool(line.strip()) for text in read for line in text.splitlines())


def lines_shown(cells: list[dict[str, Any]]) -> int:
    """The lines of what is shown, but for the starters' reports: working at those is extra."""
    read = [cell for cell in code(cells) if not CHECK.search(source(cell))]
    outputs = [output for cell in read for output in cell["outputs"]]
    texts = [output.get("text") or output["data"]["text/plain"] for output in outputs]
    return sum(len("".join(text).splitlines()) for text in texts)


def test_they_are_in_order() -> None:
    assert [path.stem[:2] for path in PATHS] == [f"{number:02}" for number in range(15)]


def test_it_takes_twenty_minutes_or_less(cells: list[dict[str, Any]]) -> None:
    words = len(re.sub(r"\]\([^)]*\)", "]", prose(cells)).split())
    seconds = SECONDS_A_LINE * lines_to_read(cells) + SECONDS_A_SHOWN_LINE * lines_shown(cells)
    assert words / WORDS_A_MINUTE + seconds / 60 <= MOST_MINUTES


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
    assert all(set(cell["metadata"]) <= METADATA for cell in cells)
    ids = [cell["id"] for cell in cells]
    assert len(set(ids)) == len(ids)


def test_the_facts_are_shared_out_among_the_notebooks() -> None:
    shown = [f"F{number}" for numbers in SHOWN.values() for number in numbers.split()]
    assert sorted(shown) == sorted(FACTS)


def test_it_shows_its_facts(path: Path, cells: list[dict[str, Any]]) -> None:
    named = {re.sub("^(asks|grades):", "", tag) for tag in tags(cells)}
    assert named <= FACTS | OTHER_TAGS
    assert tags(cells) >= {f"F{number}" for number in SHOWN.get(path.stem, "").split()}


def test_only_the_device_s_name_and_one_s_own_record_are_left_unchecked(
    cells: list[dict[str, Any]],
) -> None:
    unchecked = [cell for cell in cells if "nbval-ignore-output" in tags([cell])]
    assert all(
        "ensure_cuda()" in source(cell) or source(cell) == "progress()" for cell in unchecked
    )
    assert [cell["outputs"] for cell in unchecked if source(cell) == "progress()"] == [[]]


def test_every_exercise_is_the_starter_and_is_checked(
    path: Path, cells: list[dict[str, Any]]
) -> None:
    # The pristine one, since a learner who has solved exercises/ should still see the tests pass.
    asked = [rubric for rubric in catalog.rubrics() if rubric.number[:2] == path.stem[:2]]
    expected = []
    for rubric in asked:
        starter = catalog.starter(rubric.stem)
        task = ast.get_docstring(ast.parse(starter), clean=False)
        code = starter.replace(f'"""{task}"""', "").strip()
        expected.append(f'{code}\n\n\ncheck("{rubric.number}", {rubric.class_name})')
    assert [source(cell) for cell in code_cells_that_check(cells)] == expected


def test_a_report_is_shown_once_and_speaks_of_calls(cells: list[dict[str, Any]]) -> None:
    for cell in code(cells):
        if CHECK.search(source(cell)):
            (output,) = cell["outputs"]
            assert set(output["data"]) == {"text/html", "text/plain"}
            assert "grader hint" not in json.dumps(output["data"])


def test_what_answers_a_question_is_stored_folded(cells: list[dict[str, Any]]) -> None:
    is_asked = False
    for cell in cells:
        if cell["cell_type"] == "markdown":
            is_asked = is_asked and not re.search(r"^#+ ", source(cell), flags=re.MULTILINE)
        elif PREDICT.match(source(cell)):
            is_asked = True
            assert not is_folded(cell)
        elif cell["outputs"]:
            assert is_folded(cell) == (is_asked or bool(CHECK.search(source(cell)))), source(cell)


def test_a_cell_that_is_meant_to_raise_says_so_if_it_does_not(cells: list[dict[str, Any]]) -> None:
    for cell in code(cells):
        for node in ast.walk(ast.parse(source(cell))):
            if isinstance(node, ast.Try):
                assert node.orelse, source(cell)


def test_links_lead_somewhere(path: Path, cells: list[dict[str, Any]]) -> None:
    links = re.findall(r"\]\(([^)]+)\)", prose(cells))
    for link in links:
        url = urlsplit(link)
        if url.scheme:
            assert url.scheme == "https", link
            assert re.fullmatch(r"[\w.-]+\.[a-z]+", url.netloc), link
            assert not re.search(r"\s", link), link
        else:
            assert (path.parent / url.path).is_file(), link
    assert any(urlsplit(link).netloc == "docs.pytorch.org" for link in links) or path == PATHS[0]


def test_the_first_links_to_all_and_each_to_the_next(
    path: Path, cells: list[dict[str, Any]]
) -> None:
    following = PATHS[PATHS.index(path) + 1 :]
    expected = following if path == PATHS[0] else following[:1]
    assert all(f"({each.name})" in prose(cells) for each in expected)


def test_every_question_is_asked_in_its_place(path: Path, cells: list[dict[str, Any]]) -> None:
    asked = [match[1] for cell in code(cells) if (match := PREDICT.match(source(cell)))]
    assert asked == [question.number for question in load_questions(path.stem)]
    assert len(asked) >= 3


def test_that_it_raises_is_among_the_answers(path: Path) -> None:
    choices = [each for question in load_questions(path.stem) for each in question.choices]
    assert any(re.search(r"\braises?\b|\ban error\b", each.text, re.I) for each in choices)


def test_every_choice_is_explained(path: Path) -> None:
    for question in load_questions(path.stem):
        assert question.right in question.letters
        assert all(len(each.why.split()) >= 3 for each in question.choices), question.number


def test_every_answer_follows_its_question_closed(path: Path, cells: list[dict[str, Any]]) -> None:
    text = "\n\n".join(source(cell) for cell in cells)
    assert text.count("<details>") == text.count("</details>") == len(load_questions(path.stem))
    assert "<details open" not in text
    for question in load_questions(path.stem):
        before, answer = text.split(f"The answer to prediction {question.number}</summary>\n\n")
        assert f'predict("{question.number}")' in before
        answer = answer.partition("</details>")[0]
        assert answer.startswith(f"**{question.right}.** "), question.number
        assert all(each.why in answer for each in question.choices), question.number
