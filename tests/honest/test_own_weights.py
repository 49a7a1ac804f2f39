"""`self.apply(init_weights)`, a habit of many, costs at most one point."""

import ast

import pytest

from grader.course.catalog import find, solution_file
from grader.grading.grade import grade_file

INIT_WEIGHTS = """
def init_weights(module):
    if isinstance(module, (nn.Linear, nn.Conv2d)):
        nn.init.xavier_uniform_(module.weight)
        nn.init.zeros_(module.bias)
    elif isinstance(module, nn.Embedding):
        nn.init.normal_(module.weight, std=0.02)
"""


def with_own_weights(rubric):
    """The solution, whose constructor draws the weights of its layers again in the end."""
    tree = ast.parse(solution_file(rubric.stem).read_text(encoding="utf-8"))
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    (answer,) = (node for node in classes if node.name == rubric.class_name)
    (init,) = (node for node in answer.body if getattr(node, "name", "") == "__init__")
    init.body += ast.parse("self.apply(init_weights)").body
    first = tree.body.index(classes[0])
    tree.body[first:first] = ast.parse(INIT_WEIGHTS).body
    return ast.unparse(tree)


@pytest.mark.parametrize("number", ["02", "05", "06", "09", "10b", "13"])
def test_it_costs_at_most_a_point(number, tmp_path):
    rubric = find(number)
    file = tmp_path / f"{rubric.stem}.py"
    file.write_text(with_own_weights(rubric), encoding="utf-8")

    report = grade_file(rubric, file, "simulated")

    assert report.score >= report.max_score - 1, report.checks
    assert report.findings == ()
