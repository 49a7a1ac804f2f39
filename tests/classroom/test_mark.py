"""A person's mark: it counts before the grader's, stays, and is shown with its reason."""

import pytest
from entries import entry, write
from handing_in import hand_in, solution

from grader.classroom.results.exports import FILES, FOLDERS
from grader.classroom.results.gradebook import gradebook
from grader.classroom.results.ledger import latest, read_ledger
from grader.classroom.results.pages.learner import learner_page
from grader.classroom.results.record import Record

WHY = "She showed in the lab that it runs."


@pytest.fixture
def marks(tmp_path):
    """A folder with two results of one learner, and one of another who handed in nothing."""
    folder = tmp_path / "marks"
    missing = {"submission": "", "file": "", "handed_in": ""}
    write(
        folder,
        entry(learner_id="4711"),
        entry(exercise="04"),
        entry(learner="Grace Hopper", **missing),
    )
    return folder


@pytest.fixture
def mark(grader, marks):
    def run(who, number, *arguments):
        return grader("mark", who, number, "--in", str(marks), *arguments)

    return run


def result(folder, learner="Ada Lovelace", number="03"):
    book = gradebook(read_ledger(folder))
    return next(
        result
        for result in book.results()
        if (result.learner, result.rubric.number) == (learner, number)
    )


@pytest.mark.parametrize("who", ["Ada Lovelace", "4711"])
def test_it_counts_in_place_of_the_graders(mark, marks, who):
    ran = mark(who, "3", "--score", "5", "--because", WHY)

    assert (ran.status, ran.out) == (0, "Ada Lovelace, 03: 5 of 6 points.\n")
    marked = result(marks)
    assert (marked.mark, marked.score, marked.is_unsettled) == (5, 5, False)
    assert marked.explanation == f"Marked by a person: 5 of 6 points. {WHY}"
    assert result(marks, number="04").mark == 1  # the other is as it was


def test_it_stays_when_the_same_is_graded_again(mark, marks):
    mark("4711", "03", "--score", "5", "--because", WHY)

    with Record(marks) as record:
        record.add(entry(learner_id="4711", rubric="2e" * 8, isolation="full"))

    assert result(marks).mark == 5
    assert latest(read_ledger(marks))["Ada Lovelace", "03"].rubric == "2e" * 8


def test_another_submission_is_marked_by_the_grader_and_a_person_is_asked(mark, marks):
    mark("4711", "03", "--score", "5", "--because", WHY)

    with Record(marks) as record:
        record.add(entry(learner_id="4711", submission="6f" * 32))

    again = result(marks)
    assert (again.mark, again.needs_a_person) == (1, True)
    assert "for an earlier submission" in again.explanation


def test_it_can_be_taken_back(mark, marks):
    mark("4711", "03", "--score", "5", "--because", WHY)

    ran = mark("4711", "03", "--withdraw")

    assert (ran.status, ran.out) == (0, "Ada Lovelace, 03: 1 of 6 points.\n")
    assert result(marks).marked is None


def test_who_handed_in_nothing_can_have_one(mark, marks):
    mark("Grace Hopper", "03", "--score", "6", "--because", "Done on the blackboard.")

    assert result(marks, "Grace Hopper").mark == 6


@pytest.mark.parametrize(
    ("who", "arguments", "message"),
    [
        ("Ada", ("--score", "5", "--because", WHY), "Did you mean Ada Lovelace?"),
        ("4711", ("--score", "7", "--because", WHY), "03 has 6 points, so nobody can have 7."),
        ("4711", ("--score", "5"), "Say why"),
        ("4711", (), "--withdraw"),
        ("4711", ("--withdraw",), "there is none to withdraw"),
    ],
)
def test_what_cannot_be_is_said(mark, marks, who, arguments, message):
    ran = mark(who, "03", *arguments)

    assert ran.status == 2
    assert message in " ".join(ran.err.split())
    assert result(marks).mark == 1


@pytest.mark.parametrize("form", [*FILES, *FOLDERS])
def test_every_export_has_it(mark, marks, form):
    before = _exported(marks, form)
    mark("4711", "03", "--score", "6", "--because", WHY)

    assert _exported(marks, form) != before


@pytest.mark.parametrize("form", ["csv", "gradescope", "junit"])
def test_the_reason_is_there_where_an_export_has_words(mark, marks, form):
    mark("4711", "03", "--score", "6", "--because", WHY)

    assert WHY in _exported(marks, form)


def test_the_learners_page_has_the_reason(mark, marks):
    mark("4711", "03", "--score", "5", "--because", WHY)

    page = learner_page(gradebook(read_ledger(marks)), "Ada Lovelace")

    assert f"Marked by a person: 5 of 6 points. {WHY}" in page
    assert "5/6" in page


def _exported(folder, form):
    book = gradebook(read_ledger(folder))
    if form in FILES:
        return FILES[form][1](book)
    return "".join(text for _, text in FOLDERS[form](book))


def test_a_batch_run_again_leaves_it(grader, tmp_path):
    root = hand_in(tmp_path / "in", {"ada/03_member_tensors.py": solution("03_member_tensors")})
    batch = ("batch", str(root), "--out", str(tmp_path / "marks"), "--jobs", "1")
    grader(*batch)
    grader(
        "mark", "ada", "03", "--in", str(tmp_path / "marks"), "--score", "0", "--because", "Copied."
    )

    again = grader(*batch)

    assert result(tmp_path / "marks", "ada").mark == 0
    assert again.status == 0


def test_a_mark_of_nothing_handed_in_is_merged(tmp_path, grader):
    missing = entry(learner="Grace", submission="", file="", handed_in="")
    first, second = str(tmp_path / "first"), str(tmp_path / "second")
    for folder in (first, second):
        write(tmp_path / folder, missing)
    grader("mark", "Grace", "03", "--in", second, "--score", "6", "--because", "On the board.")

    grader("merge", first, second, "--out", str(tmp_path / "all"))

    assert result(tmp_path / "all", "Grace").mark == 6
