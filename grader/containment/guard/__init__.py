"""Keeps the probe apart from the learner's code, though both share a process.

    learner_thread  runs the learner's code where no frame leads to the probe
    concealment     hides the grader's modules from it
    requests        refuses what leads to the probe or the machine past both
    namespaces      whether a name that can change a verdict was bound to something else
    hooks           takes the learner's hooks out of Python while the probe runs
    kernels         refuses kernels for PyTorch's own operators
    threads         whether the code still runs when it should have returned
    spoofing        whether a module or tensor says of itself what is not so

They stand only where there are marks to be had: who audits a module of their own has no reason to
deceive. docs/isolation.md says what remains possible.
"""

from __future__ import annotations

import gc
import threading
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn, _caller  # type: ignore[attr-defined]

from grader.containment.guard.concealment import conceal, hidden_modules
from grader.containment.guard.hooks import swapped_hooks
from grader.containment.guard.learner_thread import learner_thread
from grader.containment.guard.namespaces import Changed, snapshot
from grader.containment.guard.requests import refuse_requests
from grader.containment.guard.spoofing import false_claim_of_module, false_claim_of_value
from grader.containment.guard.threads import left_running
from grader.inspection.source import traceback_places
from grader.probe.running import Run, TamperedError

# Taken in a process whose copies probe: to look at thousands of names would copy their memory.
_taken_before: list[tuple[Changed, tuple[str, ...]]] = []


def take_snapshot() -> None:
    """Remember the namespaces as they are now, for the guards in copies of this process."""
    _taken_before[:] = [(snapshot(), hidden_modules())]


def renew_snapshot() -> None:
    """Before a copy is made: take the snapshot again if it was taken and holds no longer."""
    if any(changed() for changed, _ in _taken_before):
        take_snapshot()


@dataclass(frozen=True)
class StandingGuard:
    """The guard that stands where there are marks to be had.

    Attributes:
        run: `run(action, mode=None)` runs the learner's code; see `learner_thread`.
        check: ends the process where a name that can change a verdict was bound again.
    """

    run: Run
    check: Callable[[], None]

    def look(self, module: Any = None, returned: Any = None) -> None:
        """Raise TamperedError where the module, or what its code gave, says what is not so."""
        wrong = false_claim_of_module(module, self.run) if module is not None else ""
        if wrong := wrong or false_claim_of_value(returned, self.run):
            raise TamperedError(wrong)


def stand_guard(
    report: Callable[[str, str], NoReturn], note: Callable[[str, int], None], files: frozenset[str]
) -> StandingGuard:
    """Put the guards up, for good.

    Args:
        report: called with what was tampered with, and the name that was bound again, if any; it
            ends the process.
        note: called with what was refused, and the learner's line.
        files: the learner's.
    """
    theirs, ours = swapped_hooks()
    changed, hidden = _taken_before.pop() if _taken_before else (snapshot(), hidden_modules())
    collect, do_not_collect = gc.enable, gc.disable

    def begin() -> None:
        check()
        theirs()
        collect()

    def end() -> None:
        do_not_collect()  # it could run a finaliser of the learner's among the probe's frames
        check()
        ours()
        if what := running():
            report(f"{what} was left running", "")

    def check() -> None:
        if name := changed():
            report(f"`{name}` was replaced", name)

    thread = learner_thread(begin, end)
    running = left_running(threading.get_ident(), thread.number)
    looks = (thread.run, running, traceback_places, namedtuple, _caller)
    refuse_requests(note, files, (each.__code__ for each in looks))
    conceal(hidden)
    # asyncio, signal handlers of libraries and plots ask whether they are in the main thread.
    thread.thread.name = "MainThread"
    vars(threading)["_main_thread"] = thread.thread
    return StandingGuard(thread.run, check)
