"""Processes that grade side by side, one for each processor."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor

import torch

from grader.containment.supervisor import how_to_start


def process_pool(jobs: int | None = None) -> ProcessPoolExecutor:
    """Processes of one thread each.

    OpenMP's threads do not survive a fork: in a child that still counts on them, the first
    operator that uses several waits for ever.

    Args:
        jobs: how many processes; one for each processor, unless given.
    """
    number = jobs or os.cpu_count()
    return ProcessPoolExecutor(
        number, how_to_start(), initializer=torch.set_num_threads, initargs=(1,)
    )
