"""A person's mark: it counts before the grader's, stays, and is shown with its reason."""

from dataclasses import replace

import pytest
from entries import entry, write
from handing_in import hand_in, solution

from grader.classroom.results.exports import FILES, FOLDERS
from grader.classroom.results.gradebook import gradebook
from grader.classroom.results.ledger import Record, latest, read_ledger

WHY = "She showed in the lab that it runs."


@pytest.fixture
def marks(tmp_path):
    """A folder with two results of one learner, and one of another who handed in nothing."""
    folder = tmp_path / "marks"
    missing = {"submission": "", "file": "", "handed_in": ""}
    with Record(folder) as record:
        submission = record.keep(b"import torch\n" * 11 + b"mean = torch.ones(3)  # <b>\n")
    write(
        folder,
        entry(learner_id="4711", submission=submission),
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


def test_points_are_given_in_halves(mark, marks):
    assert mark("4711", "03", "--score", "4.5", "--because", WHY).out.endswith("4.5 of 6 points.\n")
    assert result(marks).mark == 4.5

    for score in ("4.3", "nan", "inf", "-1"):
        assert mark("4711", "03", "--score", score, "--because", WHY).status == 2
    assert result(marks).mark == 4.5


def test_a_table_says_it_of_many(grader, marks, tmp_path):
    table = tmp_path / "marks.csv"
    rows = ["learner,exercise,score,because,comment,line"]
    rows += ["4711,03,5.5,Shown in the lab,,", "Ada Lovelace,04,,,Why a Parameter?,"]
    table.write_text("\n".join(rows), encoding="utf-8")
    ran = grader("mark", "--from", str(table), "--in", str(marks))

    assert ran.out.splitlines()[0] == "Ada Lovelace, 03: 5.5 of 6 points."
    assert (result(marks).mark, len(result(marks, number="04").comments)) == (5.5, 1)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("name,score\nAda,1\n", "no column learner"),
        ("learner,exercise,score,because\n4711,03,five,x\n", ":2: no number"),
        ("learner,exercise\n4711,03\n", "--score POINTS"),
    ],
)
def test_a_table_that_cannot_be_read_says_where(grader, marks, tmp_path, text, said):
    table = tmp_path / "marks.csv"
    table.write_text(text, encoding="utf-8")
    ran = grader("mark", "--from", str(table), "--in", str(marks))

    assert (ran.status, said in ran.err) == (2, True)
    assert "or else a table" in grader("mark", "--from", str(table), "--withdraw").err


def test_it_stays_when_the_same_is_graded_again(mark, marks):
    mark("4711", "03", "--score", "5", "--because", WHY)

    with Record(marks) as record:
        again = {"submission": result(marks).entry.submission, "rubric": "2e" * 8}
        record.add(entry(learner_id="4711", isolation="full", **again))

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


@pytest.mark.parametrize("who", ["Grace Hopper", "Kay", "900021", "Kay@example.org"])
def test_who_handed_in_nothing_can_have_one(mark, marks, tmp_path, who):
    (roster := tmp_path / "roster.csv").write_text("name,id,email\nKay,900021,kay@example.org\n")
    said = ("--score", "6", "--because", "Done on the blackboard.", "--roster", str(roster))

    assert (mark(who, "03", *said).status, mark("Nobody", "03", *said).status) == (0, 2)
    assert result(marks, "Grace Hopper" if who == "Grace Hopper" else "Kay").mark == 6


@pytest.mark.parametrize(
    ("who", "arguments", "message"),
    [
        ("Ada", ("--score", "5", "--because", WHY), "Did you mean Ada Lovelace?"),
        ("4711", ("--score", "7", "--because", WHY), "03 has 6 points, so nobody can have 7."),
        ("4711", ("--score", "5"), "Say why"),
        ("4711", (), "--withdraw"),
        ("4711", ("--withdraw",), "there is none to withdraw"),
        ("4711", ("--comment", "Good.", "--withdraw"), "--withdraw"),
        ("4711", ("--score", "5", "--because", WHY, "--line", "3"), "--comment TEXT"),
        ("4711", ("--comment", "Here?", "--line", "0"), "0 is not in the range"),
        ("4711", ("--comment", "Here?", "--line", "99"), "has 12 lines, so there is no line 99."),
        ("Grace Hopper", ("--comment", "Come.", "--line", "1"), "comment on the whole"),
    ],
)
def test_what_cannot_be_is_said(mark, marks, who, arguments, message):
    ran = mark(who, "03", *arguments)

    assert ran.status == 2
    assert message in " ".join(ran.err.split())
    assert result(marks).mark == 1


