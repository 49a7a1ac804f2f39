"""A JupyterLab of its own, on a copy of the course, and a page of it as a learner uses it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, expect

from grader.course.catalog import find

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 120_000  # milliseconds; only a failure waits so long
expect.set_options(timeout=PATIENCE)
THEMES = {"light": "JupyterLab Light", "dark": "JupyterLab Dark"}
# What a JupyterLab without a network says of itself; it is not about the course.
NOT_OURS = ("favicon", "net::ERR_INTERNET_DISCONNECTED", "net::ERR_NAME_NOT_RESOLVED")
_DIRECT = build_opener(ProxyHandler({}))


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab."""

    address: str
    course: Path
    settings: Path
    journal: Path

    def set(self, plugin: str, values: dict[str, object]) -> None:
        """Change a setting, as its page in JupyterLab would."""
        file = self.settings / "@jupyterlab" / f"{plugin}.jupyterlab-settings"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(values), encoding="utf-8")


@contextmanager
def running_lab(folder: Path) -> Iterator[Lab]:
    """Start JupyterLab on a copy of the course in `folder`, in a process group of its own."""
    course = folder / "course"
    for name in ("notebooks", "exercises", "solutions"):
        shutil.copytree(ROOT / name, course / name)
    lab = Lab(
        f"http://127.0.0.1:{_free_port()}", course, folder / "settings", folder / "journal.json"
    )
    with (folder / "log.txt").open("wb") as log:
        process = subprocess.Popen(
            _command(lab),
            cwd=course,
            env={**os.environ, **_environment(folder, lab)},
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            _wait(lab, process, folder / "log.txt")
            yield lab
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _command(lab: Lab) -> list[str]:
    port = lab.address.rpartition(":")[2]
    flags = [f"--port={port}", "--ServerApp.port_retries=0", "--no-browser"]
    flags += ["--IdentityProvider.token="]
    return [sys.executable, "-m", "grader.cli", "lab", "--", *flags]


def _environment(folder: Path, lab: Lab) -> dict[str, str]:
    return {
        "JUPYTER_CONFIG_DIR": str(folder / "config"),
        "JUPYTER_DATA_DIR": str(folder / "data"),
        "JUPYTERLAB_SETTINGS_DIR": str(lab.settings),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
        "IPYTHONDIR": str(folder / "ipython"),
        "GRADER_JOURNAL": str(lab.journal),
        "OMP_NUM_THREADS": "1",
    }


def _free_port() -> int:
    with closing(socket.socket()) as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def _wait(lab: Lab, process: subprocess.Popen[bytes], log: Path) -> None:
    """Until JupyterLab answers.

    Raises:
        RuntimeError: it ended instead.
    """
    while process.poll() is None:
        try:
            with _DIRECT.open(f"{lab.address}/api", timeout=5):
                return
        except (URLError, OSError):
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.1)
    raise RuntimeError(f"JupyterLab ended at once:\n{log.read_text(encoding='utf-8')[-3000:]}")


