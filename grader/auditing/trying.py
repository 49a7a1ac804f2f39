"""Tries the fixes that are code: each is made in a copy of the source, and the audit run again.

All fixes together first, as they would be made; those of which that proves nothing, one by one.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping

from grader.judge import Code, SourceFile, apply_edits, are_apart
from grader.schema import Edit, Finding, Report

Edits = tuple[Edit, ...]
Again = Callable[[Mapping[str, str]], Report]
# Only of what is registered can it be seen that nothing writes it after `to_empty`.
UNCOVERED = {Code.MEMBER_TENSOR: Code.META_INIT}


def fixes_that_work(
    report: Report, files: Mapping[str, SourceFile], again: Again
) -> frozenset[Edits]:
    """The edits of a report's findings after which the audit has nothing against the module.

    Args:
        report: of an audit.
        files: the module's files by their names in frames.
        again: gives the report on the module with other texts of these files.
    """
    places = {code.name: file for file, code in reversed(list(files.items())) if code.text}
    found = [f for f in report.findings if f.edits and f.file in places]

    def works(some: list[Finding]) -> bool:
        changes: dict[str, list[Edit]] = defaultdict(list)
        for finding in some:
            changes[places[finding.file]] += finding.edits
        try:
            texts = {f: apply_edits(files[f].text, edits) for f, edits in changes.items()}
        except ValueError:  # one changes what another has changed
            return False
        return _is_better(report, again(texts), some)

    together = _apart(found)
    if together and works(together):
        proved = together
    else:
        proved = [finding for finding in together if len(together) > 1 and works([finding])]
    proved += [finding for finding in found if finding not in together and works([finding])]
    return frozenset(finding.edits for finding in proved)


def _apart(found: Iterable[Finding]) -> list[Finding]:
    """The findings whose edits leave alone what those of an earlier one change."""
    chosen: list[Finding] = []
    for finding in found:
        others = (edit for f in chosen if f.file == finding.file for edit in f.edits)
        if are_apart(finding.edits, others):
            chosen.append(finding)
    return chosen


def _is_better(before: Report, after: Report, fixed: list[Finding]) -> bool:
    """Whether what was fixed is gone, nothing new has come, and the module can be called.

    A new warning counts on a line that was changed: elsewhere, the error had hidden it.
    """
    if after.exit_code == 2:
        return False
    known, left = Counter(map(_key, before.findings)), Counter(map(_key, after.findings))
    if any(left[key] >= known[key] for key in set(map(_key, fixed))):
        return False
    written = {line.strip() for f in fixed for e in f.edits for line in e.after.splitlines()}
    uncovered = {(UNCOVERED.get(Code(finding.code), ""), finding.where) for finding in fixed}
    new = [f for f in after.findings if left[_key(f)] > known[_key(f)]]
    new = [f for f in new if f.severity == "error" or f.source_line in written]
    return {(finding.code, finding.where) for finding in new} <= uncovered


def _key(finding: Finding) -> tuple[str, str]:
    """What tells it from others, whatever the number of its line is by now."""
    is_line = finding.where.startswith("line ")
    return finding.code, finding.source_line if is_line else finding.where
