"""Sees what a learner's code asks of Python, through the audit hook that no code can take out.

Who asks is told by the file that the asking code stands in. What a library asks for itself is no
concern, but a library that only passes a learner's question on is looked through.
"""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

from grader.probe.guard.library import PLACES

Report = Callable[[str], Any]
Handler = Callable[[Any, str, tuple[Any, ...]], None]
Handlers = dict[str, Handler]
Asks = Callable[[Any, str], bool]

FRAMES = "the frames of the running program were looked into (`{}`)"
OBJECTS = "the objects of the running program were looked through (`{}`)"
MEMORY = "memory was reached past Python (`{}`)"
WATCHING = "the running program was put under observation (`{}`)"
ASKED = {
    "sys._getframe": FRAMES,
    "sys._current_frames": FRAMES,
    "sys._current_exceptions": FRAMES,
    "gc.get_objects": OBJECTS,
    "gc.get_referrers": OBJECTS,
    "gc.get_referents": OBJECTS,
    "sys.addaudithook": WATCHING,
    "sys.settrace": WATCHING,
    "sys.setprofile": WATCHING,
    "sys.monitoring.register_callback": WATCHING,
    "cpython.PyInterpreterState_New": "a second interpreter was started (`{}`)",
}
REACHED = (
    "ctypes.dlopen", "ctypes.dlsym", "ctypes.dlsym/handle", "ctypes.cdata", "ctypes.cdata/buffer",
    "ctypes.addressof", "ctypes.call_function", "ctypes.string_at", "ctypes.PyObj_FromPtr",
)  # fmt: skip
FRAMES_OF = frozenset(("tb_frame", "gi_frame", "cr_frame", "ag_frame"))
CODE_OF = frozenset(("__code__", "__defaults__", "__kwdefaults__"))
PASS_ON = frozenset(
    (
        "walk_stack", "walk_tb", "currentframe", "stack", "trace", "getouterframes",
        "getinnerframes", "getframeinfo",
    )
)  # fmt: skip
PRINTS_THEM = "/traceback.py"
NO_PROGRAMS = "No other program is started while an answer is graded."
NO_NETWORK = "There is no network while an answer is graded."
REFUSED = {
    "subprocess.Popen": NO_PROGRAMS,
    "os.system": NO_PROGRAMS,
    "os.exec": NO_PROGRAMS,
    "os.posix_spawn": NO_PROGRAMS,
    "os.spawn": NO_PROGRAMS,
    "os.startfile": NO_PROGRAMS,
    "pty.spawn": NO_PROGRAMS,
    "socket.connect": NO_NETWORK,
    "socket.bind": NO_NETWORK,
    "socket.sendto": NO_NETWORK,
    "socket.sendmsg": NO_NETWORK,
    "socket.getaddrinfo": NO_NETWORK,
    "socket.gethostbyname": NO_NETWORK,
    "socket.gethostbyaddr": NO_NETWORK,
}
TOUCHED = frozenset(
    (
        "open", "os.listdir", "os.scandir", "os.rename", "os.remove", "os.link", "os.symlink",
        "os.truncate", "os.chmod", "shutil.copyfile", "shutil.copytree", "shutil.rmtree",
        "shutil.move",
    )
)  # fmt: skip
GRADER = Path(__file__).parents[2]
PROCESSES = re.compile(r"/proc/(self|thread-self|\d+)/(task|fd|fdinfo|mem|maps|environ|root|cwd)\b")


def watch(report: Report, own_files: frozenset[str], beginning: CodeType) -> None:
    """Watch this process from now on, for good.

    Args:
        report: told what was asked; it ends the process.
        beginning: the function of ours from which on the learner's code is called.
        own_files: what the learner's code may open wherever it lies.
    """
    handlers = _handlers(report, _foreign(beginning), _is_answer(own_files))
    find, _getframe, frames_of = handlers.get, sys._getframe, FRAMES_OF

    def hook(event: str, args: tuple[Any, ...]) -> None:
        handler = find(event)
        if handler is None or (event == "object.__getattr__" and args[1] not in frames_of):
            return
        if event != "sys._getframe" or args[0].f_code is not own_code:  # our own question
            handler(_getframe(0).f_back, event, args)

    own_code = hook.__code__
    _keep_frames_from_handlers()
    sys.addaudithook(hook)


def _handlers(report: Report, foreign: Asks, is_answer: Callable[[Any], bool]) -> Handlers:
    """What to do about each event.

    All that handlers use is bound inside a function: the names of this module can be bound anew.
    """
    return {
        **_of_the_program(report, foreign),
        **_of_memory(report),
        **_of_the_machine(report, foreign),
        **_of_files(report, is_answer),
    }