@dataclass
class Notebook:
    """A notebook in a page, by what a learner does with it."""

    page: Page
    lab: Lab
    name: str = ""
    errors: list[str] = field(default_factory=list)

    def open(self, path: str) -> None:
        """Open a notebook of the course, and wait for its kernel."""
        self.menu("File", "Open from Path…")
        self.page.locator(".jp-Dialog input").fill(path)
        self.page.keyboard.press("Enter")
        self.name = path.rpartition("/")[2]
        expect(self.page.locator(".lm-TabBar-tab.jp-mod-current")).to_have_text(self.name)
        expect(self.panel.locator(".jp-Cell:focus")).to_be_visible()
        self.wait_until_idle()

    def use_theme(self, theme: str) -> None:
        """Choose a theme from the menus."""
        self.menu("Settings", "Theme", THEMES[theme])
        is_light = str(theme == "light").lower()
        expect(self.page.locator("body")).to_have_attribute("data-jp-theme-light", is_light)
        self.page.emulate_media(color_scheme="light" if theme == "light" else "dark")

    def run_all(self) -> None:
        """Run every cell, and wait for the last one."""
        self.menu("Run", "Run All Cells")
        self.wait_until_run()

    def run(self, cell: Locator) -> None:
        """Run one cell."""
        cell.locator(".cm-content").click()
        self.page.keyboard.press("Control+Enter")
        self.wait_until_run()

    def write(self, cell: Locator, code: str) -> None:
        """Replace what stands in a cell."""
        cell.locator(".cm-content").click()
        self.page.keyboard.press("Control+A")
        self.page.keyboard.insert_text(code)

    def menu(self, *path: str) -> None:
        """Choose a command from the menus."""
        menu, *items = path
        self.page.locator(".lm-MenuBar-itemLabel", has_text=menu).click()
        for item in items:
            label = self.page.locator(".lm-Menu-itemLabel").get_by_text(item, exact=True)
            label.click()

    def restart_kernel(self) -> None:
        """Restart the kernel, and confirm that."""
        self.menu("Kernel", "Restart Kernel…")
        self.page.locator(".jp-Dialog button.jp-mod-accept").click()
        expect(self.page.locator(".jp-Dialog")).to_have_count(0)
        self.wait_until_idle()

    def exported(self, name: str) -> str:
        """A saved notebook as JupyterLab exports it to HTML."""
        answer = self.page.request.get(
            f"{self.lab.address}/nbconvert/html/{name}",
            headers={"Referer": f"{self.lab.address}/lab"},
        )
        assert answer.ok
        return answer.text()

    def save(self) -> None:
        """Save the notebook."""
        self.menu("File", "Save Notebook")
        expect(self.page.locator(".lm-TabBar-tab.lm-mod-current.jp-mod-dirty")).to_have_count(0)

    def cell(self, text: str) -> Locator:
        """The code cell with this text."""
        return self.panel.locator(".jp-CodeCell").filter(
            has=self.page.locator(".cm-content", has_text=text)
        )

    @property
    def cells(self) -> Locator:
        """All cells."""
        return self.panel.locator(".jp-Cell")

    @property
    def panel(self) -> Locator:
        """The notebook that is on top."""
        return self.page.locator(".jp-NotebookPanel:not(.lm-mod-hidden)")

    def wait_until_idle(self) -> None:
        """Until this notebook's own kernel is there and has nothing to do."""
        status = self.page.get_by_title(f"Change kernel for {self.name}")
        expect(status).to_contain_text("| Idle")

    def wait_until_run(self) -> None:
        """Until no cell is waiting for its turn."""
        waiting = self.panel.locator(".jp-InputPrompt").get_by_text("[*]:", exact=True)
        expect(waiting).to_have_count(0)
        self.wait_until_idle()

    def listen(self, message: ConsoleMessage) -> None:
        """Note what the page complains of."""
        ours = not any(words in message.text + message.location["url"] for words in NOT_OURS)
        if message.type == "error" and ours:
            self.errors.append(message.text)


@contextmanager
def opened(browser: Browser, lab: Lab, scale: float = 1) -> Iterator[Notebook]:
    """A page of a JupyterLab, in light, with no notebook in it yet."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 1400}, device_scale_factor=scale, color_scheme="light"
    )
    context.set_default_timeout(PATIENCE)
    notebook = Notebook(context.new_page(), lab)
    notebook.page.on("console", notebook.listen)
    notebook.page.on("pageerror", lambda error: notebook.errors.append(str(error)))
    try:
        notebook.page.goto(f"{lab.address}/lab?reset")
        expect(notebook.page.locator(".jp-Launcher")).to_be_visible()
        yield notebook
    finally:
        context.close()


def exercise_answer(stem_number: str) -> str:
    """The solution of an exercise as one would write it into its cell, and its check."""
    rubric = find(stem_number)
    code = (ROOT / "solutions" / f"{rubric.stem}.py").read_text(encoding="utf-8")
    return f'{code}\n\ncheck("{rubric.number}", {rubric.class_name})'
