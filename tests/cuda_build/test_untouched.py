"""On a real CUDA device the grader leaves its process as if it had never been imported."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from grader.course.catalog import solution_file

pytestmark = pytest.mark.cuda_build

LOOK = """
import json, sys, torch
from torch import nn
from torch.utils.data import DataLoader

def outcome(action):
    try:
        return str(action())
    except Exception as error:
        return f"{type(error).__name__}: {error}"

def train():
    layer = nn.Linear(2, 2).cuda()
    torch.optim.SGD(layer.parameters(), 0.1)
    layer(torch.ones(1, 2).cuda()).sum().backward()
    (layer.weight * 2).sum().cpu().backward()
    return layer.weight.grad.device

def draw():
    torch.manual_seed(1)
    return torch.rand(2, device="cuda").tolist(), torch.rand(2).tolist()

def facts():
    return {
        "training": outcome(train),
        "random": outcome(draw),
        "pinned": outcome(lambda: torch.ones(1).pin_memory().is_pinned()),
        "loader": outcome(lambda: [b.is_pinned() for b in DataLoader([1, 2], pin_memory=True)]),
        "workers": outcome(lambda: [b.is_pinned() for b in DataLoader([1, 2], pin_memory=True,
                                                                  num_workers=1)]),
        "mixing": outcome(lambda: torch.ones(1).cuda() + torch.ones(1)),
        "layer": outcome(lambda: nn.Linear(2, 2)(torch.ones(1, 2).cuda())),
        "ordinal": outcome(lambda: torch.ones(1).cuda(50)),
        "numpy": outcome(lambda: torch.ones(1).cuda().numpy()),
        "index": outcome(lambda: torch.device(0)),
        "accelerator": outcome(torch.accelerator.current_accelerator),
        "backend": torch._C._get_privateuse1_backend_name(),
        "flags": outcome(lambda: (torch.backends.cudnn.allow_tf32, torch.get_default_dtype(),
                               torch.is_grad_enabled(), torch.get_default_device())),
        "names": sorted(set(dir(torch)) | set(dir(torch.cuda)) | set(dir(torch.Tensor))),
    }
"""
NEVER_IMPORTED = LOOK + "print(json.dumps(facts()))\n"
NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
        self.scale = torch.ones(2)

    def forward(self, x):
        return self.layer(x) * self.scale
"""
SOLUTION = solution_file("03_member_tensors")
USES = {
    "importing": "import grader, grader.probe.containment.child, grader.pytest_plugin",
    "ensure_cuda": "from grader import ensure_cuda; print(ensure_cuda(), file=sys.stderr)",
    "check a class": (
        f"exec(open({str(SOLUTION)!r}).read()); from grader import check\n"
        "assert check('03', Normalizer).verdict == 'passed'"
    ),
    "check a file": (
        f"from grader import check\nassert check('03', {str(SOLUTION)!r}).verdict == 'passed'"
    ),
    "audit": (
        f"{NET}\nfrom grader import audit\nreport = audit(Net(), torch.ones(1, 2))\n"
        "assert [f.code for f in report.findings] == ['member-tensor'], report"
    ),
    "assert_moves": (
        "from grader.pytest_plugin import assert_moves\n"
        "assert_moves(nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2)), torch.ones(3, 2))"
    ),
    "device_map": (
        "from grader import device_map\nmodel = nn.Linear(2, 2)\n"
        "shown = device_map(model); shown.move('cuda:0'); shown.move('cpu')"
    ),
}


