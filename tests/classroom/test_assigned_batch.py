"""`grader batch --assignment`: marks by a solution that nobody but the batch can read."""

import csv
from pathlib import Path

import pytest
from handing_in import hand_in, needs_a_sandbox, notebook, solution

from grader.classroom.assignments.folder import new_assignment, private_rubric, read_assignment
from grader.classroom.results.ledger import latest, read_ledger
from grader.course.catalog import solution_of, starter_of
from grader.course.templates import TEMPLATES
from grader.grading.grade import grade_class
from grader.loading import execute

STEM = "04_parameter_or_buffer"
FILE = f"{STEM}.py"
# Tries every file that it can find, and every text that is in a frame of its process.
SEEKER = """{starter}
import os, sys

texts = []
for folder, _, files in os.walk({folder!r}):
    for file in files:
        try:
            texts.append(open(os.path.join(folder, file)).read())
        except OSError:
            pass
frame = sys._getframe()
while frame:
    texts += [each for each in frame.f_locals.values() if isinstance(each, str)]
    frame = frame.f_back
for text in texts:
    if text[3:].startswith("One good answer") and "class {name}" in text:
        exec(text, globals())
"""


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "assignment"


@pytest.fixture
def graded(grader, tmp_path, folder):
    """Hands files in, grades them, and gives how it ended and the results that count."""

    def run(files, *arguments, folder=folder):
        root = hand_in(tmp_path / "in", files)
        marks = tmp_path / "marks"
        ran = grader(
            *("batch", root, "--out", marks, "--jobs", "1", "--assignment", folder, *arguments)
        )
        return ran, latest(read_ledger(marks))

    return run


def texts(folder, drawn, variant=""):
    rubric = private_rubric(folder, drawn, STEM, variant or drawn.variants[0])
    return rubric, solution_of(rubric).read_text("utf-8"), starter_of(rubric)


@needs_a_sandbox
def test_a_class_has_one_variant_and_the_courses_solution_is_none(folder, graded):
    drawn = new_assignment(["04"], 7, folder)
    rubric, right, starter = texts(folder, drawn)
    path = str(solution_of(rubric))
    thief = f"exec(open({path!r}).read())\nclass {rubric.class_name}: pass\n"
    careful = f"{starter}\ntry:\n    exec(open({path!r}).read())\nexcept OSError:\n    pass\n"
    seeker = SEEKER.format(starter=starter, folder=str(folder.parent), name=rubric.class_name)

    ran, results = graded(
        {
            f"ada/{FILE}": right,
            f"bob/{FILE}": starter,
            f"cleo/{FILE}": solution(STEM),
            f"dan/{FILE}": thief,
            f"eve/{FILE}": careful,
            f"fay/{FILE}": seeker,
            f"gus/{STEM}.ipynb": notebook("import torch\nfrom torch import nn", right),
        }
    )

    verdicts = {learner: entry.report.verdict for (learner, _), entry in results.items()}
    assert (verdicts["ada"], verdicts["gus"]) == ("passed", "passed")
    assert verdicts["bob"] == "not_attempted"
    assert verdicts["cleo"] == "not_defined"
    assert verdicts["dan"] == "not_defined"
    assert (verdicts["eve"], verdicts["fay"]) == ("failed", "failed")
    assert {entry.isolation for entry in results.values()} <= {"filesystem", "full", "none"}
    assert {entry.variant for entry in results.values() if entry.file} == {*drawn.variants}
    assert ran.status == 0


def test_the_seeker_would_find_a_solution_that_it_may_read(folder, tmp_path):
    rubric, _, starter = texts(folder, new_assignment(["04"], 7, folder))
    path = tmp_path / FILE
    path.write_text(
        SEEKER.format(starter=starter, folder=str(tmp_path), name=rubric.class_name), "utf-8"
    )

    cls = vars(execute(path.read_text("utf-8"), path))[rubric.class_name]

    assert grade_class(rubric, cls).verdict == "passed"


@needs_a_sandbox
def test_each_learner_is_judged_by_the_own_variant(folder, graded, grader, tmp_path):
    people = [("Ada", "1"), ("Bob", "2"), ("Cleo", "3")]
    drawn = new_assignment(["04"], 7, folder, people)
    of = {person.name: texts(folder, drawn, person.variant) for person in drawn.people}

    ran, results = graded(
        {
            f"Ada_501_assignsubmission_file_/{FILE}": of["Ada"][1],
            f"bob/{FILE}": of["Bob"][1],
            f"Cleo/{FILE}": of["Bob"][1],  # which is not hers
            f"mallory/{FILE}": of["Bob"][1],
        }
    )

    verdicts = {learner: entry.report.verdict for (learner, _), entry in results.items()}
    assert (verdicts["Ada"], verdicts["bob"]) == ("passed", "passed")
    assert verdicts["Cleo"] in ("not_defined", "failed")
    assert "mallory" not in verdicts
    assert (ran.status, "does not ask of mallory" in ran.out) == (2, True)
    assert len({entry.rubric for entry in results.values()}) == 3

    grader("export", tmp_path / "marks", "--to", "csv")
    with (tmp_path / "marks" / "results.csv").open(encoding="utf-8", newline="") as file:
        scores = {row["learner"]: (row["score"], row["max_score"]) for row in csv.DictReader(file)}
    assert scores["bob"] == ("6", "6")


