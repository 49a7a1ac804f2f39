"""JupyterLab by the keyboard alone, with the keys that JupyterLab itself names."""

from __future__ import annotations

from dataclasses import dataclass

from lab import Notebook
from playwright.sync_api import Locator, expect

FAR = 80  # so many presses of a key lead from anywhere to anywhere
PLACE = "cell => [...cell.parentElement.children].indexOf(cell)"


@dataclass(frozen=True)
class Keyboard:
    """The hands of a learner without a mouse."""

    notebook: Notebook

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.notebook.page.keyboard.press(key)

    def run_all(self) -> None:
        """Run every cell."""
        self.press("Control+A", "Control+Enter")
        self.notebook.wait_until_run()

    def run(self, cell: Locator) -> None:
        """Run one cell."""
        self.go_to(cell)
        self.press("Control+Enter")
        self.notebook.wait_until_run()

    def write(self, cell: Locator, code: str) -> None:
        """Replace what stands in a cell."""
        self.go_to(cell)
        self.press("Enter", "Control+A")
        self.notebook.page.keyboard.insert_text(code)

    def restart_kernel(self) -> None:
        """Restart the kernel, and confirm that."""
        self.go_to(self.notebook.cells.last)
        self.press("0", "0")
        expect(self.notebook.page.locator(".jp-Dialog button.jp-mod-accept")).to_be_focused()
        self.press("Enter")
        expect(self.notebook.page.locator(".jp-Dialog")).to_have_count(0)
        self.notebook.wait_until_idle()

    def go_to(self, cell: Locator) -> None:
        """Select a cell, from wherever in the notebook the focus is."""
        if self.notebook.panel.locator(".jp-mod-editMode :focus").count():
            self.press("Escape")
        selected = self.notebook.panel.locator(".jp-Cell:focus")
        self._until(selected, "Shift+Tab")
        is_below = selected.evaluate(PLACE) < cell.evaluate(PLACE)
        self._until(cell.and_(selected), "ArrowDown" if is_below else "ArrowUp")

    def tab_to(self, target: Locator) -> None:
        """Go on to a button, a slider or a row."""
        expect(target).to_be_enabled()
        self._until(target.and_(self.notebook.page.locator(":focus")), "Tab")

    def _until(self, there: Locator, key: str) -> None:
        for _ in range(FAR):
            if there.count():
                return
            self.press(key)
        raise AssertionError(f"{key} does not lead to {there}")
