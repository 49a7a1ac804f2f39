"""Keeps the probe apart from the learner's code, though both share a process.

    learner_thread  runs the learner's code where no frame leads to the probe
    concealment     hides the grader's modules from it
    requests        refuses what leads to the probe or the machine past both
    namespaces      whether a name that can change a verdict was bound to something else
    cells           whether a closure holds something else than it did
    hooks           takes the learner's hooks out of Python while the probe runs
    kernels         refuses kernels for PyTorch's own operators
    threads         whether the code still runs when it should have returned
    spoofing        whether a module or tensor says of itself what is not so

Only graded probes have guards: an author who audits a module has no reason to deceive.
docs/isolation.md says what remains possible.

A call of the learner's code runs as follows (`stand_guard`):

1. Check that no watched name is bound to something else.
2. Put the learner's hooks in place, and turn garbage collection on.
3. Run the code in the learner's thread, and wait for it.
4. Turn garbage collection off: it could run a finaliser of the learner's among the probe's frames.
5. Check the names again, put the probe's hooks back, and look for threads that still run.
"""

from __future__ import annotations

import gc
import threading
from collections import namedtuple
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn, _caller  # type: ignore[attr-defined]

from grader.probe.containment.guard.concealment import conceal, hidden_modules
from grader.probe.containment.guard.hooks import swapped_hooks
from grader.probe.containment.guard.learner_thread import learner_thread
from grader.probe.containment.guard.namespaces import Changed, snapshot
from grader.probe.containment.guard.requests import refuse_requests
from grader.probe.containment.guard.spoofing import spoofed_by_module, spoofed_by_value
from grader.probe.containment.guard.threads import watch_for_threads
from grader.probe.inspection.exceptions import frames_of
from grader.probe.running import Runner, TamperedError

# Taken before the fork: reading thousands of names in the child would write to their reference
# counts, and so copy the pages that they are on.
_taken_before: list[tuple[Changed, tuple[str, ...]]] = []


def take_snapshot() -> None:
    """Take the snapshot that the guards in forks of this process compare with."""
    _taken_before[:] = [(snapshot(), hidden_modules())]


def renew_snapshot() -> None:
    """Before a fork: take the snapshot again if a name has changed, as after a lazy import."""
    if any(changed() for changed, _ in _taken_before):
        take_snapshot()


@dataclass(frozen=True)
class StandingGuard:
    """The guard of a graded probe.

    Attributes:
        run: `run(action)` runs the learner's code; see `learner_thread`.
        check: ends the process where a name that can change a verdict was bound again.
    """

    run: Runner
    check: Callable[[], None]

    def look(self, module: Any = None, returned: Any = None) -> None:
        """Raise TamperedError if the module, or a value that its code returned, spoofs its type."""
        wrong = spoofed_by_module(module, self.run) if module is not None else ""
        if wrong := wrong or spoofed_by_value(returned, self.run):
            raise TamperedError(wrong)


def stand_guard(
    report: Callable[[str, str], NoReturn], note: Callable[[str, int], None], files: frozenset[str]
) -> StandingGuard:
    """Set up the guards, for good: in a process that runs nothing else afterwards.

    Args:
        report: called with what was tampered with, and the name that was bound again, if any; it
            ends the process.
        note: called with what was refused, and the learner's line.
        files: the learner's.
    """
    restore_learners_hooks, restore_probes_hooks = swapped_hooks()
    changed, hidden = _taken_before.pop() if _taken_before else (snapshot(), hidden_modules())
    collect, do_not_collect = gc.enable, gc.disable

    def begin() -> None:
        check()
        restore_learners_hooks()
        collect()

    def end() -> None:
        do_not_collect()
        check()
        restore_probes_hooks()
        if what := running():
            report(f"{what} was left running", "")

    def check() -> None:
        if name := changed():
            report(f"`{name}` was replaced", name)

    thread = learner_thread(begin, end)
    running = watch_for_threads(threading.get_ident(), thread.number)
    looks = (thread.run, running, frames_of, namedtuple, _caller)
    refuse_requests(note, files, (function.__code__ for function in looks))
    conceal(hidden)
    # asyncio, signal handlers of libraries and plots ask whether they are in the main thread.
    thread.thread.name = "MainThread"
    vars(threading)["_main_thread"] = thread.thread
    return StandingGuard(thread.run, check)
