"""Answers that are alike are found, however they are dressed up; honest ones are left alone."""

import ast

import pytest

from grader.course.catalog import solution_file, starter, stems
from grader.course.rubrics import load_rubric
from grader.grading.flags.similarity import clusters

STEM = "09_stale_devices"
MINE = starter(STEM).replace(
    "    def forward",
    '''    def distances(self, x):
        """How far apart the words are."""
        steps = torch.arange(x.shape[1], device=x.device)
        table = steps.unsqueeze(0) - steps.unsqueeze(1)
        if table.numel() > 4096:
            table = table.to(torch.int32).contiguous()
        return table.gt(0).logical_and(table.abs() < 2048)

    def forward''',
)
RENAMED = (
    MINE.replace("steps", "s")
    .replace("table", "t")
    .replace("distances", "distances")
    .replace('"""How far apart the words are."""', "# note")
    .replace("def distances(self, x):", "def distances(self, x: torch.Tensor) -> torch.Tensor:")
)
REORDERED = "import math\nimport torch\n\n" + MINE.replace("import torch\n", "", 1)
LONGER = MINE.replace(
    "        return table.gt", "        self.seen = len(x)\n        return table.gt"
)
OTHER = starter(STEM).replace(
    "    def forward",
    """    def distances(self, x):
        rows = [[later > earlier for later in range(x.shape[1])] for earlier in range(x.shape[1])]
        found = torch.tensor(rows, dtype=torch.bool)
        return found.to(x.device, non_blocking=True).expand(len(x), -1, -1)

    def forward""",
)


def found(**answers):
    return clusters(answers.items(), load_rubric(STEM))


@pytest.mark.parametrize("copy", [MINE, RENAMED, REORDERED, LONGER])
def test_a_copy_is_found_in_other_words(copy):
    assert found(ada=MINE, bo=copy, cy=OTHER) == [["ada", "bo"]]


def test_a_cluster_holds_everyone_who_is_connected():
    assert found(ada=MINE, bo=RENAMED, cy=OTHER, dee=LONGER) == [["ada", "bo", "dee"]]


def test_the_starter_and_the_solution_are_alike_for_everyone():
    texts = [starter(STEM), solution_file(STEM).read_text(encoding="utf-8")]

    assert found(a=texts[0], b=texts[0], c=texts[1], d=texts[1]) == []


def test_what_a_third_of_a_class_wrote_is_common():
    common = {f"honest{i}": MINE for i in range(4)}
    others = {f"other{i}": OTHER.replace("found", f"self.a{i}") for i in range(6)}

    assert len(found(**common, **dict(list(others.items())[:2]))[0]) == 4
    assert found(**common, **others) == []


def test_nothing_is_said_of_what_does_not_parse():
    assert found(a="class (", b="class (", c="", d="\0") == []


# A right answer, and the same with one word changed to make a declared mistake.
ONE_WORD_APART = (
    {"StateInABuffer", "OnesInABuffer"},
    {"SavedByItsOwnMethods", "SavedWithoutThePrefix"},
)


@pytest.mark.parametrize("stem", stems())
def test_the_answers_that_the_course_knows_are_not_taken_for_copies(stem, request):
    path = request.config.rootpath / "tests" / "variants" / f"{stem}.py"
    classes = {
        node.name: node
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    }

    def with_bases(node):
        names = [base.id for base in node.bases if isinstance(base, ast.Name)]
        bases = [classes[name] for name in names if name in classes]
        return "\n".join(ast.unparse(node) for node in [*bases, node])

    found = clusters(
        ((name, with_bases(node)) for name, node in classes.items()), load_rubric(stem)
    )
    assert [group for group in found if set(group) not in ONE_WORD_APART] == []
