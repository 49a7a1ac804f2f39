"""Searches for the values of parameters: a change that gets a failing call farther is kept."""

from __future__ import annotations

import linecache
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from traceback import walk_tb

GRADER = str(Path(__file__).parents[3])
MOST_TRIALS = 200

Values = dict[str, str]  # Python source by the name of a parameter
Candidates = Mapping[str, Sequence[str]]  # the likeliest first


@dataclass(frozen=True)
class FailedTrial:
    """What a trial raised, and how many of its steps succeeded, such as building a module."""

    error: Exception
    stage: int = 0

    @property
    def reach(self) -> tuple[int, ...]:
        """How far it got: the stage, and the lines of the failing calls, the outermost first."""
        return self.stage, *(line for _, line in self._lines)

    @property
    def words(self) -> set[str]:
        """The words of the message and of the lines that failed."""
        lines = (linecache.getline(file, line) for file, line in self._lines)
        return set(re.findall(r"\w+", " ".join((str(self.error), *lines))))

    @property
    def _lines(self) -> Iterator[tuple[str, int]]:
        for frame, line in walk_tb(self.error.__traceback__):
            file = frame.f_code.co_filename
            if not file.startswith(GRADER) and file != "<string>":
                yield file, line


Trial = Callable[[Values], FailedTrial | None]


def written(values: Mapping[str, str]) -> str:
    """The values as they stand between the parentheses of a call."""
    return ", ".join(f"{name}={value}" for name, value in values.items())


def climbed(
    values: Values, candidates: Candidates, trial: Trial, seconds: float
) -> tuple[Values, FailedTrial | None]:
    """The values that get farthest, and why they fail; None if they succeed.

    The first change that gets farther is kept, and the search goes on from there. Changes are
    candidates of the parameters that the error or the failing lines name, optional ones too, then
    those of the others.
    """
    ends = time.process_time() + seconds
    failure, tried = trial(values), [values]
    while failure is not None:
        for changed in _changes(values, candidates, failure):
            if len(tried) >= MOST_TRIALS or time.process_time() > ends:
                return values, failure
            if changed in tried:
                continue
            tried.append(changed)
            after = trial(changed)
            adds_several = len(changed) > len(values) + 1  # what was missing: the call may begin
            if after is None or adds_several or after.reach > failure.reach:
                values, failure = changed, after
                break
        else:
            return values, failure
    return values, None


def _changes(values: Values, candidates: Candidates, failure: FailedTrial) -> Iterator[Values]:
    words = failure.words
    named = [name for name in candidates if name in words]
    missing = [name for name in named if name not in values and candidates[name]]
    if missing and "missing" in words and isinstance(failure.error, TypeError):
        yield values | {name: candidates[name][0] for name in missing}
    for name in (*named, *(name for name in values if name not in named)):
        for value in candidates.get(name, ()):
            yield values | {name: value}
