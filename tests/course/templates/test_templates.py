"""Whatever the seed, a variant is a task of its own, can be solved, and gives nothing away."""

import ast
import random
import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from grader.classroom.assignments.folder import TEMPLATES, new_assignment, private_rubric
from grader.classroom.assignments.trying import problem_of_variant
from grader.course.catalog import solution_of, starter_of
from grader.course.rubrics import load_rubric
from grader.course.templates.stories import STORIES
from grader.grading.grade import answer_file, grade_class, grade_file
from grader.loading import execute
from grader.schema.rubric import Rubric
from verify.verify import verify_variant

NUMBERS = sorted(TEMPLATES)


# Of each, what its starters have wrong.
FAULTS = {
    "03": (" = torch.tensor(", " = nn.Parameter(", "persistent=False"),
    "04": ("requires_grad=False", "persistent=False", "nn.Parameter(torch.zeros("),
    "05": (" = [nn.Linear(", " = {key: nn.Linear(", " = tuple(nn.Parameter("),
    "06": ("torch.arange(x.shape[1])\n", "torch.rand(x.shape)", "torch.randn(x.shape)"),
    "07": ("isinstance(batch, list)", "isinstance(batch, tuple)", "part.to(self."),
    "08": (".to(device)\n", ".to(device=device)", "non_blocking=True", ".requires_grad_()"),
    "10": (" = 0\n", "persistent=False"),
    "12": (".cuda() if torch.cuda.is_available()", '"cuda" if x.is_cuda', '"cuda:0"'),
}


def drawn(number, seed):
    _, draw = TEMPLATES[number]
    return draw(random.Random(seed))


def without_names(text):
    """The code alone: no docstring, no comment."""
    tree = ast.parse(text)
    return ast.unparse(next(node for node in tree.body if isinstance(node, ast.ClassDef)))


@pytest.mark.parametrize("number", NUMBERS)
@given(seed=st.integers())
def test_the_starter_and_the_solution_are_one_class_with_other_lines(number, seed):
    variant = drawn(number, seed)

    starter, solution = without_names(variant.starter), without_names(variant.solution)
    assert starter.splitlines()[0] == f"class {variant.rubric.class_name}(nn.Module):"
    assert starter != solution
    assert starter.count("\n") == solution.count("\n")
    assert all(len(line) < 100 for line in variant.starter.splitlines())


@pytest.mark.parametrize("number", NUMBERS)
@given(seed=st.integers())
def test_the_rubric_is_data_that_survives_a_file(number, seed):
    variant = drawn(number, seed)

    for rubric in (variant.rubric, variant.learners):
        assert msgspec.json.decode(msgspec.json.encode(rubric), type=Rubric) == rubric


@pytest.mark.parametrize("number", NUMBERS)
@given(seed=st.integers())
def test_the_learners_copy_gives_no_answer_away(number, seed):
    variant = drawn(number, seed)
    rubric, copy = variant.rubric, variant.learners

    assert not {"forward", "training", "checkpoint"} & copy.points.keys()
    assert (copy.hints, copy.reason, copy.also_right) == ((), "", ())
    assert copy.recipe.arguments != rubric.recipe.arguments
    assert copy.recipe.arguments.keys() == rubric.recipe.arguments.keys()


@pytest.mark.parametrize("number", NUMBERS)
def test_marks_are_comparable_with_those_of_the_exercise(number):
    stem, _ = TEMPLATES[number]

    assert drawn(number, 1).rubric.points == load_rubric(stem).points


@pytest.mark.parametrize("number", NUMBERS)
def test_another_seed_is_another_task(number):
    starters = [without_names(drawn(number, seed).starter) for seed in range(300)]
    again = [without_names(drawn(number, seed).starter) for seed in range(300)]

    assert starters == again
    assert len(set(starters)) > 290
    # Names, constants and the order of steps apart, still many kinds of tasks.
    shapes = {re.sub(r"self\.\w+|\d\.\d+|class \w+", "_", starter) for starter in starters}
    assert len(shapes) > 100


