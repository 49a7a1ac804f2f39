"""In which order a batch grades, and how long each submission may take.

1. While others wait for a worker, a submission may take `FIRST_SECONDS`.
2. One that takes longer, such as an endless loop, is stopped and set aside.
3. When nothing else waits, those set aside are graded from the start with the whole limit, as many
   at a time as there are workers.

The limit counts seconds by the clock, so a slow answer that shared its core with loops could fail.
More loops at a time than cores would also gain nothing: each burns a core until its time is up.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from grader.classroom.grading.marking import GradingJob
from grader.classroom.results.ledger import Outcome

FIRST_SECONDS = 5.0  # most answers take less than one; a GPU's driver may need three to start

T = TypeVar("T")


@dataclass(frozen=True)
class ScheduledJob(Generic[T]):
    """Something to grade, and what the caller knows it by.

    Attributes:
        job: with the seconds that it may take this time.
        seconds: the whole limit.
        tries: how many workers got it.
    """

    about: T
    job: GradingJob
    seconds: float
    tries: int = 0


class Schedule(Generic[T]):
    """What waits for a worker. Jobs are taken one ahead, to know whether another waits."""

    def __init__(self, jobs: Iterable[tuple[T, GradingJob]]) -> None:
        self._coming = (ScheduledJob(about, job, job.seconds) for about, job in jobs)
        self._next = next(self._coming, None)
        self._again: deque[ScheduledJob[T]] = deque()
        self._last: deque[ScheduledJob[T]] = deque()

    def take(self) -> ScheduledJob[T] | None:
        """The task for a free worker; None if there is none."""
        if self._again:
            task = self._again.popleft()
        elif self._next:
            task, self._next = self._next, next(self._coming, None)
            if self._next:
                task = _with_limit(task, min(FIRST_SECONDS, task.seconds))
        elif self._last:
            task = self._last.popleft()
        else:
            return None
        return replace(task, tries=task.tries + 1)

    def put_back(self, task: ScheduledJob[T]) -> None:
        """Keep a task whose worker was lost, for another worker."""
        self._again.append(task)

    def sets_aside(self, task: ScheduledJob[T], result: Outcome) -> bool:
        """Whether the short limit stopped a task; then its result is void, and it comes last."""
        if not result.timed_out or task.job.seconds >= task.seconds:
            return False
        self._last.append(replace(_with_limit(task, task.seconds), tries=0))
        return True


def _with_limit(task: ScheduledJob[T], seconds: float) -> ScheduledJob[T]:
    return replace(task, job=replace(task.job, seconds=seconds))
