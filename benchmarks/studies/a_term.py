"""A term played through with made-up learners, each step by the command that a teacher types.

    python benchmarks/studies/a_term.py [--learners 300] [--folder DIR]

Three assignments are handed in as Moodle's zips: some late, some twice, some not at all. Then come
an appeal, a corrected rubric with its regrade, marks and feedback. What each step took is kept in
benchmarks/results/a_term.json; docs/a_term.md shows it. DIR keeps what was made.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

RESULTS = ROOT / "benchmarks" / "results" / "a_term.json"
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


@dataclass
class Play:
    """A term in a folder.

    Attributes:
        steps: each command, and the seconds it took.
    """

    folder: Path
    learners: list[Learner]
    steps: list[dict[str, Any]] = field(default_factory=list)

    def grader(self, *words: str, course: Path = ROOT) -> str:
        """Run a command as a teacher would; what it printed, on both streams."""
        begun = time.monotonic()
        ran = subprocess.run(
            [sys.executable, "-m", "grader.cli", *words],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": str(course), "COLUMNS": "120"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        seconds = round(time.monotonic() - begun, 1)
        if ran.returncode not in (0, 2):  # 2: some could not be graded, and are named
            raise RuntimeError(f"{words} ended with {ran.returncode}: {ran.stdout}")
        self.steps.append({"command": " ".join(["grader", *words]), "seconds": seconds})
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
    from grader.course.catalog import starter

    kind = draw.choices(["right", "wrong", "starter", "broken"], [58, 32, 7, 3])[0]
    if kind == "right":
        text = _right(learner, stem, draw)
    elif kind == "wrong":
        text = draw.choice(_mutants(stem))
    else:
        text = starter(stem) if kind == "starter" else "class Half(nn.Module:"
    return kind, f"{text}\n# {learner.number}\n"


def _right(learner: Learner, stem: str, draw: random.Random) -> str:
    from grader.course.catalog import find, solution_file
    from grader.grading.verification.rewrites import rewrites_of

    rubric, text = find(stem), solution_file(stem).read_text(encoding="utf-8")
    forms = [
        rewrite.source for rewrite in rewrites_of(text, rubric.class_name, rubric.names_matter)
    ]
    return f"{draw.choice([text, *forms])}\n# {learner.number}\n"


@cache
def _mutants(stem: str) -> list[str]:
    """The solution with one fault each, those apart that the author says are as right."""
    from grader.course.catalog import find, solution_file
    from grader.grading.verification.mutants import mutants_of
    from grader.grading.verification.try_mutants import equivalents

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
            address = f"{person.number}@example.org"
            row = [
                person.number,
                person.name,
                address,
                person.section,
                person.group,
                person.extension,
            ]
            writer.writerow(row)


def moodles_zip(path: Path, stem: str, people: list[Learner], until: datetime) -> int:
    """What Moodle gives out at a moment: the last file of each; how many there are."""
    ordinal = list(DUE).index(stem) + 1
    count = 0
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for i, learner in enumerate(people):
            there = [attempt for attempt in learner.handed_in[stem] if attempt.at <= until]
            if not there:
                continue
            count += 1
            folder = f"{learner.name}_{ordinal * MOODLES_NUMBERS + i}_assignsubmission_file_"
            local = time.localtime(there[-1].at.timestamp())[:6]  # a zip's times have no zone
            member = ZipInfo(f"{folder}/{stem}.py", local)
            archive.writestr(member, there[-1].text)
    return count


def corrected_course(folder: Path) -> Path:
    """A copy of the grader in which exercise 05 gives other points."""
    for name in ("grader", "solutions"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    rubric = folder / "grader" / "course" / "rubrics" / "05_module_containers.py"
    text = rubric.read_text(encoding="utf-8")
    assert OLD_POINTS in text
    rubric.write_text(text.replace(OLD_POINTS, NEW_POINTS), encoding="utf-8")
    return folder


def play(folder: Path, count: int, seed: int = SEED) -> dict[str, Any]:
    """The whole term; its figures."""
    term = Play(folder, learners(count, seed))
    roster(folder / "roster.csv", term.learners)
    (folder / "term.toml").write_text(TERM, encoding="utf-8")
    jobs = ("--out", "marks", "--jobs", str(len(os.sched_getaffinity(0))))
    downloaded = 0
    for stem, until in DOWNLOADS:
        zipped = f"{stem}_{until:%m-%d}.zip"
        downloaded += moodles_zip(folder / zipped, stem, term.learners, until)
        term.grader("batch", zipped, *jobs)
    appealed = next(
        learner
        for learner in term.learners
        if [answer.kind for answer in learner.handed_in["03_member_tensors"]] == ["wrong"]
    )
    term.grader("mark", appealed.name, "03", "--in", "marks", "--score", "6", "--because", WHY)
    regraded = term.grader(
        "regrade", "marks", *jobs[2:], course=corrected_course(folder / "corrected")
    )
    rules = ("--roster", "roster.csv", "--term", "term.toml")
    exports = [term.grader("export", "marks", "--to", form, *rules) for form in FORMS]
    with (folder / "marks" / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        "learners": count,
        "downloaded": downloaded,
        "appealed": appealed.name,
        "regraded": regraded,
        "told": exports[0],
        "missing": sum(row["verdict"] == "not_handed_in" for row in rows),
        "late": sum(row["late"] == "yes" for row in rows),
        "reduced": sum(bool(row["mark"]) and row["mark"] != row["score"] for row in rows),
        "pages": len(list((folder / "marks" / "html").glob("*.html"))),
        "feedback": sum(_pages_in(path) for path in (folder / "marks").glob("moodle-*/*.zip")),
        "ledger_bytes": (folder / "marks" / "ledger.jsonl").stat().st_size,
        "cores": len(os.sched_getaffinity(0)),
        "load": round(os.getloadavg()[0], 1),
        "steps": term.steps,
    }


def _pages_in(path: Path) -> int:
    with ZipFile(path) as archive:
        return len(archive.namelist())


def table(figures: dict[str, Any]) -> str:
    """What docs/a_term.md says of a term that was played."""
    facts = {
        "learners": figures["learners"],
        "submissions in the zips": figures["downloaded"],
        "not handed in": figures["missing"],
        "late": figures["late"],
        "marks that the rules lowered": figures["reduced"],
        "pages of feedback": figures["feedback"],
        "the ledger, MB": f"{figures['ledger_bytes'] / 1e6:.1f}",
    }
    lines = ["| | |", "| --- | ---: |", *(f"| {what} | {fact} |" for what, fact in facts.items())]
    lines += ["", "| command | seconds |", "| --- | ---: |"]
    for step in figures["steps"]:
        words = step["command"].split(" --")[0]
        form = step["command"].partition("--to ")[2].split(" ")[0]
        lines.append(f"| `{words}{form and f' --to {form}'}` | {step['seconds']:.1f} |")
    total = sum(step["seconds"] for step in figures["steps"])
    cores, load = figures["cores"], figures["load"]
    lines.append(f"| in all, on {cores} cores at a load of {load} | {total:.0f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--learners", type=int, default=300)
    parser.add_argument("--folder", type=Path, help="keep what is made here")
    arguments = parser.parse_args()
    with TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        figures = play(folder, arguments.learners)
    texts = ("appealed", "regraded", "told")
    kept = {key: figure for key, figure in figures.items() if key not in texts}
    RESULTS.write_text(json.dumps(kept, indent=2, ensure_ascii=False) + "\n")
    print(table(kept))


if __name__ == "__main__":
    main()
