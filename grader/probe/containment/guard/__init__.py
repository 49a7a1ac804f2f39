"""Keeps the probe apart from the learner's code, though both share a process.

    learner_thread  runs the learner's code where no frame leads to the probe
    concealment     hides the grader's modules from it
    requests        refuses what leads to the probe or the machine past both
    namespaces      whether a name that can change a verdict was bound to something else
    kernels         refuses kernels for PyTorch's own operators
    threads         whether the code still runs when it should have returned

Only graded probes have guards: an author who audits a module has no reason to deceive.
docs/isolation.md says what remains possible.

A call of the learner's code runs as follows (`stand_guard`):

1. Turn garbage collection on.
2. Run the code in the learner's thread, and wait for it.
3. Turn garbage collection off: it could run a finaliser of the learner's in the probe's thread.
4. Check that no watched name is bound to something else, and look for threads that still run.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import NoReturn

from grader.probe.containment.guard.concealment import conceal
from grader.probe.containment.guard.kernels import refuse_kernels
from grader.probe.containment.guard.learner_thread import learner_thread
from grader.probe.containment.guard.namespaces import Changed, snapshot
from grader.probe.containment.guard.requests import refuse_requests
from grader.probe.containment.guard.threads import watch_for_threads
from grader.probe.running import Runner

# Taken before the fork: reading thousands of names in the child would write to their reference
# counts, and so copy the pages that they are on.
_taken_before: list[Changed] = []


def take_snapshot() -> None:
    """Take the snapshot that the guards in forks of this process compare with."""
    _taken_before[:] = [snapshot()]


def renew_snapshot() -> None:
    """Before a fork: take the snapshot again if a name has changed, as after a lazy import."""
    if any(changed() for changed in _taken_before):
        take_snapshot()


def stand_guard(
    report: Callable[[str, str], NoReturn], note: Callable[[str, int], None], files: frozenset[str]
) -> tuple[Runner, Callable[[], None]]:
    """Set up the guards, for good: in a process that runs nothing else afterwards.

    Args:
        report: called with what was tampered with, and the name that was bound again, if any; it
            ends the process.
        note: called with what was refused, and the learner's line.
        files: the learner's.

    Returns:
        what runs the learner's code (see `learner_thread`), and what ends the process where a name
        that can change a verdict was bound again.
    """
    changed = _taken_before.pop() if _taken_before else snapshot()
    do_not_collect = gc.disable

    def end() -> None:
        do_not_collect()
        check()
        if what := running():
            report(f"{what} was left running", "")

    def check() -> None:
        if name := changed():
            report(f"`{name}` was replaced", name)

    run, thread = learner_thread(gc.enable, end)
    running = watch_for_threads(threading.get_ident(), thread.ident)
    refuse_kernels()
    refuse_requests(note, files)
    conceal()
    # asyncio, signal handlers of libraries and plots ask whether they are in the main thread.
    thread.name = "MainThread"
    vars(threading)["_main_thread"] = thread
    return run, check
