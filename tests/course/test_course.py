"""The course as it is stored, without running it; `make notebooks` runs it."""

import ast
import json
import re
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

from notebook_text import CHECKS, PREDICT, QUESTION, Notebook, notebooks, shown, source
from rules import for_each

from grader.course import catalog
from grader.course.items import Item, all_questions, notebook_of
from grader.learning.notebook.prediction import starter_map
from grader.schema.rubric import Rubric

COURSE = notebooks()
PATHS = [notebook.path for notebook in COURSE]
FACTS = {f"F{number:02}" for number in range(1, 54)}
OTHER_TAGS = {"nbval-ignore-output", "hide-output", "remove-cell"}
METADATA = {"tags", "jupyter", "collapsed", "mystnb"}
PNG = "image/png"
MACHINE_PATH = re.compile(r"/tmp\b|/home\b|/root\b|/Users\b|site-packages|ipykernel_|[A-Z]:\\\\")

# The facts that each notebook is there to show.
SHOWN = {
    "01_where_tensors_live": "07 08 21 22 23 24 34 35 38",
    "01b_from_gpu_to_numpy": "26 36 37 52",
    "02_to_returns_or_moves": "27 28 29 31 32 33",
    "03_member_tensors": "01 02 41 42",
    "04_parameter_or_buffer": "03 04 05 06 09 10 11 43",
    "05_module_containers": "12 13 14 40 44 45 46 47 48 49",
    "06_noise_in_forward": "15 16 17 18 30",
    "07_moving_inputs": "19 20",
    "08_leaf_tensors": "25 50 51",
    "09c_replicas": "39 53",
}

MOST_WORDS, MOST_PREDICTIONS = 13_000, 60  # in all notebooks together
MOST_MINUTES = 30
BY_FIVES = ["five", "ten", "fifteen", "twenty", "twenty-five", "thirty"]
# Not an attribute, nor a keyword of a call, nor a word in quotes.
NAME = re.compile(r"(?<![\w.\"'-])[A-Za-z_]\w*\b(?!=[^=])")


# Where an exercise goes on in the next cell, which adds a method to the class.
GOES_ON = re.compile(r'\n\n\ncheck\("\w+", \w+\.\w+\)\n\nclass (\w+)\(\1\):\n')

every_notebook = for_each(COURSE, lambda notebook: notebook.path.stem)