LINE = "Line 12, `mean = torch.ones(3)  # <b>`: Whose is it?"


@pytest.fixture
def commented(mark, marks):
    mark("4711", "03", "--comment", "Nearly there.")
    ran = mark("4711", "03", "--comment", "Whose is it?", "--line", "12")
    assert (ran.status, ran.out) == (0, "Ada Lovelace, 03: 1 of 6 points. 2 comments.\n")
    return marks


def test_comments_stay_with_their_submission(commented):
    first = next(e for e in read_ledger(commented) if e.exercise == "03")
    with Record(commented) as record:
        record.add(entry(learner_id="4711", submission="6f" * 32))
    assert result(commented).remarks == ""

    with Record(commented) as record:
        record.add(entry(learner_id="4711", submission=first.submission))
    assert result(commented).remarks.startswith("Nearly there.")


def test_comments_and_mark_leave_each_other_and_withdrawing_takes_all(commented, mark):
    assert (result(commented).mark, result(commented).is_unsettled) == (1, False)
    mark("4711", "03", "--score", "5", "--because", WHY)
    assert result(commented).remarks.splitlines()[1:] == ["Nearly there.", LINE]

    mark("4711", "03", "--withdraw")
    assert (result(commented).remarks, result(commented).mark) == ("", 1)


def test_a_mark_and_a_comment_are_given_at_once(mark, marks):
    mark("4711", "03", "--score", "5", "--because", WHY, "--comment", "And well written.")

    assert result(marks).remarks.splitlines() == [
        f"Marked by a person: 5 of 6 points. {WHY}",
        "And well written.",
    ]


@pytest.mark.parametrize("form", [*FILES, "html"])
def test_every_export_has_the_mark_and_one_with_words_has_these(commented, mark, form):
    before = _exported(commented, form)
    mark("4711", "03", "--score", "6", "--because", WHY)
    after = _exported(commented, form)

    assert before != after
    if form != "canvas":
        assert all(words in after for words in (WHY, "Nearly there.", "Whose is it?"))
    if form == "html":
        assert f"Marked by a person: 6 of 6 points. {WHY}" in after
        assert "<code>mean = torch.ones(3)  # &lt;b&gt;</code>: </b>Whose is it?" in after
        assert "12</span>  mean = torch.ones(3)  # &lt;b&gt;\n<b>     Whose is it?</b>" in after


def _exported(folder, form):
    book = replace(gradebook(read_ledger(folder)), folder=folder)
    if form in FILES:
        return FILES[form][1](book)
    return "".join(text for _, text in FOLDERS[form](book))


def test_a_batch_run_again_leaves_it(grader, tmp_path):
    root = hand_in(tmp_path / "in", {"ada/03_member_tensors.py": solution("03_member_tensors")})
    batch = ("batch", str(root), "--out", (marks := tmp_path / "marks"), "--jobs", "1")
    grader(*batch)
    grader("mark", "ada", "03", "--in", marks, "--score", "0", "--because", "Copied.")

    assert grader(*batch).status == 0
    assert result(tmp_path / "marks", "ada").mark == 0


def test_a_mark_of_nothing_handed_in_is_merged(tmp_path, grader):
    missing = entry(learner="Grace", submission="", file="", handed_in="")
    first, second = str(tmp_path / "first"), str(tmp_path / "second")
    for folder in (first, second):
        write(tmp_path / folder, missing)
    grader("mark", "Grace", "03", "--in", second, "--score", "6", "--because", "On the board.")

    grader("merge", first, second, "--out", str(tmp_path / "all"))

    assert result(tmp_path / "all", "Grace").mark == 6
