"""Processes that grade side by side, one for each processor."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor

from grader.probe.containment.child import use_one_thread
from grader.probe.containment.supervisor import how_to_start


def process_pool(jobs: int | None = None) -> ProcessPoolExecutor:
    """Processes of one thread each.

    Args:
        jobs: how many processes; one for each processor, unless given.
    """
    return ProcessPoolExecutor(jobs or os.cpu_count(), how_to_start(), use_one_thread)
