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
from dataclasses import replace

from grader.classroom.grading.marking import GradingJob
from grader.classroom.results.ledger import Outcome

FIRST_SECONDS = 5.0  # most answers take less than one; a GPU's driver may need three to start


class Schedule:
    """What waits for a worker. Jobs are taken one ahead, to know whether another waits."""

    def __init__(self, jobs: Iterable[GradingJob]) -> None:
        self._coming = iter(jobs)
        self._next = next(self._coming, None)
        self._again: deque[GradingJob] = deque()
        self._last: deque[GradingJob] = deque()

    def take(self) -> GradingJob | None:
        """The job for a free worker; None if there is none."""
        if self._again:
            job = self._again.popleft()
        elif self._next:
            job, self._next = self._next, next(self._coming, None)
            if self._next:
                job = replace(job, limit=min(FIRST_SECONDS, job.seconds))
        elif self._last:
            job = self._last.popleft()
        else:
            return None
        return replace(job, tries=job.tries + 1)

    def put_back(self, job: GradingJob) -> None:
        """Keep a job whose worker was lost, for another worker."""
        self._again.append(job)

    def sets_aside(self, job: GradingJob, result: Outcome) -> bool:
        """Whether the short limit stopped a job; then its result is void, and it comes last."""
        if not result.timed_out or not 0 < job.limit < job.seconds:
            return False
        self._last.append(replace(job, limit=0.0, tries=0))
        return True