TERM = """timezone = "UTC"
[assignments.midterm]
exercises = ["03", "08"]
points = 20
weights = { 08 = 3 }
"""
STEMS = "03_member_tensors", "08_leaf_tensors"  # whose variants may have classes of one name


@needs_a_sandbox
def test_an_assignment_of_several_exercises_has_one_mark(graded, grader, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("term.toml").write_text(TERM, encoding="utf-8")
    Path("roster.csv").write_text("name\nAda\nBob\nCleo\n", encoding="utf-8")
    new = ("assignment", "new", "midterm", "--out", "midterm", "--seed", "3")
    made = grader(*new, "--roster", "roster.csv")
    assert (made.status, "6 variants drawn" in made.out) == (0, True)
    drawn = read_assignment(Path("midterm"))
    read = {
        person.name: [
            solution_of(private_rubric(Path("midterm"), drawn, stem, person.variant)).read_text()
            for stem in STEMS
        ]
        for person in drawn.people
    }

    both = notebook("import torch\nfrom torch import nn", *read["Ada"])
    files = {"Ada/answers.ipynb": both, f"Bob/{STEMS[0]}.py": read["Bob"][0]}
    files |= {"Cleo/mine.py": read["Cleo"][1], f"Cleo/{STEMS[0]}.py": read["Bob"][0]}
    _, results = graded(files, folder="midterm")

    verdicts = {key: entry.report.verdict for key, entry in results.items()}
    assert [verdicts["Ada", "03"], verdicts["Ada", "08"]] == ["passed", "passed"]
    assert [verdicts["Bob", "03"], verdicts["Cleo", "08"]] == ["passed", "passed"]
    assert verdicts["Cleo", "03"] in ("not_defined", "failed")
    grader("export", "marks", "--to", "canvas", "--term", "term.toml")
    (head, _, ada, *_) = csv.reader(Path("marks/canvas.csv").read_text().splitlines())
    assert (head[4:], ada[4:]) == (["midterm"], ["20"])


@needs_a_sandbox
def test_a_regrade_needs_the_assignment(folder, graded, grader, tmp_path):
    drawn = new_assignment(["04"], 7, folder)
    rubric, right, _ = texts(folder, drawn)
    graded({f"ada/{FILE}": right})
    path = Path(rubric.home, "variant.json")
    path.write_text(path.read_text().replace('"forward": 1', '"forward": 2'))

    without = grader("regrade", tmp_path / "marks", "--jobs", "1")
    with_it = grader("regrade", tmp_path / "marks", "--jobs", "1", "--assignment", folder)

    assert (without.status, "--assignment FOLDER" in without.err) == (2, True)
    assert "1 graded again" in with_it.out
    assert "ada, 04: 6 → 7 points" in with_it.out


def test_other_exercises_are_not_asked(folder, graded):
    new_assignment(["04"], 7, folder)

    ran, results = graded({"ada/03_member_tensors.py": solution()})

    ((key, missing),) = results.items()
    assert (ran.status, key, missing.is_handed_in) == (0, ("ada", "04"), False)
    assert "which this assignment does not ask of ada" in ran.out


def test_a_folder_without_an_assignment_is_said(grader, tmp_path):
    root = hand_in(tmp_path / "in", {f"ada/{FILE}": "x = 1"})

    ran = grader("batch", root, "--out", tmp_path / "marks", "--assignment", root)

    assert ran.status == 2
    assert "holds no assignment that can be read" in ran.err


@pytest.mark.parametrize("by_roster", [pytest.param(False, marks=pytest.mark.nightly), True])
def test_the_command_draws_and_tries_and_says_what_to_keep(grader, tmp_path, by_roster):
    roster = tmp_path / "roster.csv"
    roster.write_text("name,id\nAda,1\nBob,2\n")
    arguments = ("--roster", roster) if by_roster else ()

    ran = grader("assignment", "new", "4", "--out", tmp_path / "a", "--seed", "7", *arguments)

    assert ran.status == 0, ran.out
    assert f"{'2 variants' if by_roster else '1 variant'} drawn by seed 7" in ran.out
    assert f"--assignment {tmp_path / 'a'}" in ran.out


def test_the_command_says_which_exercises_it_draws(grader):
    *others, last = sorted(TEMPLATES)

    ran = grader("assignment", "new", "--help")

    assert f"exercises {', '.join(others)} and {last}," in " ".join(ran.out.split())