def run(code: str) -> Any:
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return json.loads(ran.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def untouched() -> Any:
    return run(NEVER_IMPORTED)


def test_a_process_without_the_grader_does_all_of_that(untouched: Any) -> None:
    assert untouched["training"] == "cuda:0"
    assert untouched["pinned"] == "True"
    assert untouched["loader"] == untouched["workers"] == "[True, True]"
    assert untouched["mixing"].startswith("RuntimeError: Expected all tensors to be on the same")


@pytest.mark.parametrize("use", USES)
def test_it_does_the_same_after(use: str, untouched: Any) -> None:
    loaded = "[m for m in sys.modules if m.startswith('grader.simulated_cuda.')]"
    facts, modules = run(f"{LOOK}\n{USES[use]}\nprint(json.dumps([facts(), {loaded}]))")

    assert facts == untouched
    # What chooses and finds a simulated device may be loaded, but neither of the two themselves.
    assert [name for name in modules if name.endswith(".switch")] == []


IN_A_FORK = """
import os
def in_a_fork(action):
    child = os.fork()
    if not child:
        try:
            action()
        except BaseException as error:
            print(type(error).__name__, error, file=sys.stderr)
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""


@pytest.mark.parametrize("use", ["importing", "check a file"])
def test_the_parent_of_a_probe_leaves_cuda_and_autograd_to_its_children(use: str) -> None:
    code = f"{LOOK}{IN_A_FORK}\n{USES[use]}\nprint(json.dumps([torch.cuda.is_initialized(), "
    assert run(code + "in_a_fork(train)]))") == [False, 0]


BEFORE = {
    "CUDA was used": "torch.ones(1).cuda()",
    "it was asked whether there is CUDA": "torch.cuda.is_available()",
    "a backward started autograd's threads": "torch.ones(1, requires_grad=True).sum().backward()",
    "a model was trained": "train()",
}


@pytest.mark.parametrize("device", ["cuda", "simulated"])
@pytest.mark.parametrize("before", BEFORE)
def test_a_file_is_judged_where(before: str, device: str, tmp_path: Path) -> None:
    """Forked children of such a process can not use CUDA, or autograd, or either."""
    script = tmp_path / "script.py"  # without `if __name__ == "__main__"`, as learners write them
    script.write_text(
        f"{LOOK}\n{BEFORE[before]}\nfrom grader.course.catalog import find\n"
        "from grader.grading import grade_file\nfrom pathlib import Path\n"
        f"report = grade_file(find('03'), Path({str(SOLUTION)!r}), {device!r})\n"
        "print(json.dumps([report.verdict, report.message, report.device]))\n"
    )
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True)

    verdict, message, judged_on = json.loads(ran.stdout)
    assert (verdict, message) == ("passed", "")
    assert ("simulated" in judged_on) == (device == "simulated")


def test_a_child_that_stands_by_judges_on_cuda(device_name: str) -> None:
    code = f"""
import json, torch
from pathlib import Path
from grader.course.catalog import find
from grader.probe.containment.standby import Standby
from grader.probe.tasks import Exercise
rubric = find("03")
task = Exercise(Path({str(SOLUTION)!r}), rubric.class_name, 7, "cuda", rubric.recipe)
standby = Standby(task)
evidence = standby.probe(task)
standby.close()
print(json.dumps([evidence.device, evidence.ending, torch.cuda.is_initialized()]))
"""
    assert run(code) == [f"cuda:0 ({device_name})", "complete", False]


IN_PYTEST = """
import pytest, torch

def on_the_gpu():
    name = torch.cuda.get_device_name(0)
    assert torch.ones(2, device="cuda").sum().item() == 2 and "Simulated" not in name

def test_before():
    assert not torch.cuda.is_initialized()
    on_the_gpu()

@pytest.mark.simulated_cuda(devices=3)
def test_marked():
    assert torch.cuda.device_count() == 3 and "Simulated" in torch.cuda.get_device_name(2)

def test_after():
    on_the_gpu()
"""


def test_an_ini_key_leaves_the_gpu_alone_and_a_marker_is_for_one_test(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nsimulated_cuda = 2\n")
    (tmp_path / "test_it.py").write_text(IN_PYTEST)

    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:nbval"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)

    assert "simulated CUDA: off, as there is a GPU" in ran.stdout
    assert "3 passed" in ran.stdout
