"""Measure what a learner takes of a JupyterHub's memory: a real hub, here, with made-up learners.

Usage: python benchmarks/studies/hub_memory.py [--learners 2]

Needs `pip install jupyterhub nbgitpuller` in this environment, and on the PATH what
`npm install -g configurable-http-proxy` brings. Each learner gets a server of their own and, by
nbgitpuller's command, the course; checks an exercise in a kernel; and runs three notebooks. Memory
is the proportional set size of the server and all below it: shared pages count by share.
"""

import argparse
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil
from websocket import create_connection

ROOT = Path(__file__).resolve().parents[2]
HUB = "127.0.0.1:8765"
PATIENCE = 300  # seconds for anything
CONFIG = """
import subprocess, sys
from pathlib import Path

c.JupyterHub.bind_url = "http://{hub}"
c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.JupyterHub.spawner_class = "simple"
c.SimpleLocalProcessSpawner.home_dir_template = "{folder}/home/{{username}}"
c.Spawner.default_url = "/lab"
c.Spawner.args = ["--allow-root"]
c.Spawner.environment = {{"OMP_NUM_THREADS": "1", "GRADER_JOURNAL": "journal.json"}}
c.JupyterHub.services = [{{"name": "measure", "api_token": "{token}"}}]
c.JupyterHub.load_roles = [{{
    "name": "measure", "services": ["measure"],
    "scopes": ["admin:users", "admin:servers", "access:servers"],
}}]

def pull(spawner):
    home = Path("{folder}/home", spawner.user.name)
    home.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "nbgitpuller.pull", "{course}", "main", "course"]
    subprocess.run(command, cwd=home, check=True)

c.Spawner.pre_spawn_hook = pull
"""
CHECK = """
import os
os.chdir("course/notebooks")
from grader import check, ensure_cuda
print(ensure_cuda())
print(check("03").device)
"""
NOTEBOOKS = ("00_start_here", "03_member_tensors", "04_parameter_or_buffer")


class Learner:
    """Somebody with a server of their own.

    Attributes:
        name: their login.
        token: of the service that acts for them.
    """

    def __init__(self, name: str, token: str) -> None:
        self.name, self._token = name, token

    def start(self) -> None:
        """Log in, and wait for the server."""
        self._hub("POST", f"users/{self.name}")
        self._hub("POST", f"users/{self.name}/server")
        for _ in range(PATIENCE):
            if self._hub("GET", f"users/{self.name}")["servers"].get("", {}).get("ready"):
                return
            time.sleep(1)
        raise TimeoutError(f"the server of {self.name} did not start")

    def run(self, cells: list[str]) -> str:
        """Run code in a new kernel; return what it printed."""
        kernel = self._server("POST", "kernels")["id"]
        url = f"ws://{HUB}/user/{self.name}/api/kernels/{kernel}/channels"
        socket = create_connection(url, PATIENCE, header=[f"Authorization: token {self._token}"])
        printed = []
        for code in cells:
            sent = str(uuid.uuid4())
            socket.send(json.dumps(_execute_request(code, sent)))
            while True:
                message = json.loads(socket.recv())
                if message["parent_header"].get("msg_id") != sent:
                    continue
                content = message["content"]
                shown = content.get("data", {}).get("text/plain", "")
                printed.append(content.get("text") or shown or content.get("evalue", ""))
                if message["msg_type"] == "execute_reply":
                    break
        socket.close()
        return "".join(printed)

    def memory(self, folder: Path) -> float:
        """MB of the server and all that it started."""
        own = str(folder / self.name)
        return sum(_pss(process) for process in psutil.process_iter() if _is_below(process, own))

    def _hub(self, method: str, path: str) -> Any:
        return self._ask(method, f"http://{HUB}/hub/api/{path}")

    def _server(self, method: str, path: str) -> Any:
        return self._ask(method, f"http://{HUB}/user/{self.name}/api/{path}")

    def _ask(self, method: str, url: str) -> Any:
        headers = {"Authorization": f"token {self._token}", "Content-Type": "application/json"}
        data = b"{}" if method == "POST" else None
        request = urllib.request.Request(url, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return json.loads(answer.read() or b"{}")


def _execute_request(code: str, sent: str) -> dict[str, Any]:
    content = {"code": code, "silent": False, "store_history": True, "allow_stdin": False}
    header = {"msg_id": sent, "msg_type": "execute_request", "version": "5.3", "username": ""}
    header |= {"session": sent, "date": ""}
    return {"header": header, "parent_header": {}, "metadata": {}, "content": content,
            "channel": "shell", "buffers": []}  # fmt: skip


def _is_below(process: psutil.Process, folder: str) -> bool:
    with suppress(psutil.Error):
        return str(process.cwd()).startswith(folder)
    return False


def _pss(process: psutil.Process) -> float:
    with suppress(psutil.Error):
        return float(process.memory_full_info().pss) / 2**20
    return 0.0


@contextmanager
def hub(folder: Path, token: str) -> Iterator[None]:
    """A hub that listens on this machine alone, with the course in a repository to pull from."""
    course = folder / "course.git"
    subprocess.run(["git", "clone", "-q", "--bare", ROOT, course], check=True)
    subprocess.run(["git", "-C", course, "branch", "-f", "main", "HEAD"], check=True)
    config = folder / "jupyterhub_config.py"
    config.write_text(CONFIG.format(hub=HUB, folder=folder, token=token, course=course.as_uri()))
    log = (folder / "hub.log").open("w")
    process = subprocess.Popen(
        [sys.executable, "-m", "jupyterhub", "-f", config], cwd=folder, stdout=log, stderr=log,
        env={**os.environ, "CONFIGPROXY_AUTH_TOKEN": secrets.token_hex()},
    )  # fmt: skip
    try:
        for _ in range(PATIENCE):
            with suppress(urllib.error.URLError, ConnectionError):
                urllib.request.urlopen(f"http://{HUB}/hub/api/", timeout=5)
                break
            time.sleep(1)
        else:
            raise TimeoutError((folder / "hub.log").read_text()[-2000:])
        yield
    finally:
        for member in (*psutil.Process(process.pid).children(recursive=True), process):
            member.terminate()
        process.wait()


def code_of(notebook: str) -> list[str]:
    """The code cells of a notebook."""
    cells = json.loads((ROOT / "notebooks" / f"{notebook}.ipynb").read_text())["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def main() -> None:
    """Print a table, in MB."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--learners", type=int, default=2)
    count = parser.parse_args().learners
    if not shutil.which("configurable-http-proxy"):
        sys.exit("npm install -g configurable-http-proxy, which the hub needs")
    token = secrets.token_hex(16)
    with tempfile.TemporaryDirectory() as folder, hub(Path(folder), token):
        home = Path(folder, "home")
        learners = [Learner(f"learner{number}", token) for number in range(count)]
        stages: dict[str, list[float]] = {
            "the server": [],
            "a first check": [],
            "three notebooks": [],
        }
        for learner in learners:
            learner.start()
            stages["the server"].append(learner.memory(home))
            shown = learner.run([CHECK])
            assert shown.count("cuda:0") >= 2, shown
            stages["a first check"].append(learner.memory(home))
        for learner in learners:
            for notebook in NOTEBOOKS:
                learner.run(["import os; os.chdir('course/notebooks')", *code_of(notebook)])
            stages["three notebooks"].append(learner.memory(home))
    for stage, sizes in stages.items():
        print(f"{stage}: {max(sizes):.0f} MB ({', '.join(f'{size:.0f}' for size in sizes)})")


if __name__ == "__main__":
    main()
