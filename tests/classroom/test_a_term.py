"""The term of docs/a_term.md, with 30 learners, each step by the command that a teacher types.

Three assignments are handed in as Moodle's zips: some late, some twice, some not at all. Then come
an appeal, a corrected rubric with its regrade, marks and feedback. Every mark is reckoned a second
time, from what the script knows that each learner did.
"""

from __future__ import annotations

import csv
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from functools import cache
from math import ceil
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest

from grader.classroom.results.ledger import latest, read_ledger
from grader.course.catalog import find, solution_file, starter
from verify.mutants import mutants_of
from verify.rewrites import rewrites_of
from verify.try_mutants import equivalents

ROOT = Path(__file__).resolve().parents[2]
SEED = 7
DUE = {
    "03_member_tensors": datetime(2026, 3, 1, 23, 59, tzinfo=UTC),
    "04_parameter_or_buffer": datetime(2026, 3, 15, 23, 59, tzinfo=UTC),
    "05_module_containers": datetime(2026, 3, 29, 23, 59, tzinfo=UTC),
}
# When the teacher downloads what was handed in: the first assignment twice.
DOWNLOADS = [
    (stem, due + timedelta(days=days))
    for stem, due in DUE.items()
    for days in ([0.5, 9] if stem.startswith("03") else [9])
]
TERM = """\
timezone = "UTC"

[late]
grace_hours = 2
percent_a_day = 10
refused_after_days = 7

[assignments.03]
due = 2026-03-01T23:59:00
attempts = 1

[assignments.04]
due = 2026-03-15T23:59:00

[assignments.05]
due = 2026-03-29T23:59:00
late = { percent_a_day = 20, most_percent = 40 }

[[extensions]]
assignments = ["04"]
sections = ["C"]
due = 2026-03-17T23:59:00
because = "The network was down."
"""
FIRST = "Ada Bjørn Chidi Daiyu Élodie Farid Grace Hiro Ines Jürgen Kofi Lena Małgorzata Noor Ömer"
LAST = "Abara Berg Chen Diaz Eriksen Fofana García Haddad Ito Jansen Kowalski Łukić Müller Nowak"
WHY = "She explained in the consultation hour why the second tensor stays a constant."
# The teacher finds that exercise 05 gave too much for what the constructor holds.
OLD_POINTS = '"parameters": 2, "state_dict": 1, "placement": 1, "forward": 1, "training": 1'
NEW_POINTS = '"parameters": 1, "state_dict": 1, "placement": 1, "forward": 1, "training": 2'
FORMS = ("html", "csv", "canvas", "moodle", "moodle-feedback")
MOODLES_NUMBERS = 10_000  # a participant has another number in each assignment


@dataclass(frozen=True)
class HandedIn:
    """What a learner handed in: the text and the time; `kind` says what it is."""

    kind: str
    text: str
    at: datetime


@dataclass
class Learner:
    """One line of the roster, and what comes from it, by exercise, one after the other."""

    name: str
    number: str
    section: str
    group: str
    extension: str = ""
    handed_in: dict[str, list[HandedIn]] = field(default_factory=dict)


