"""The session in a terminal: a full screen, and its keys."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable

from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import ANSI
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.layout import FormattedTextControl, HSplit, Layout, Window

from grader.learning.watching.session import POINTER, WatchSession, body, footer, header


class Screen:
    """Draws the session anew after every key and every report."""

    def __init__(self, session: WatchSession) -> None:
        self._session = session
        self._top = 0
        self._lines: dict[int, list[str]] = {}  # of the body, by width
        self._app: Application[None] = Application(
            layout=Layout(
                HSplit(
                    [
                        Window(FormattedTextControl(self._header), height=2),
                        Window(FormattedTextControl(self._body, show_cursor=False)),
                        Window(FormattedTextControl(self._footer), dont_extend_height=True),
                    ]
                )
            ),
            key_bindings=self._keys(),
            full_screen=True,
        )

    async def run(self) -> None:
        """Show it until the learner quits; the terminal is then as it was."""
        await self._app.run_async(pre_run=self._exit_on_signals)

    def redraw(self) -> None:
        self._lines.clear()
        self._top = self._top_of_pointer()
        self._app.invalidate()

    def _exit_on_signals(self) -> None:
        """Give the terminal back when the process is ended from outside, too."""
        if sys.platform != "win32":
            loop = self._app.loop
            assert loop is not None  # it is running
            for number in (signal.SIGTERM, signal.SIGHUP):
                loop.add_signal_handler(number, self._app.exit)

    def _keys(self) -> KeyBindings:
        session = self._session
        does: dict[tuple[str, ...], Callable[[], object]] = {
            ("h",): session.hint,
            ("n", "right"): lambda: session.step(1),
            ("p", "left"): lambda: session.step(-1),
            ("enter",): session.go_on,
            ("w",): session.why,
        }
        bindings = KeyBindings()
        for keys, act in does.items():
            for key in keys:
                bindings.add(key)(self._then_redraw(act))
        for key, lines in {"down": 1, "up": -1, "pagedown": 10, "pageup": -10, " ": 10}.items():
            bindings.add(key)(self._scroll_by(lines))
        for key in ("q", "c-c", "c-d"):
            bindings.add(key)(lambda event: event.app.exit())
        return bindings

    def _then_redraw(self, act: Callable[[], object]) -> Callable[[KeyPressEvent], None]:
        def handle(event: KeyPressEvent) -> None:
            act()
            self.redraw()

        return handle

    def _scroll_by(self, lines: int) -> Callable[[KeyPressEvent], None]:
        def handle(event: KeyPressEvent) -> None:
            if self._session.is_asking and abs(lines) == 1:
                self._session.point(lines)
                self.redraw()
            else:
                self._top = max(0, min(self._top + lines, self._hidden()))

        return handle

    def _header(self) -> ANSI:
        return ANSI("\n".join(header(self._session, self._width)))

    def _body(self) -> ANSI:
        return ANSI("\n".join(self._body_lines()[self._top :]))

    def _footer(self) -> ANSI:
        return ANSI("\n".join(footer(self._session, self._width, self._top < self._hidden())))

    @property
    def _width(self) -> int:
        return self._app.output.get_size().columns

    def _top_of_pointer(self) -> int:
        """The first line to show, so that the line that is pointed at is on the screen."""
        lines = self._body_lines()
        row = next((row for row, line in enumerate(lines) if POINTER in line), 0)
        fits = len(lines) - self._hidden()
        return max(0, min(row - fits + 2, self._hidden()))

    def _hidden(self) -> int:
        """How many lines of the body have no place on the screen."""
        around = header(self._session, self._width) + footer(self._session, self._width, True)
        return max(0, len(self._body_lines()) + len(around) - self._app.output.get_size().rows)

    def _body_lines(self) -> list[str]:
        if self._width not in self._lines:
            self._lines[self._width] = body(self._session, self._width)
        return self._lines[self._width]