def code(cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [cell for cell in cells if cell["cell_type"] == "code"]


def asked_in(notebook: Notebook) -> list[Rubric]:
    """The exercises of a notebook."""
    return [r for r in catalog.all_rubrics() if notebook_of(r.number) == notebook.path.stem]


def prose(cells: list[dict[str, Any]]) -> str:
    return "\n\n".join(source(cell) for cell in cells if cell["cell_type"] == "markdown")


def tags(cells: list[dict[str, Any]]) -> set[str]:
    return {tag for cell in cells for tag in cell["metadata"].get("tags", [])}


def is_folded(cell: dict[str, Any]) -> bool:
    """Whether JupyterLab and the site show its outputs only when they are asked for."""
    metadata = cell["metadata"]
    marks = (
        metadata.get("jupyter", {}).get("outputs_hidden", False),
        metadata.get("collapsed", False),
        "hide-output" in metadata.get("tags", []),
    )
    assert len(set(marks)) == 1, "folded in one place and not in another"
    # JupyterLab shows the first line of the first output in place of folded ones.
    assert marks[0] == (len(shown(cell)) < len(cell["outputs"]) and not cell["outputs"][0]["data"])
    return bool(marks[0])


def shows_something(cell: dict[str, Any]) -> bool:
    """Whether the cell prints, draws, or ends in a value."""
    tree = ast.parse(source(cell))
    called = {
        getattr(node.func, "id", getattr(node.func, "attr", ""))
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
    }
    return source(cell).startswith("figures.") or bool(
        called
        & {
            "print",
            "show",
            "hint",
            "audit",
            "check",
            "predict",
            "device_map",
            "expected_error",
            "exam",
        }
    )


def test_they_are_in_order() -> None:
    numbers = [path.stem.split("_")[0] for path in PATHS]
    main = [number for number in numbers if number.isdigit()]
    assert main == [f"{number:02}" for number in range(len(main))]
    assert len(main) >= 13
    assert all(number[:2] in main for number in numbers)


@every_notebook
def test_it_takes_half_an_hour_or_less_and_says_about_how_long(notebook: Notebook) -> None:
    first = re.search(rf"({'|'.join(BY_FIVES)}) minutes", notebook.prose)
    assert first
    assert notebook.minutes <= MOST_MINUTES
    assert abs(notebook.minutes - 5 * BY_FIVES.index(first[1]) - 5) <= 4, notebook.minutes


@every_notebook
def test_what_is_optional_is_called_so(notebook: Notebook) -> None:
    asked = asked_in(notebook)
    is_optional = "*Optional. " in source(notebook.cells[0])
    named = sum(source(cell).startswith("## Optional: ") for cell in notebook.cells)
    assert is_optional == (bool(asked) and all(rubric.optional for rubric in asked))
    assert named == max(len(asked) - 1, 0) == sum(r.optional for r in asked) - is_optional


def test_all_notebooks_together_are_short() -> None:
    # `python benchmarks/course.py` prints the words of each.
    assert sum(notebook.words for notebook in COURSE) <= MOST_WORDS
    assert len(all_questions()) <= MOST_PREDICTIONS


@every_notebook
def test_it_starts_with_its_only_title(notebook: Notebook) -> None:
    first, *rest = re.sub(r"```.*?```", "", prose(notebook.cells), flags=re.DOTALL).splitlines()
    assert notebook.cells[0]["cell_type"] == "markdown"
    assert first.startswith("# ")
    assert not [line for line in rest if line.startswith("# ")]


@every_notebook
def test_headings_make_a_table_of_contents(notebook: Notebook) -> None:
    marks = re.findall(r"^(#+) ", prose(notebook.cells), flags=re.MULTILINE)
    levels = list(map(len, marks))
    assert levels.count(2) >= 3
    assert all(deeper <= level + 1 for level, deeper in pairwise(levels))


@every_notebook
def test_every_cell_was_run_in_order(notebook: Notebook) -> None:
    # Strict nbval passes a notebook without outputs unchecked, and fails one without the counts.
    counts = [cell["execution_count"] for cell in code(notebook.cells)]
    assert counts == list(range(1, len(counts) + 1))


@every_notebook
def test_what_a_cell_shows_is_stored(notebook: Notebook) -> None:
    for cell in code(notebook.cells):
        assert bool(cell["outputs"]) == shows_something(cell), source(cell)


@every_notebook
def test_outputs_read_the_same_on_every_machine(notebook: Notebook) -> None:
    for cell in code(notebook.cells):
        for output in cell["outputs"]:
            assert output["output_type"] != "error", source(cell)
            assert output.get("name") != "stderr", "a warning or a progress bar"
            stated = {
                key: value for key, value in output.get("data", {}).items() if "image" not in key
            }
            assert not MACHINE_PATH.search(json.dumps([stated, output.get("text", "")])), source(
                cell
            )


@every_notebook
def test_metadata_is_not_volatile(notebook: Notebook) -> None:
    stored = json.loads(notebook.path.read_text(encoding="utf-8"))
    assert stored["metadata"]["kernelspec"]["name"] == "python3"
    assert stored["metadata"]["language_info"] == {"name": "python"}
    assert all(set(cell["metadata"]) <= METADATA for cell in notebook.cells)
    ids = [cell["id"] for cell in notebook.cells]
    assert len(set(ids)) == len(ids)


def test_the_facts_are_shared_out_among_the_notebooks() -> None:
    shown = [f"F{number}" for numbers in SHOWN.values() for number in numbers.split()]
    assert sorted(shown) == sorted(FACTS)


@every_notebook
def test_it_shows_its_facts(notebook: Notebook) -> None:
    named = {re.sub("^(asks|grades):", "", tag) for tag in tags(notebook.cells)}
    assert named <= FACTS | OTHER_TAGS
    facts = SHOWN.get(notebook.path.stem, "").split()
    assert tags(notebook.cells) >= {f"F{number}" for number in facts}


@every_notebook
def test_only_the_device_s_name_and_one_s_own_record_are_left_unchecked(notebook: Notebook) -> None:
    number = notebook.path.stem.split("_")[0]
    of = "" if notebook.path in (PATHS[0], PATHS[-1]) else f'"{number}"'
    record = f"progress({of})\npuzzle()"
    unchecked = [cell for cell in notebook.cells if "nbval-ignore-output" in tags([cell])]
    assert all("ensure_cuda()" in source(cell) or source(cell) == record for cell in unchecked)
    assert [cell["outputs"] for cell in unchecked if source(cell) == record] == [[]]


@every_notebook
def test_every_exercise_is_the_starter_and_is_checked(notebook: Notebook) -> None:
    # The pristine one, since a learner who has solved exercises/ should still see the tests pass.
    expected = []
    for rubric in asked_in(notebook):
        starter = catalog.starter(rubric.stem)
        task = ast.get_docstring(ast.parse(starter), clean=False)
        written = starter.replace(f'"""{task}"""', "").strip()
        expected.append(f'{written}\n\n\ncheck("{rubric.number}", {rubric.class_name})')
    checked = [source(cell) for cell in code(notebook.cells) if CHECKS.search(source(cell))]
    assert GOES_ON.sub("\n\n", "\n\n".join(checked)) == "\n\n".join(expected)


@every_notebook
def test_a_report_is_shown_once_and_speaks_of_calls(notebook: Notebook) -> None:
    for cell in code(notebook.cells):
        if CHECKS.search(source(cell)):
            (output,) = shown(cell)
            assert set(output["data"]) == {"text/html", "text/plain"}
            assert "grader hint" not in json.dumps(output["data"])


@every_notebook
def test_what_answers_a_question_is_stored_folded(notebook: Notebook) -> None:
    is_asked = False
    for cell in notebook.cells:
        if cell["cell_type"] == "markdown":
            is_asked = is_asked and not re.search(r"^#+ ", source(cell), flags=re.MULTILINE)
        elif PREDICT.match(source(cell)):
            is_asked = True
            assert not is_folded(cell)
        elif cell["outputs"]:
            assert is_folded(cell) == (is_asked or bool(CHECKS.search(source(cell)))), source(cell)


@every_notebook
def test_an_error_is_expected_in_one_line_and_not_announced(notebook: Notebook) -> None:
    assert not re.search(r"meant to (fail|raise)|(will|is going to) (fail|raise)", notebook.prose)
    for cell in code(notebook.cells):
        if not CHECKS.search(source(cell)):
            nodes = ast.walk(ast.parse(source(cell)))
            assert not any(isinstance(node, ast.Try) for node in nodes), source(cell)


def test_that_an_error_is_expected_does_not_say_whether_one_is_raised() -> None:
    cells = [cell for notebook in COURSE for cell in code(notebook.cells) if is_folded(cell)]
    expected = [cell for cell in cells if "with expected_error():" in source(cell)]
    raising = [cell for cell in expected if 'class=\\"wmt bad' in json.dumps(shown(cell))]
    assert 0.3 <= len(raising) / len(expected) <= 0.7


@every_notebook
def test_a_figure_is_one_line_and_says_what_it_shows(notebook: Notebook) -> None:
    for cell in code(notebook.cells):
        pictures = [output for output in cell["outputs"] if PNG in output.get("data", {})]
        assert len(pictures) == source(cell).startswith("figures."), source(cell)
        for picture in pictures:
            alt = picture["metadata"][PNG]["alt"]
            assert len(alt.split()) >= 10
            assert cell["metadata"]["mystnb"] == {"image": {"alt": alt}}
            assert len(source(cell).splitlines()) == 1


@every_notebook
def test_links_lead_somewhere(notebook: Notebook) -> None:
    links = re.findall(r"\]\(([^)]+)\)", prose(notebook.cells))
    for link in links:
        url = urlsplit(link)
        if url.scheme:
            assert url.scheme == "https", link
            assert re.fullmatch(r"[\w.-]+\.[a-z]+", url.netloc), link
            assert not re.search(r"\s", link), link
        else:
            assert (notebook.path.parent / url.path).is_file(), link
    assert (
        any(urlsplit(link).netloc == "docs.pytorch.org" for link in links)
        or notebook.path == PATHS[0]
    )


@every_notebook
def test_the_first_links_to_all_and_each_to_the_next(notebook: Notebook) -> None:
    following = PATHS[PATHS.index(notebook.path) + 1 :]
    expected = following if notebook.path == PATHS[0] else following[:1]
    assert all(f"({exercise.name})" in prose(notebook.cells) for exercise in expected)


@every_notebook
def test_every_question_is_asked_in_its_place(notebook: Notebook) -> None:
    asked = [match[1] for cell in code(notebook.cells) if (match := QUESTION.match(source(cell)))]
    assert asked == [question.key for question in notebook.questions]
    assert len(asked) >= 2


@every_notebook
def test_nothing_stands_between_a_question_and_its_cell(notebook: Notebook) -> None:
    for cell, following in pairwise(notebook.cells):
        if match := QUESTION.match(source(cell)):
            if following["cell_type"] == "code":
                assert is_folded(following), match[1]
            else:
                assert source(following).startswith("Run "), f"no cell answers {match[1]}"
                assert f"answer to prediction {match[1]}<" in source(following)


@every_notebook
def test_an_exercise_whose_tensors_part_is_predicted_on_its_map(notebook: Notebook) -> None:
    asked = []
    for cell, following in pairwise(notebook.cells):
        if (match := PREDICT.match(source(cell))) and not QUESTION.match(source(cell)):
            assert f'check("{match[1]}", ' in source(following)
            asked.append(match[1])
    if notebook.path != PATHS[0]:  # which begins with the map of another module
        assert set(asked) >= {rubric.number for rubric in asked_in(notebook) if parts(rubric)}


def parts(rubric: Rubric) -> bool:
    """Whether a move takes some of the starter's tensors and leaves some: else all is obvious."""
    shown = starter_map(rubric)
    shown.move("cuda:0")
    return len({leaf.device for leaf in shown.picture.leaves}) > 1


@every_notebook
def test_a_question_needs_no_code_that_stands_below_it(notebook: Notebook) -> None:
    defined = notebook.defined
    everywhere = set().union(*defined)
    asking = [QUESTION.match(source(cell)) for cell in notebook.cells]
    for question in notebook.questions:
        asked = next(i for i, match in enumerate(asking) if match and match[1] == question.key)
        unknown = (names_in(question) & everywhere) - set().union(*defined[:asked])
        assert not {name for name in unknown if not introduces(question, name)}, question.key


def names_in(question: Item) -> set[str]:
    """The names in the code that a question and its choices quote."""
    texts = [question.text, *(choice.text for choice in question.choices)]
    quoted = [piece for text in texts for piece in re.findall(r"`([^`]+)`", text)]
    return {name for piece in quoted for name in NAME.findall(piece)}


def introduces(question: Item, name: str) -> bool:
    """Whether the question itself says what a name stands for."""
    return bool(re.search(rf"`{name}`( and `\w+`)? (is|are)\b|\b{name} = ", question.text))


@every_notebook
def test_an_answer_is_told_in_one_place(notebook: Notebook) -> None:
    prose = " ".join(notebook.prose.split())
    for question in notebook.questions:
        for choice in question.choices:
            sentences = re.split(r"(?<=[.!?]) ", choice.why)
            long = [sentence for sentence in sentences if len(sentence.split()) >= 5]
            assert not [sentence for sentence in long if sentence in prose], question.key


def test_right_answers_are_spread_evenly() -> None:
    for notebook in COURSE:
        right = [question.right for question in notebook.questions]
        most = -(-len(right) // 4)  # a quarter, rounded up
        assert all(right.count(letter) <= most for letter in right), notebook.path.stem
    right = [question.right for question in all_questions()]
    assert all(0.2 <= right.count(letter) / len(right) <= 0.3 for letter in "ABCD")


@every_notebook
def test_every_answer_follows_its_question_closed(notebook: Notebook) -> None:
    text = "\n\n".join(source(cell) for cell in notebook.cells)
    assert text.count("<details>") == text.count("</details>") == len(notebook.questions)
    assert "<details open" not in text
    for question in notebook.questions:
        before, answer = text.split(f"The answer to prediction {question.key}</summary>\n\n")
        assert f'predict("{question.key}")' in before
        answer = answer.partition("</details>")[0]
        assert answer.startswith(f"**{question.right}.** "), question.key
        assert all(choice.why in answer for choice in question.choices), question.key
