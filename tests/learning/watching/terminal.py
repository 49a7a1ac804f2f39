"""A terminal to try the `grader` command in: keys go in, and what a person would see comes out."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pyte

PATIENCE = 120
ENTER, ESCAPE, CONTROL_C = "\r", "\x1b", "\x03"
UP, DOWN, RIGHT, LEFT = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D"
PAGE_UP = "\x1b[5~"


class Terminal:
    """A process whose terminal this is."""

    def __init__(self, arguments: list[str], folder: Path, rows: int = 40) -> None:
        self._screen = pyte.Screen(100, rows)
        self._stream = pyte.ByteStream(self._screen)
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 100, 0, 0))
        self.slave = slave
        self._mode_before = termios.tcgetattr(slave)
        self._written = b""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "grader.cli", *arguments],
            cwd=folder,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**os.environ, "TERM": "xterm-256color"},
            start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(slave, termios.TIOCSCTTY, 0),
        )

    @property
    def text(self) -> str:
        """What is on the screen."""
        return "\n".join(line.rstrip() for line in self._screen.display)

    @property
    def is_given_back(self) -> bool:
        """Whether lines are edited and echoed again, on the screen that was there before."""
        same = termios.tcgetattr(self.slave) == self._mode_before
        return same and self._written.rfind(b"[?1049l") > self._written.rfind(b"[?1049h")

    def press(self, keys: str) -> None:
        """Type."""
        os.write(self.master, keys.encode())

    def wait_for(self, *texts: str, without: str = "\0") -> str:
        """The screen, as soon as it shows all of `texts` and nothing of `without`."""
        return self._wait(
            lambda: all(text in self.text for text in texts) and without not in self.text,
            f"{texts} without {without!r}",
        )

    def wait_for_end(self) -> int:
        """The exit status."""
        self._wait(lambda: self.process.poll() is not None, "the end")
        return self.process.returncode

    def close(self) -> None:
        """End the process, and forget the terminal."""
        self.process.kill()
        self.process.wait()
        os.close(self.master)
        os.close(self.slave)

    def _wait(self, holds, what: str) -> str:
        deadline = time.monotonic() + PATIENCE
        while not holds():
            assert time.monotonic() < deadline, f"waited for {what}; there is:\n{self.text}"
            if select.select([self.master], [], [], 0.1)[0]:
                chunk = os.read(self.master, 65536)
                self._written += chunk
                self._stream.feed(chunk)
        return self.text
