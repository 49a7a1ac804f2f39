"""The term of docs/a_term.md, with 30 learners: every mark is reckoned a second time, from what the
script knows that each of them did."""

import csv
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from math import ceil
from zipfile import ZipFile

import pytest
from played_term import DOWNLOADS, DUE, MOODLES_NUMBERS, SEED, WHY, learners, play

from grader.classroom.results.ledger import latest, read_ledger

COUNT = 30
VERDICTS = {
    "right": "passed",
    "wrong": "failed",
    "starter": "not_attempted",
    "broken": "not_defined",
}
HOUR, DAY = timedelta(hours=1), timedelta(days=1)


def counted(learner, stem):
    """The answer that counts: of exercise 03 the first that a batch met, else the last."""
    seen = []
    for exercise, until in DOWNLOADS:
        there = [attempt for attempt in learner.handed_in[stem] if attempt.at <= until]
        seen += there[-1:] if exercise == stem else []
    attempts = [attempt for attempt in seen if attempt.kind != "starter"]
    first_counts = stem.startswith("03") and attempts
    return attempts[0] if first_counts else seen[-1] if seen else None


def mark(score, learner, stem, at):
    """What is left of a score, as somebody reads it off term.toml."""
    due = DUE[stem]
    if stem.startswith("04") and learner.section == "C":
        due = datetime(2026, 3, 17, 23, 59, tzinfo=UTC)
    if stem.startswith("03") and learner.extension:
        due = datetime.fromisoformat(learner.extension)
    a_day, most = (20, 40) if stem.startswith("05") else (10, 100)
    grace = 0 * HOUR if stem.startswith("05") else 2 * HOUR
    late = at - due
    if late > 7 * DAY and not stem.startswith("05"):
        return 0
    if late <= grace:
        return score
    percent = min(a_day * ceil((late - grace) / DAY), most)
    return float(round(score * Fraction(100 - percent, 100), 2))


@pytest.mark.nightly
@pytest.mark.slow
def test_everybody_has_the_mark_that_the_terms_rules_give(tmp_path):
    people = learners(COUNT, SEED)

    appealed, regraded, told = play(tmp_path, people)

    marks = tmp_path / "marks"
    with (marks / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = {(row["learner"], row["exercise"]): row for row in csv.DictReader(file)}
    assert len(rows) == COUNT * len(DUE)
    penalties = missing = 0
    for learner in people:
        for stem in DUE:
            row, answer = rows[learner.name, stem[:2]], counted(learner, stem)
            if answer is None:
                assert row["verdict"] == "not_handed_in"
                missing += 1
                continue
            assert row["verdict"] == VERDICTS[answer.kind], (learner.name, stem)
            score = int(row["score"])
            if learner.name == appealed and stem.startswith("03"):
                assert (score, WHY in row["message"]) == (6, True)
            else:
                assert (score == 6) == (answer.kind == "right")
            assert float(row["mark"]) == mark(score, learner, stem, answer.at), row["arithmetic"]
            penalties += float(row["mark"]) < score
            assert row["section"] == learner.section
    assert penalties > 5  # else the rules were not tried
    assert missing > 0
    _feedback_went_to_those_who_handed_in(marks, people)
    _the_regrade_kept_the_appeal(marks, appealed, regraded)
    for learner in people:
        assert (learner.name in told) or all(counted(learner, stem) for stem in DUE), (
            "who is missing is named"
        )


def _feedback_went_to_those_who_handed_in(marks, people):
    for number, stem in enumerate(DUE, 1):
        with ZipFile(marks / "moodle-feedback" / f"{stem}.zip") as archive:
            ids = {int(path.split("_")[1]) for path in archive.namelist()}
        first = number * MOODLES_NUMBERS
        assert ids == {first + i for i, person in enumerate(people) if counted(person, stem)}
        with (marks / "moodle" / f"{stem}.csv").open(encoding="utf-8", newline="") as file:
            assert {int(row["Identifier"].split()[1]) for row in csv.DictReader(file)} == ids


def _the_regrade_kept_the_appeal(marks, appealed, regraded):
    entries = list(read_ledger(marks))
    final = latest(entries)
    assert final[appealed, "03"].marked.points == 6
    graded_again = {e.rubric for e in entries if e.exercise == "05"}
    assert len(graded_again) == 2
    assert "graded again" in regraded