def grader(folder: Path, *words: str, course: Path = ROOT) -> str:
    """Run a command as a teacher would; what it printed, on both streams."""
    ran = subprocess.run(
        [sys.executable, "-m", "grader.cli", *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(course), "COLUMNS": "120"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert ran.returncode in (0, 2), ran.stdout  # 2: some could not be graded, and are named
    return ran.stdout


def learners(count: int, seed: int) -> list[Learner]:
    """A class: every name once, one of them with 240 letters."""
    draw = random.Random(seed)
    names = [f"{first} {last}" for first in FIRST.split() for last in LAST.split()]
    draw.shuffle(names)
    names += [f"{name} {i}" for i, name in enumerate(names * (count // len(names)), 2)]
    found = [
        Learner(name, str(2_026_000 + i), "ABC"[i % 3], f"team {i // 4}")
        for i, name in enumerate(names[:count])
    ]
    found[1].name = "Wolfeschlegelsteinhausenbergerdorff".ljust(240, "x")
    found[2].extension = "2026-03-05T12:00:00+00:00"
    for learner in found:
        for stem, due in DUE.items():
            learner.handed_in[stem] = list(_handed_in(learner, stem, due, draw))
    return found


def _handed_in(
    learner: Learner, stem: str, due: datetime, draw: random.Random
) -> Iterator[HandedIn]:
    """Nothing, once, or a second time with the right answer."""
    if draw.random() < 0.08:
        return
    first = _answer(learner, stem, draw)
    is_late = draw.random() < 0.15
    away = timedelta(minutes=round(draw.expovariate(1 / 1500)) + 1)
    at = due + away if is_late else due - away
    at = at.replace(second=0)
    yield HandedIn(*first, at)
    if first[0] != "right" and draw.random() < 0.3:
        yield HandedIn("right", _right(learner, stem, draw), max(at, due) + timedelta(days=2))


def _answer(learner: Learner, stem: str, draw: random.Random) -> tuple[str, str]:
    kind = draw.choices(["right", "wrong", "starter", "broken"], [58, 32, 7, 3])[0]
    if kind == "right":
        text = _right(learner, stem, draw)
    elif kind == "wrong":
        text = draw.choice(_mutants(stem))
    else:
        text = starter(stem) if kind == "starter" else "class Half(nn.Module:"
    return kind, f"{text}\n# {learner.number}\n"


def _right(learner: Learner, stem: str, draw: random.Random) -> str:
    rubric, text = find(stem), solution_file(stem).read_text(encoding="utf-8")
    forms = [
        rewrite.source for rewrite in rewrites_of(text, rubric.class_name, rubric.names_matter)
    ]
    return f"{draw.choice([text, *forms])}\n# {learner.number}\n"


@cache
def _mutants(stem: str) -> list[str]:
    """The solution with one fault each, those apart that the author says are as right."""
    rubric = find(stem)
    right = {*equivalents(rubric), *equivalents(rubric, "either")}
    text = solution_file(stem).read_text(encoding="utf-8")
    found = mutants_of(text, (rubric.class_name,))
    return [change.source for _, change in found if (change.before, change.after) not in right]


def roster(path: Path, people: list[Learner]) -> None:
    """Write it as a student office would."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["ID number", "Full name", "Email", "Section", "Group", "extension 03"])
        for person in people:
            known = (person.section, person.group, person.extension)
            writer.writerow([person.number, person.name, f"{person.number}@example.org", *known])


def moodles_zip(path: Path, stem: str, people: list[Learner], until: datetime) -> None:
    """What Moodle gives out at a moment: the last file of each."""
    ordinal = list(DUE).index(stem) + 1
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for i, learner in enumerate(people):
            there = [attempt for attempt in learner.handed_in[stem] if attempt.at <= until]
            if not there:
                continue
            folder = f"{learner.name}_{ordinal * MOODLES_NUMBERS + i}_assignsubmission_file_"
            local = time.localtime(there[-1].at.timestamp())[:6]  # a zip's times have no zone
            archive.writestr(ZipInfo(f"{folder}/{stem}.py", local), there[-1].text)


def corrected_course(folder: Path) -> Path:
    """A copy of the grader in which exercise 05 gives other points."""
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("grader", "solutions"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    rubric = folder / "grader" / "course" / "rubrics" / "05_module_containers.py"
    text = rubric.read_text(encoding="utf-8")
    assert OLD_POINTS in text
    rubric.write_text(text.replace(OLD_POINTS, NEW_POINTS), encoding="utf-8")
    return folder


def play(folder: Path, people: list[Learner]) -> tuple[str, str, str]:
    """The whole term; who appealed, and what the regrade and the first export printed."""
    roster(folder / "roster.csv", people)
    (folder / "term.toml").write_text(TERM, encoding="utf-8")
    jobs = ("--jobs", str(len(os.sched_getaffinity(0))))
    for stem, until in DOWNLOADS:
        zipped = f"{stem}_{until:%m-%d}.zip"
        moodles_zip(folder / zipped, stem, people, until)
        grader(folder, "batch", zipped, "--out", "marks", *jobs)
    appealed = next(
        learner.name
        for learner in people
        if [answer.kind for answer in learner.handed_in["03_member_tensors"]] == ["wrong"]
    )
    grader(folder, "mark", appealed, "03", "--in", "marks", "--score", "6", "--because", WHY)
    corrected = corrected_course(folder / "corrected")
    regraded = grader(folder, "regrade", "marks", *jobs, course=corrected)
    rules = ("--roster", "roster.csv", "--term", "term.toml")
    exports = [grader(folder, "export", "marks", "--to", form, *rules) for form in FORMS]
    return appealed, regraded, exports[0]


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
    missed = [person for person in people if not all(counted(person, stem) for stem in DUE)]
    assert all(person.name in told for person in missed)


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