def _of_the_program(report: Report, foreign: Asks) -> Handlers:
    asked, places, code_of, text = dict(ASKED), PLACES, CODE_OF, str

    def ask(frame: Any, event: str, args: tuple[Any, ...]) -> None:
        if foreign(frame, event.rpartition(".")[2]):
            report(asked[event].format(event))

    def get(frame: Any, event: str, args: tuple[Any, ...]) -> None:
        if foreign(frame, args[1]):
            report(FRAMES.format(args[1]))

    def put(frame: Any, event: str, args: tuple[Any, ...]) -> None:
        changed = args[1] in code_of and args[0].__code__.co_filename.startswith(places)
        if changed and foreign(frame, args[1]):
            report(f"`{args[0].__name__}` was given other code (`{args[1]}`)")

    def compiled(frame: Any, event: str, args: tuple[Any, ...]) -> None:
        if type(args[1]) is text and args[1].startswith(places) and foreign(frame, event):
            report("code was given the name of a library's file")

    handlers: Handlers = dict.fromkeys(asked, ask)
    handlers |= dict.fromkeys(("compile", "code.__new__"), compiled)
    return handlers | {"object.__getattr__": get, "object.__setattr__": put}


def _of_memory(report: Report) -> Handlers:
    places = PLACES

    def reach(frame: Any, event: str, args: tuple[Any, ...]) -> None:
        while "/ctypes/" in frame.f_code.co_filename and frame.f_back is not None:
            frame = frame.f_back
        if not frame.f_code.co_filename.startswith(places):
            report(MEMORY.format(event))

    return dict.fromkeys(REACHED, reach)


def _of_the_machine(report: Report, foreign: Asks) -> Handlers:
    refused, denied, pid = dict(REFUSED), PermissionError, os.getpid()

    def refuse(frame: Any, event: str, args: tuple[Any, ...]) -> None:
        raise denied(refused[event])

    def fork(frame: Any, event: str, args: tuple[Any, ...]) -> None:
        if foreign(frame, event.rpartition(".")[2]):
            report(f"another process was started (`{event}`)")
        raise denied(NO_PROGRAMS)

    def kill(frame: Any, event: str, args: tuple[Any, ...]) -> None:
        if event == "os.killpg" or args[0] != pid:
            report(f"a signal was sent to another process (`{event}`)")

    handlers: Handlers = dict.fromkeys(refused, refuse)
    handlers |= dict.fromkeys(("os.fork", "os.forkpty"), fork)
    return handlers | dict.fromkeys(("os.kill", "os.killpg"), kill)


def _of_files(report: Report, is_answer: Callable[[Any], bool]) -> Handlers:
    text = str

    def touch(frame: Any, event: str, args: tuple[Any, ...]) -> None:
        for path in args[:2]:
            if is_answer(path):
                report(f"what no answer needs was opened (`{text(path)}`)")

    return dict.fromkeys(TOUCHED, touch)


def _foreign(beginning: CodeType) -> Asks:
    """Whether the learner's code asks for a name, itself or through what only passes it on."""
    places, pass_on, prints_them = PLACES, PASS_ON, PRINTS_THEM

    def foreign(frame: Any, name: str) -> bool:
        while frame is not None:
            code = frame.f_code
            if code is beginning:
                return False
            if not code.co_filename.startswith(places):
                return True
            if code.co_name not in pass_on:
                if name in code.co_names or name in code.co_freevars:
                    return False
                if code.co_filename.endswith(prints_them):
                    return False
            name, frame = code.co_name, frame.f_back
        return False

    return foreign


def _is_answer(own_files: frozenset[str]) -> Callable[[Any], bool]:
    """Whether a path leads to answers, or into processes."""
    answers, search, real, fspath = _answers(), PROCESSES.search, os.path.realpath, os.fspath

    def is_answer(path: Any) -> bool:
        try:
            path = fspath(path)
            path = path.decode() if type(path) is bytes else path
            where = real(path)
        except Exception:  # a descriptor, or no path at all
            return False
        if where in own_files:
            return False
        return where.startswith(answers) or bool(search(where) or search(path))

    return is_answer


def _answers() -> tuple[str, ...]:
    """Where the answers are, and what else would give them away."""
    course = GRADER.parent
    folders = (GRADER / "rubrics" / "0", GRADER / "rubrics" / "1", GRADER / "starters.json")
    # A wheel carries the course inside the package.
    others = (
        course / "solutions",
        course / "tests" / "variants",
        GRADER / "course" / "solutions",
    )
    return tuple(str(each) for each in (*folders, *others))


def _keep_frames_from_handlers() -> None:
    """A handler is given the frame that it interrupts, be it the probe's, without being asked."""
    handlers: Any = signal
    space = handlers._signal  # what `signal.signal` asks in turn
    genuine = space.signal

    def set_handler(number: int, handler: Any) -> Any:
        if not callable(handler) or handler is space.default_int_handler:
            return genuine(number, handler)
        return genuine(number, lambda number, frame: handler(number, None))

    space.signal = set_handler
