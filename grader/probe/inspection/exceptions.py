"""What was raised, and the deepest line of the learner's files on the way to it."""

from __future__ import annotations

import linecache
import re
from collections.abc import Iterator
from operator import call
from types import FrameType, TracebackType

from grader.probe.inspection.frames import At
from grader.probe.inspection.sites import scope_of, site_of
from grader.probe.inspection.source import NOWHERE, Position, Runner, name_of_class, readable
from grader.schema import Raised

_CAUSE = vars(BaseException)["__cause__"].__get__
_CONTEXT = vars(BaseException)["__context__"].__get__
_SCRIPT = "Traceback of TorchScript"
_OF_A_SCRIPT = re.compile(r'^\s*File "(.+)", line (\d+)', re.MULTILINE)
_OF_A_TRACE = re.compile(r"^(.+)\((\d+)\): \S+$", re.MULTILINE)


def describe_exception(error: BaseException, files: set[str], run: Runner = call) -> Raised:
    """Type and message of an exception, and the deepest line of `files` that it passed through.

    Args:
        error: what was raised.
        files: the learner's.
        run: runs the learner's code, such as the error's `__str__`.
    """
    kind, text = readable(name_of_class(type(error))), _message_of(error, run)
    own = [(f, at) for f, at in frames_of(error.__traceback__) if at.position[0] in files]
    deepest = own[-1][1].position if own else NOWHERE
    if isinstance(error, SyntaxError) and error.filename in files:
        deepest = error.filename or "", error.lineno or 0
    file, line = _location_in_script(text, files) or deepest
    code = linecache.getline(file, line).strip() if line else ""
    if _SCRIPT in text:  # between its first line and its last there may be hundreds
        text = "\n".join(text.strip().splitlines()[:: max(1, text.strip().count("\n"))])
    site = site_of(own[-1][1], scope_of(own[-1][0])) if own else None
    return Raised(kind, readable(text), line, readable(code), file=file, site=site)


def causes_of(error: BaseException) -> Iterator[BaseException]:
    """`error`, what it was raised from, and what was being handled when it was raised; each once.

    Read past the exception's class, whose `__cause__` may run the learner's code.
    """
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        found = waiting.pop(0)
        if found is not None and id(found) not in seen:
            seen.add(id(found))
            yield found
            waiting += [_CAUSE(found), _CONTEXT(found)]


def _message_of(error: BaseException, run: Runner) -> str:
    """`str(error)`, or what that raised: a learner's exception may have a broken `__str__`."""
    try:
        return str(run(lambda: str(error)))
    except (Exception, SystemExit, KeyboardInterrupt, GeneratorExit) as fault:
        return f"(its `__str__` raised {readable(name_of_class(type(fault)))})"


def _location_in_script(message: str, files: set[str]) -> Position | None:
    """The learner's deepest line that TorchScript names; a script's last one, a trace's first."""
    if _SCRIPT not in message:
        return None
    traced = _OF_A_TRACE.findall(message)
    named = [
        (file, int(line)) for file, line in (*reversed(traced), *_OF_A_SCRIPT.findall(message))
    ]
    return next((position for position in reversed(named) if position[0] in files), None)


def traceback_locations(traceback: TracebackType | None) -> Iterator[Position]:
    """The file and line of each frame that an exception passed through, outermost first."""
    return (here.position for _, here in frames_of(traceback))


def frames_of(traceback: TracebackType | None) -> Iterator[tuple[FrameType, At]]:
    """The frames that an exception passed through, outermost first, each with where it was."""
    while traceback is not None:
        frame = traceback.tb_frame
        yield frame, At(frame.f_code, traceback.tb_lasti, traceback.tb_lineno)
        traceback = traceback.tb_next