@given(seed=st.integers())
def test_the_task_says_the_role_of_each_tensor(seed):
    variant = drawn("04", seed)

    words = " ".join(variant.starter.split('"""')[1].split())
    for tensor in variant.rubric.tensors:
        role = "learned" if tensor.role == "parameter" else "measured elsewhere"
        first = "ones" if tensor.start else "zeros"
        assert f"`{tensor.name}`, {first} at first, is {role}" in words


@pytest.mark.parametrize(("number", "faults"), FAULTS.items())
def test_every_fault_and_every_story_is_drawn(number, faults):
    starters = [drawn(number, seed).starter for seed in range(200)]
    modules = "".join(starter.split('"""\n', 1)[1] for starter in starters)

    assert [fault for fault in faults if fault not in modules] == []
    classes = {re.search(r"^class (\w+)", each, re.MULTILINE)[1] for each in starters}
    assert any(classes == {s.class_name for s in stories} for stories in structs.astuple(STORIES))


@given(seed=st.integers())
def test_keys_are_in_the_order_in_which_a_parameterdict_would_put_them(seed):
    for rubric in (drawn("05", seed).rubric, drawn("05", seed).learners):
        for arguments in (rubric.recipe.arguments, rubric.recipe.other_arguments):
            for keys in (each for each in arguments.values() if isinstance(each, list)):
                assert keys == sorted(keys)


def only_rubric(folder, number, seed):
    drawn = new_assignment([number], seed, folder)
    return private_rubric(folder, drawn, *drawn.stems, *drawn.variants)


@pytest.fixture
def variant(tmp_path, request):
    number, seed = request.param
    return only_rubric(tmp_path, number, seed)


@pytest.mark.parametrize(
    "variant",
    [
        ("04", 1),
        ("05", 1),
        *(pytest.param((number, 1), marks=pytest.mark.slow) for number in ("06", "12")),
        *((number, 1) for number in ("03", "07", "08", "10")),
    ],
    indirect=True,
)
def test_a_solution_passes_and_a_starter_fails(variant, tmp_path):
    path = tmp_path / f"{variant.stem}.py"

    def verdict(text):
        path.write_text(text, encoding="utf-8")
        cls = vars(execute(text, path))[variant.class_name]
        return grade_class(variant, cls).verdict

    assert verdict(solution_of(variant).read_text(encoding="utf-8")) == "passed"
    # One more attribute, so that it does not count as untouched.
    touched = starter_of(variant).replace("super().__init__()", "super().__init__(); self.seen = 0")
    assert verdict(touched) == "failed"


@pytest.mark.parametrize("number", FAULTS)
def test_the_starter_shows_the_exercises_finding_also_in_the_learners_copy(number, tmp_path):
    drawn = new_assignment([number], 2, tmp_path)
    rubric = private_rubric(tmp_path, drawn, *drawn.stems, *drawn.variants)
    copy = load_rubric(*drawn.stems, str((tmp_path / "hand_out" / rubric.stem).resolve()))

    for judged_by in (rubric, copy):
        with answer_file(rubric, f"{starter_of(rubric)}\nTOUCHED = True\n") as path:
            report = grade_file(judged_by, path)
        assert report.verdict == "failed"
        assert rubric.finding in {finding.code for finding in report.findings}


@pytest.mark.search
@pytest.mark.slow
@pytest.mark.parametrize(
    "variant",
    [
        *(("04", 3), ("04", 4), ("05", 3), ("05", 4), ("06", 3)),
        *((number, 3) for number in FAULTS),
    ],
    indirect=True,
)
def test_mutants_are_refused_and_rewrites_pass(variant):
    every = 2 if variant.number in ("04", "05") else 8  # noise is measured over hundreds of calls

    assert list(verify_variant(variant, every=every)) == []


def test_a_broken_template_would_be_seen(tmp_path):
    rubric = only_rubric(tmp_path, "04", 1)
    solution_of(rubric).write_text(starter_of(rubric), encoding="utf-8")

    problem = problem_of_variant(rubric)

    assert problem.startswith("its solution: ")
