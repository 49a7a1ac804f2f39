"""Refuses requests to Python that no answer needs, through an audit hook (PEP 578).

No code can remove an audit hook. By event:

| events | threat |
| --- | --- |
| `PROGRAMS`, `NETWORK`, `os.kill` | act beyond the process, or outlive it |
| `FILES` | read solutions and rubrics, or other processes through /proc |
| `REACHED` (ctypes), `import` of an extension | call the system past Python, which asks no hook |
| `object.__setattr__` | give a library's function other code, or other defaults |
| `OBJECTS`, `HOOKS` | search the probe's objects, or run in the middle of its code |

A refusal is an exception that says why. It is no accusation: it is noted with the learner's line,
for a person to look at, unless a library asks while it is imported, as matplotlib asks `fc-list`
for fonts; and the code goes on as after any exception.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from types import FrameType
from typing import Any

from grader.probe.inspection.library import LIBRARY_PREFIXES

Handler = Callable[[str, tuple[Any, ...], FrameType], str]
"""Why a request is refused; `""` if it is not."""

NO_OBJECTS = "The objects of the whole program cannot be searched while an answer is graded."
NO_HOOKS = "The program cannot be put under observation while an answer is graded."
NO_MEMORY = "Memory cannot be reached past Python while an answer is graded."
NO_PROGRAMS = "No other program or process can be started while an answer is graded."
NO_SIGNALS = "No signal can be sent to another process while an answer is graded."
NO_NETWORK = "There is no network while an answer is graded."
NO_NATIVE = "Compiled code cannot be handed in: `{}`."
NO_CODE = "A library's function cannot be given other code, nor other defaults."
NO_FILE = "An answer may not open `{}`."

OBJECTS = ("gc.get_objects", "gc.get_referrers", "gc.get_referents")
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
CODE_OF = frozenset(("__code__", "__defaults__", "__kwdefaults__"))
GRADER = Path(__file__).parents[3]
PROCESSES = re.compile(r"/proc/(self|thread-self|\d+)/(task|fd|fdinfo|mem|maps|environ|root|cwd)\b")


def refuse_requests(note: Callable[[str, int], None], own_files: frozenset[str]) -> None:
    """Install the audit hook.

    Args:
        note: called with what was refused, and the learner's line that asked for it.
        own_files: what the learner's code may open wherever it lies, and how its code is called.
    """
    find, getframe, denied = _handlers(own_files).get, sys._getframe, PermissionError

    def hook(event: str, args: tuple[Any, ...]) -> None:
        if handler := find(event):
            frame: Any = getframe(1)
            if why := handler(event, args, frame):
                line = line_of(frame)
                if line is not None:
                    note(f"{why} (`{event}`)", line)
                raise denied(why)

    def line_of(frame: Any) -> int | None:
        """The learner's line; 0 if there is none, None if a library asks while it is imported."""
        while frame is not None:
            if frame.f_code.co_filename in own_files:
                return int(frame.f_lineno)
            if frame.f_code.co_name == "<module>":
                return None
            frame = frame.f_back
        return 0

    sys.addaudithook(hook)


def _handlers(own_files: frozenset[str]) -> dict[str, Handler]:
    """The handler of each event.

    All that a handler uses is bound in the function that makes it: the learner's code can assign to
    this module's names.
    """
    return {
        **dict.fromkeys(OBJECTS, _always(NO_OBJECTS)),
        **dict.fromkeys(HOOKS, _always(NO_HOOKS)),
        **dict.fromkeys(PROGRAMS, _always(NO_PROGRAMS)),
        **dict.fromkeys(NETWORK, _always(NO_NETWORK)),
        **dict.fromkeys(("os.kill", "os.killpg"), _kill()),
        **dict.fromkeys((*REACHED, "import"), _native()),
        **dict.fromkeys(FILES, _files(own_files)),
        "object.__setattr__": _code(),
    }


def _always(why: str) -> Handler:
    return lambda event, args, frame: why


def _kill() -> Handler:
    pid, why = os.getpid(), NO_SIGNALS

    def kill(event: str, args: tuple[Any, ...], frame: FrameType) -> str:
        return "" if event == "os.kill" and args[0] == pid else why

    return kill


def _native() -> Handler:
    """Only installed packages have compiled code, and only libraries use ctypes, for themselves."""
    memory, native, real, is_file, text = (
        NO_MEMORY,
        NO_NATIVE,
        os.path.realpath,
        os.path.isfile,
        str,
    )
    libraries, installed = LIBRARY_PREFIXES, (*LIBRARY_PREFIXES, "/lib", "/usr/")
    begins_with, ends_with, suffixes = str.startswith, str.endswith, tuple(EXTENSION_SUFFIXES)

    def compiled(event: str, args: tuple[Any, ...], frame: FrameType) -> str:
        if event == "import":
            file = args[1]
            is_foreign = (
                file and ends_with(file, suffixes) and not begins_with(real(file), libraries)
            )
            return native.format(file) if is_foreign else ""
        name = args[0] if args else None
        if event == "ctypes.dlopen" and type(name) is text and is_file(name):
            return "" if begins_with(real(name), installed) else native.format(name)
        asks: Any = frame
        while "/ctypes/" in asks.f_code.co_filename and asks.f_back is not None:
            asks = asks.f_back
        return "" if begins_with(asks.f_code.co_filename, libraries) else memory

    return compiled


def _code() -> Handler:
    """The name of such a function stays bound to it, so `namespaces` does not see it."""
    libraries, code_of, begins_with, why = LIBRARY_PREFIXES, CODE_OF, str.startswith, NO_CODE

    def code(event: str, args: tuple[Any, ...], frame: FrameType) -> str:
        is_changed = args[1] in code_of and begins_with(args[0].__code__.co_filename, libraries)
        return why if is_changed and not begins_with(frame.f_code.co_filename, libraries) else ""

    return code


def _files(own_files: frozenset[str]) -> Handler:
    """Refuse files with answers and /proc entries of processes.

    Both the path as given and its real path count, so that a link hides neither.
    """
    answers, search, real, fspath = _answers(), PROCESSES.search, os.path.realpath, os.fspath
    why, is_bytes, error = NO_FILE, bytes, Exception

    def files(event: str, args: tuple[Any, ...], frame: FrameType) -> str:
        for path in args[:2]:
            try:
                path = fspath(path)
                path = path.decode() if type(path) is is_bytes else path
                where = real(path)
            except error:  # a descriptor, or no path at all
                continue
            if where not in own_files and (
                where.startswith(answers) or search(where) or search(path)
            ):
                return why.format(path)
        return ""

    return files


def _answers() -> tuple[str, ...]:
    """What the paths of solutions, rubrics, starters and tested variants begin with."""
    course, checkout = GRADER / "course", GRADER.parent
    folders = (course / "rubrics" / "0", course / "rubrics" / "1", course / "starters.json")
    # A wheel carries the solutions in the wing `course`.
    others = (checkout / "solutions", checkout / "tests" / "variants", course / "solutions")
    return tuple(str(path) for path in (*folders, *others))
