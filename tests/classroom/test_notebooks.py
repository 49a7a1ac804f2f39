"""From a notebook to a script: the class and what it needs, with the lines of its cell."""

import ast
import json

import pytest
from handing_in import notebook

from grader.classroom.intake.documents import UnreadableError
from grader.classroom.intake.notebooks import (
    code_cells,
    place_of_class,
    script,
    with_cell_lines,
)
from grader.course import notebook_of
from grader.course.catalog import all_rubrics, find, notebooks, solution_file, starter
from grader.schema import Evidence, Operand, Raised, Run

RUBRIC = find("03")
IMPORTS = "import torch\nfrom torch import nn\n"
CLASS = """\
class Normalizer(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        self.register_buffer("mean", as_row(mean))
        self.register_buffer("std", as_row(std))

    def forward(self, x):
        return (x - self.mean) / self.std
"""
HELPER = "def as_row(values):\n    return torch.tensor(values, dtype=DTYPE).view(1, -1)\n"


def of(*cells):
    return script(code_cells(notebook(*cells)), RUBRIC)


def run(text):
    names = {}
    exec(compile(text, "script", "exec"), names)
    return names


def test_what_the_class_needs_is_kept_and_nothing_else():
    text = of(
        IMPORTS + "import pandas",
        "#! Some text",
        "DTYPE = torch.float32\nmodel = torch.load('weights.pt')\n",
        "for epoch in range(10_000): train(model)",
        HELPER,
        f"{CLASS}\n\nassert False, 'only tries it out'",
        "raise RuntimeError('after the class')",
    )

    normalizer = run(text)["Normalizer"]([0.5], [2.0])

    assert normalizer.mean.tolist() == [[0.5]]
    assert not any(word in text for word in ("pandas", "weights", "epoch", "assert", "after"))


def test_what_a_method_calls_its_own_is_none_of_the_notebook_s_names():
    text = of(
        IMPORTS,
        "x = torch.load('batch.pt')\nmean, values = x.mean(), []\n",
        "DTYPE = torch.float32\nself = values",
        HELPER,
        CLASS,
    )

    assert run(text)["Normalizer"]([0.5], [2.0]).mean.tolist() == [[0.5]]
    assert "batch.pt" not in text


@pytest.mark.parametrize("rubric", all_rubrics(), ids=lambda rubric: rubric.number)
def test_the_courses_own_notebook_gives_the_starter_and_with_an_answer_runs_no_other_cell(rubric):
    (path,) = (path for path in notebooks() if path.stem == notebook_of(rubric.number))
    content = path.read_bytes()
    assert script(code_cells(content), rubric) == starter(rubric.stem)

    answer = solution_file(rubric.stem).read_text(encoding="utf-8")
    cells = json.loads(content)["cells"]
    check = f'check("{rubric.number}", {rubric.class_name})'
    (cell,) = (cell for cell in cells if check in "".join(cell["source"]))
    cell["source"] = f"{answer}\n{check}"
    kept = ast.parse(script(code_cells(json.dumps({"cells": cells}).encode()), rubric)).body
    of_answer = {ast.dump(node) for node in ast.parse(answer).body}
    imports = (ast.Import, ast.ImportFrom)
    others = [node for node in kept if ast.dump(node) not in of_answer]
    others = [node for node in others if not isinstance(node, imports)]
    assert all(getattr(node, "name", "") == rubric.class_name for node in others)  # in other cells


def test_the_class_keeps_the_lines_of_its_cell(tmp_path):
    cell = f"print('tries')\n\n{CLASS}"
    path = tmp_path / "script.py"
    path.write_text(of(IMPORTS, "DTYPE = torch.float32", HELPER, cell))
    position = place_of_class(path)
    lines = path.read_text().rstrip().splitlines()[position.lines_before :]

    assert position.number == 4
    assert lines[:2] == ["", ""]
    assert lines[2:] == cell.splitlines()[2:]


def test_the_last_definition_counts():
    first = CLASS.replace("self.mean) / self.std", "self.std")

    text = of(IMPORTS, HELPER, "DTYPE = None", first, CLASS)

    assert "/ self.std" in text
    assert run(text)["Normalizer"]([1.0], [2.0])(0.0).tolist() == [[-0.5]]


def test_changes_to_the_class_after_its_definition_belong_to_it():
    patched = f"{CLASS}\nNormalizer.forward = lambda self, x: as_row([7.0])"

    text = of(IMPORTS, "DTYPE = torch.float32", HELPER, patched)

    assert run(text)["Normalizer"]([1.0], [2.0])(0.0).tolist() == [[7.0]]


@pytest.mark.parametrize(
    "magic",
    [
        "%matplotlib inline",
        "!pip install x",
        "torch.tensor?",
        "files = !ls",
        "if True:\n    %time x",
    ],
)
def test_magics_are_dropped(magic):
    text = of(f"{IMPORTS}{magic}\nDTYPE = torch.float32", HELPER, f"%%time\n{CLASS}\n{magic}")

    assert run(text)["Normalizer"]([1.0], [2.0])(0.0).tolist() == [[-0.5]]


def test_cells_in_other_languages_are_dropped():
    text = of(IMPORTS, "%%bash\nclass Normalizer", "DTYPE = None", HELPER, CLASS)

    assert "bash" not in text
    run(text)


def test_a_cell_that_python_cannot_read_is_passed_over_unless_it_is_the_class():
    other = of(IMPORTS, "def broken(", "DTYPE = None", HELPER, CLASS)
    broken = of(IMPORTS, CLASS.replace("super()", "super("))

    run(other)
    with pytest.raises(SyntaxError) as raised:
        compile(broken, "script", "exec")
    assert raised.value.lineno == 3  # as in the cell


def test_an_untouched_class_is_the_starter_itself():
    whole = starter(RUBRIC.stem)
    cell = whole[whole.index("class Normalizer") :]

    assert of(IMPORTS, f"print('before')\n{cell}") == whole
    assert of(IMPORTS, cell.replace("torch.tensor(mean)", "torch.tensor(std)")) != whole


def test_without_the_class_the_whole_notebook_is_left_to_the_grader():
    assert of(IMPORTS, "class Normaliser(nn.Module):\n    pass").endswith("pass")


@pytest.mark.parametrize("content", [b"", b"[]", b"{}", b'{"cells": [1]}', b"\xff", b"[" * 9_999])
def test_what_is_no_notebook_is_refused_in_words(content):
    with pytest.raises(UnreadableError, match="is not a notebook"):
        code_cells(content)


def test_lines_of_evidence_are_counted_in_the_cell():
    operand = Operand("cpu", line=12, moved_line=3)
    raised = Raised("RuntimeError", "Expected", line=14, operands=(operand,))
    evidence = Evidence("cuda:0", "2", 7, runs=(Run("cuda:0", raised),))

    (run,) = with_cell_lines(evidence, 10).runs

    assert (run.raised.line, run.raised.operands[0].line) == (4, 2)
    assert run.raised.operands[0].moved_line == 0
