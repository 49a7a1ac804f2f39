"""Each fix in words leads home: whoever follows exactly these words gets on, and nothing returns.

`followed/STEM.toml` has, for each advice, what a beginner changes who was told these `words`.
`code` is the finding's, or `check NAME` where a failed check is all that is told; then `words` are
a part of its message. Each of the `ways` that the words leave open is `of` a mistake. Its `edits`
are pairs of an old text, which occurs once in the class, or else in the file, and a new one. What
is printed as code is pasted: `test_fixes.py` and `test_every_fault.py` hold it to its promise.
"""

import ast
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from declared import starter_and_mistakes
from pasting import Judge, where_of

from grader.course.catalog import find, stems
from grader.grading import grade as grading
from grader.judge.fixes import apply_edits
from grader.schema.report import Edit, Finding, Report

TABLES = Path(__file__).parent / "followed"
MOST_STEPS = 8
EXCEPTIONS = {
    "03b_causal_block ResultDropped": "of two results that are dropped, a call stops at the first",
    "12b_training_script the starter": "of three exceptions of a script, the first ends it",
}

Place = tuple[str, str]
Entry = dict[str, Any]


@dataclass(frozen=True)
class Step:
    """What a report tells to do: one fix as code, or all that are told in the same words."""

    code: str
    words: str
    findings: tuple[Finding, ...] = ()

    @property
    def edits(self) -> tuple[Edit, ...]:
        return self.findings[0].edits if self.findings else ()

    def __str__(self) -> str:
        return f"{self.code}: {self.words}"


@dataclass
class Walk:
    """All the ways from one answer, by the entries of its table."""

    owner: str
    judge: Judge
    entries: list[Entry]
    used: list[Entry] = field(default_factory=list)

    def problems(self, text: str) -> Iterator[str]:
        """Each advice that does not lead on, and each end that the words lead to, and no answer."""
        first = self.judge(text)
        starts = [step for step in steps(first, self.entries) if not step.edits]
        for step in starts or [*steps(first, self.entries)][:1]:
            yield from self._from(text, first, step, MOST_STEPS)

    def _from(self, text: str, before: Report, step: Step, left: int) -> Iterator[str]:
        if not (texts := list(self._followed(step, text))):
            yield f"no entry for {step}"
        for changed in texts:
            after = self.judge(changed)
            then = next(steps(after, self.entries), None)
            if not step.edits and (problem := not_better(step, before, after)):
                yield f"{step}\n    {problem}"
            elif then and left:
                yield from self._from(changed, after, then, left - 1)
            elif after.verdict != "passed" and self.used:
                yield f"{step}\n    leads to {told(after)}"

    def _followed(self, step: Step, text: str) -> Iterator[str]:
        """The text after a step, for each way in which its words may be followed."""
        if step.edits:
            yield apply_edits(text, step.edits)
            return
        for entry in self.entries:
            if is_for(entry, step):
                self.used.append(entry)
                yield edited(text, self.owner, entry["edits"])


def steps(report: Report, entries: list[Entry]) -> Iterator[Step]:
    """What its findings tell; where there are none, what a check tells that has an entry."""
    alike: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in report.findings:
        alike[finding.code, finding.fix].append(finding)
    for (code, words), findings in alike.items():
        yield Step(code, words, tuple(findings))
    for check in report.checks if not alike else ():
        step = Step(f"check {check.name}", check.message)
        if not check.passed and any(is_for(entry, step) for entry in entries):
            yield step


def is_for(entry: Entry, step: Step) -> bool:
    said = entry["words"] == step.words if step.findings else entry["words"] in step.words
    return said and entry["code"] == step.code


def edited(text: str, owner: str, edits: list[list[str]]) -> str:
    """The text with the edits, each in the class if it has the old text, else in the whole file."""
    for old, new in edits:
        (node,) = [n for n in ast.parse(text).body if getattr(n, "name", None) == owner]
        inside = "".join(text.splitlines(keepends=True)[node.lineno - 1 : node.end_lineno])
        scope = inside if old in inside else text
        assert scope.count(old) == 1, f"{owner} has this {scope.count(old)} times: {old}"
        text = text.replace(scope, scope.replace(old, new))
    return text


def not_better(step: Step, before: Report, after: Report) -> str:
    """Why a step did not lead on, `""` if it did."""
    if after.exit_code == 2:
        return f"{after.verdict}: {after.message}"
    had, has = places(before), places(after)
    if still := [place for f in step.findings if has[place := place_of(f)] >= had[place]]:
        return f"still there: {still}"
    if new := has - had:
        return f"new: {[f'{f.code}: {f.message}' for f in after.findings if place_of(f) in new]}"
    failed = {check.name for check in before.checks if not check.passed}
    lost = [c for c in after.checks if not c.passed and c.name not in failed]
    return "; ".join(f"lost {check.name}: {check.message}" for check in lost)


def place_of(finding: Finding) -> Place:
    """What it is; of the elements of one container the first is named, whichever that is."""
    return finding.code, where_of(finding).partition("[")[0]


def places(report: Report) -> Counter[Place]:
    return Counter(map(place_of, report.findings))


def told(report: Report) -> str:
    failed = [f"{c.name}: {c.message}" for c in report.checks if not c.passed]
    return "; ".join([report.verdict, *map(str, failed), *(f.message for f in report.findings)])


def table(stem: str) -> dict[str, list[Entry]]:
    """The ways of a file by the name of the mistake, each with the code and words it follows."""
    path, found = TABLES / f"{stem}.toml", defaultdict(list)
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    for advice in tomllib.loads(text).get("advice", ()):
        for way in advice["ways"]:
            found[way["of"]].append({**way, "code": advice["code"], "words": advice["words"]})
    return found


def test_at_most_one_mistake_in_twenty_is_an_exception():
    followed = {f"{stem} {name}" for stem in stems() for name in table(stem)}

    assert EXCEPTIONS.keys() <= followed
    assert len(EXCEPTIONS) <= len(followed) / 20


@pytest.mark.search
@pytest.mark.parametrize("stem", stems())
def test_who_follows_the_words_gets_on(stem, tmp_path, monkeypatch):
    # Of several things that are wrong with random numbers, the first that shows is told.
    monkeypatch.setattr(grading, "fresh_seed", lambda: 7)
    entries, found, unused = table(stem), {}, {}
    for name, text, judge in starter_and_mistakes(stem, tmp_path):
        owner = find(stem).class_name if name == "the starter" else name
        walk = Walk(owner, judge, entries.pop(name, []))
        problems = list(walk.problems(text))
        if bool(problems) is not (f"{stem} {name}" in EXCEPTIONS):
            found[name] = "\n  ".join(problems) or "an exception that goes well"
        if rest := [entry for entry in walk.entries if entry not in walk.used]:
            unused[name] = rest

    assert "\n".join(f"{name}: {problem}" for name, problem in found.items()) == ""
    assert (unused, dict(entries)) == ({}, {})
