"""Refuses requests to Python that no answer needs, through an audit hook (PEP 578).

No code can remove an audit hook. By event:

| events | threat |
| --- | --- |
| `OBJECTS` | find the probe's objects, such as the channel's key, among all objects |
| `OF_ALL_THREADS`, `OF_THIS_THREAD` | read the local variables of the probe's frames |
| `HOOKS`, `sys.monitoring` | run code of the learner's in the middle of the probe's |
| `REACHED` (ctypes) | read or write memory by address |
| `import` of an extension, `ctypes.dlopen` | the same, by compiled code |
| `PROGRAMS`, `NETWORK`, `os.kill` | act beyond the process, or outlive it |
| `compile`, `code.__new__`, `object.__setattr__` | pass code off as a library's, which is trusted |
| `FILES` | read solutions and rubrics, or other processes through /proc |

A refusal is an exception that says why. It is no accusation: it is noted with the learner's line,
for a person to look at, unless a library asks while it is imported; and the code goes on as after
any exception. What is refused leads from the learner's code to the probe (the objects of the whole
program, frames of other threads, memory), to the machine (programs, the network, other processes),
or to files with answers.

An audit hook knows what is asked, and in which thread. Frames are harmless in the learner's thread,
where no caller is the probe's. In the probe's own thread, code of the learner's may still run, as a
finaliser or an `__eq__`: there nobody but the probe may look at frames.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Callable, Iterable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import BuiltinMethodType, CodeType, FrameType
from typing import Any

from grader.probe.inspection.library import LIBRARY_PREFIXES

Handler = Callable[[str, tuple[Any, ...], FrameType], str]
"""Why a request is refused; `""` if it is not."""

NO_OBJECTS = "The objects of the whole program cannot be searched while an answer is graded."
NO_FRAMES = "The frames of other threads cannot be looked into while an answer is graded."
NO_HOOKS = "The program cannot be put under observation while an answer is graded."
NO_MEMORY = "Memory cannot be reached past Python while an answer is graded."
NO_PROGRAMS = "No other program or process can be started while an answer is graded."
NO_SIGNALS = "No signal can be sent to another process while an answer is graded."
NO_NETWORK = "There is no network while an answer is graded."
NO_NATIVE = "Compiled code cannot be handed in: `{}`."
NO_BYTECODE = "Only source is read."  # not noted: Python itself looks for it, and goes on without
NO_CODE = "Code cannot be given the name of a library's file, nor a library's function other code."
NO_FILE = "An answer may not open `{}`."

OBJECTS = ("gc.get_objects", "gc.get_referrers", "gc.get_referents")
OF_ALL_THREADS = ("sys._current_frames", "sys._current_exceptions")
OF_THIS_THREAD = ("sys._getframe", "sys.settrace", "sys.setprofile", "object.__getattr__")
HOOKS = ("sys.addaudithook", "sys.remote_exec", "cpython.PyInterpreterState_New")
REACHED = (
    "ctypes.dlopen", "ctypes.dlsym", "ctypes.dlsym/handle", "ctypes.cdata", "ctypes.cdata/buffer",
    "ctypes.addressof", "ctypes.call_function", "ctypes.string_at", "ctypes.PyObj_FromPtr",
)  # fmt: skip
PROGRAMS = (
    "subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile",
    "pty.spawn", "os.fork", "os.forkpty",
)  # fmt: skip
NETWORK = (
    "socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo",
    "socket.gethostbyname", "socket.gethostbyaddr",
)  # fmt: skip
FILES = (
    "open", "os.listdir", "os.scandir", "os.rename", "os.remove", "os.link", "os.symlink",
    "os.truncate", "os.chmod", "shutil.copyfile", "shutil.copytree", "shutil.rmtree", "shutil.move",
)  # fmt: skip
FRAMES_OF = frozenset(("tb_frame", "gi_frame", "cr_frame", "ag_frame"))
CODE_OF = frozenset(("__code__", "__defaults__", "__kwdefaults__"))
GRADER = Path(__file__).parents[3]
PROCESSES = re.compile(r"/proc/(self|thread-self|\d+)/(task|fd|fdinfo|mem|maps|environ|root|cwd)\b")


def refuse_requests(
    note: Callable[[str, int], None], own_files: frozenset[str], looks: Iterable[CodeType]
) -> None:
    """Install the audit hook.

    Args:
        note: called with what was refused, and the learner's line that asked for it.
        own_files: what the learner's code may open wherever it lies, and how its code is called.
        looks: code of the functions that may look at frames: the probe's own, and the standard
            library's that the probe calls.
    """
    handlers = _handlers(own_files, tuple(looks))
    find, getframe, frames_of = handlers.get, sys._getframe, FRAMES_OF
    denied, unnoted, of_library = PermissionError, NO_BYTECODE, _by_an_import()

    def hook(event: str, args: tuple[Any, ...]) -> None:
        handler = find(event)
        if handler is None or (event == "object.__getattr__" and args[1] not in frames_of):
            return
        if event == "sys._getframe" and args[0].f_code is own_code:  # the `getframe(0)` below
            return
        frame: Any = getframe(0).f_back
        why = handler(event, args, frame)
        if why:
            if why is not unnoted and not of_library(frame):
                note(f"{why} (`{event}`)", line_of(frame))
            raise denied(why)

    def line_of(frame: Any) -> int:
        while frame is not None:
            if frame.f_code.co_filename in own_files:
                return int(frame.f_lineno)
            frame = frame.f_back
        return 0

    own_code = hook.__code__
    sys.addaudithook(hook)


def _handlers(own_files: frozenset[str], looks: tuple[CodeType, ...]) -> dict[str, Handler]:
    """The handler of each event.

    All that a handler uses is bound in the function that makes it: the learner's code can assign to
    this module's names.
    """
    frames = _frames(looks)
    return {
        **dict.fromkeys(OBJECTS, _always(NO_OBJECTS)),
        **dict.fromkeys((*OF_ALL_THREADS, *OF_THIS_THREAD), frames),
        **dict.fromkeys(HOOKS, _always(NO_HOOKS)),
        **dict.fromkeys(PROGRAMS, _always(NO_PROGRAMS)),
        **dict.fromkeys(NETWORK, _always(NO_NETWORK)),
        **dict.fromkeys(("os.kill", "os.killpg"), _kill()),
        **dict.fromkeys(REACHED, _memory()),
        **dict.fromkeys(("compile", "code.__new__", "object.__setattr__"), _code()),
        **dict.fromkeys(FILES, _files(own_files)),
        "sys.monitoring.register_callback": _monitoring(),
        "import": _native(),
    }


def _by_an_import() -> Callable[[Any], bool]:
    """Whether a library asks while it is imported, as matplotlib asks `fc-list` for fonts."""
    library_prefixes, begins_with = LIBRARY_PREFIXES, str.startswith

    def by_an_import(frame: Any) -> bool:
        while frame is not None and begins_with(frame.f_code.co_filename, library_prefixes):
            if frame.f_code.co_name == "<module>":
                return True
            frame = frame.f_back
        return False

    return by_an_import


def _always(why: str) -> Handler:
    return lambda event, args, frame: why


def _frames(looks: tuple[CodeType, ...]) -> Handler:
    """Only `looks` may see the probe's thread's frames; other threads may see their own."""
    this_thread, probes_thread, everywhere = (
        threading.get_ident,
        threading.get_ident(),
        OF_ALL_THREADS,
    )
    why = NO_FRAMES

    def frames(event: str, args: tuple[Any, ...], frame: FrameType) -> str:
        if this_thread() != probes_thread:
            return why if event in everywhere else ""
        for code in looks:
            if frame.f_code is code:
                return ""
        return why

    return frames


def _monitoring() -> Handler:
    """`sys.monitoring` sees every thread; cProfile only counts with it."""
    kind, why = BuiltinMethodType, NO_HOOKS

    def monitoring(event: str, args: tuple[Any, ...], frame: FrameType) -> str:
        callback = args[0]
        is_profiler = type(callback) is kind and type(callback.__self__).__module__ == "_lsprof"
        return "" if callback is None or is_profiler else why

    return monitoring


def _kill() -> Handler:
    pid, why = os.getpid(), NO_SIGNALS

    def kill(event: str, args: tuple[Any, ...], frame: FrameType) -> str:
        return "" if event == "os.kill" and args[0] == pid else why

    return kill


def _memory() -> Handler:
    """Libraries may use ctypes for themselves, and load what is installed."""
    why, native, real, is_file, text = NO_MEMORY, NO_NATIVE, os.path.realpath, os.path.isfile, str
    library_prefixes, installed, begins_with = (
        LIBRARY_PREFIXES,
        (*LIBRARY_PREFIXES, "/lib", "/usr/"),
        str.startswith,
    )

    def memory(event: str, args: tuple[Any, ...], frame: FrameType) -> str:
        name = args[0] if args else None
        if event == "ctypes.dlopen" and type(name) is text and is_file(name):
            return "" if begins_with(real(name), installed) else native.format(name)
        asks: Any = frame
        while "/ctypes/" in asks.f_code.co_filename and asks.f_back is not None:
            asks = asks.f_back
        return "" if begins_with(asks.f_code.co_filename, library_prefixes) else why

    return memory


def _code() -> Handler:
    """Code may neither get the file name of a library nor replace a library function's code.

    Other handlers trust code by its `co_filename`, which is the second argument of both events.
    """
    library_prefixes, code_of, text, why = LIBRARY_PREFIXES, CODE_OF, str, NO_CODE
    importing, begins_with = "<frozen importlib", str.startswith

    def code(event: str, args: tuple[Any, ...], frame: FrameType) -> str:
        if event == "object.__setattr__":
            changed = args[1] in code_of and args[0].__code__.co_filename.startswith(
                library_prefixes
            )
            return why if changed and not is_library(frame) else ""
        name = args[1]
        if isinstance(name, bytes) or name is None:
            return ""
        is_false = type(name) is not text or begins_with(name, library_prefixes)
        return why if is_false and not is_library(frame) else ""

    def is_library(frame: Any) -> bool:
        return begins_with(frame.f_code.co_filename, (*library_prefixes, importing))

    return code


def _native() -> Handler:
    """Extension modules come from installed packages, never from a hand-in or a scratch folder."""
    library_prefixes, why, suffixes, real = (
        LIBRARY_PREFIXES,
        NO_NATIVE,
        tuple(EXTENSION_SUFFIXES),
        os.path.realpath,
    )

    def native(event: str, args: tuple[Any, ...], frame: FrameType) -> str:
        file = args[1]
        if not file or not file.endswith(suffixes) or real(file).startswith(library_prefixes):
            return ""
        return why.format(file)

    return native


def _files(own_files: frozenset[str]) -> Handler:
    """Refuse files with answers and /proc entries of processes; of .pyc files, only libraries'.

    Both the path as given and its real path count, so that a link hides neither.
    """
    answers, search, real, fspath = _answers(), PROCESSES.search, os.path.realpath, os.fspath
    why, bytecode, library_prefixes = NO_FILE, NO_BYTECODE, LIBRARY_PREFIXES

    def files(event: str, args: tuple[Any, ...], frame: FrameType) -> str:
        for path in args[:2]:
            try:
                path = fspath(path)
                path = path.decode() if type(path) is bytes else path
                where = real(path)
            except Exception:  # a descriptor, or no path at all
                continue
            if where in own_files:
                continue
            if where.startswith(answers) or search(where) or search(path):
                return why.format(path)
            if (
                event == "open"
                and where.endswith(".pyc")
                and not where.startswith(library_prefixes)
            ):
                return bytecode
        return ""

    return files


def _answers() -> tuple[str, ...]:
    """What the paths of solutions, rubrics, starters and tested variants begin with."""
    course, checkout = GRADER / "course", GRADER.parent
    folders = (course / "rubrics" / "0", course / "rubrics" / "1", course / "starters.json")
    # A wheel carries the solutions in the wing `course`.
    others = (checkout / "solutions", checkout / "tests" / "variants", course / "solutions")
    return tuple(str(path) for path in (*folders, *others))
