"""`pytest --audit-modules` in some other project: what is caught, reported, and left alone."""

import json
import sys

import pytest
from torch import nn

from grader.simulated_cuda.native.build import cache_folder

pytest_plugins = ["pytester"]
CACHE = str(cache_folder())

SUITE = """
import pytest
import torch
from torch import nn

class Masked(nn.Module):
    def __init__(self, is_soft=False):
        super().__init__()
        self.is_soft = is_soft
        self.mask = torch.tensor([True, False, False])

    def forward(self, x):
        return x.masked_fill(self.mask, 0.0)

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.masked = Masked()

    def forward(self, x, *, scale=1.0):
        return self.linear(x) * scale

class Locked(nn.Linear):
    def __deepcopy__(self, memo):
        raise TypeError("it holds a lock")

class Measured(nn.Module):
    def __init__(self):
        super().__init__()
        self.size = Masked()(torch.ones(3)).numel()

    def forward(self, x):
        return x * self.size

class Graph:
    nodes = torch.ones(3)

class OnGraph(nn.Module):
    def forward(self, graph):
        return graph.nodes

class NeverRight(nn.Module):
    def forward(self, x):
        raise ValueError("no")

def test_inside_a_module_of_torch():
    nn.Sequential(Net())(torch.ones(2, 3))

def test_others():
    torch.manual_seed(0)
    expected = torch.rand(3)
    torch.manual_seed(0)
    net = Net()
    net(torch.ones(2, 3, requires_grad=True) * 2, scale=torch.tensor(2.0)).sum().backward()
    Measured()
    Locked(3, 3)(torch.ones(2, 3))
    OnGraph()(Graph())
    torch.manual_seed(0)
    Net.forward(net, torch.ones(2, 3))
    assert torch.equal(torch.rand(3), expected)
    with pytest.raises(ValueError):
        NeverRight()(torch.ones(3))
"""
CLASSES = SUITE.partition("def test_inside")[0]
WRONG = """
@pytest.mark.parametrize("is_soft", [False, False, True])
def test_masked(is_soft):
    Masked(is_soft)(torch.ones(3))
"""


@pytest.fixture
def suite(pytester, monkeypatch):
    """Runs pytest, as a program, on tests of some modules."""
    monkeypatch.setenv("SIMULATED_CUDA_CACHE", CACHE)
    monkeypatch.setenv("COLUMNS", "100")

    def run(text, *options):
        pytester.makepyfile(test_nets=text)
        without = [f"-pno:{plugin}" for plugin in ("nbval", "cacheprovider", "randomly")]
        return pytester.runpytest_subprocess(*without, *options)

    return run


def test_the_report_and_the_exit_status(suite, golden, pytester):
    result = suite(SUITE + WRONG, "--audit-modules", "--audit-report=report.json")

    result.assert_outcomes(passed=5)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    begin = next(i for i, line in enumerate(result.outlines) if "modules audited" in line)
    golden("pytest_audit", "".join(f"{line}\n" for line in result.outlines[begin:-2]))
    last = "the tests passed, the audit found errors in 1 module class"
    assert result.outlines[-1].strip("= ") == last
    survey_data = json.loads((pytester.path / "report.json").read_text(encoding="utf-8"))
    assert (
        survey_data["classes"],
        survey_data["wrong"],
        survey_data["clean"],
        survey_data["refused"],
    ) == (4, 1, 1, 2)
    masked = next(entry for entry in survey_data["entries"] if entry["name"].endswith("Masked"))
    assert masked["context"] == "test_nets.py::test_masked[False0]"


TABLE = "[tool.pytest.ini_options]\n[tool.grader.audit]\n"


@pytest.mark.nightly
def test_the_table_of_pyproject_counts_and_an_option_replaces_it(suite, pytester):
    pytester.makepyprojecttoml(TABLE + 'ignore = ["member-tensor"]\ndevice = "simulated"\n')

    meant = suite(SUITE + WRONG, "--audit-modules")
    told = suite(SUITE + WRONG, "--audit-modules", "--audit-ignore=replica")

    assert (meant.ret, told.ret) == (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    meant.stdout.no_fnmatch_line("*member-tensor*")


def test_a_baseline_of_the_command_fits_and_the_other_way_round(
    suite, pytester, grader, monkeypatch
):
    monkeypatch.chdir(pytester.path)
    text = CLASSES + WRONG + "\ndef example_input():\n    return (torch.ones(3),)\n"

    written = suite(text, "--audit-modules", "--audit-write-baseline=suite.json")
    of_file = grader("audit", "test_nets.py:Masked", "--baseline", "suite.json")
    grader("audit", "test_nets.py:Masked", "--write-baseline", "file.json")
    known = json.loads((pytester.path / "file.json").read_text(encoding="utf-8"))
    known["findings"] += [{**entry, "where": "self.gone"} for entry in known["findings"]]
    (pytester.path / "file.json").write_text(json.dumps(known), encoding="utf-8")
    options = ["--audit-modules", "--audit-baseline=file.json"]
    of_suite, strict = suite(text, *options), suite(text, *options, "--audit-strict")

    assert (written.ret, of_file.status) == (0, 0)
    of_suite.assert_outcomes(passed=3)
    assert (of_suite.ret, strict.ret) == (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    of_suite.stdout.fnmatch_lines(["*member-tensor of self.gone in test_nets.py is gone"])
    assert "the baseline has entries that are gone" in strict.outlines[-1]


@pytest.mark.nightly
def test_an_option_that_is_none_is_said_before_any_test(suite, pytester):
    missing = suite(SUITE, "--audit-modules", "--audit-baseline=known.json")
    pytester.makepyprojecttoml(TABLE + 'ignored = ["replica"]\n')
    misspelt = suite(SUITE, "--audit-modules")

    assert (missing.ret, misspelt.ret) == (pytest.ExitCode.USAGE_ERROR,) * 2
    missing.stderr.fnmatch_lines(["*There is no baseline known.json*"])
    misspelt.stderr.fnmatch_lines(["*no option `ignored`. Do you mean `ignore`[?]*"])


@pytest.mark.nightly
def test_workers_of_xdist_send_what_they_found(suite):
    result = suite(SUITE, "--audit-modules", "-n2")

    result.assert_outcomes(passed=2)
    assert result.ret == pytest.ExitCode.OK
    result.stdout.fnmatch_lines(["Audit of this test suite: 3 module classes, *", "*1 clean"])


def test_a_spent_budget_is_said_and_a_failing_tests_traceback_is_its_own(suite):
    text = SUITE + WRONG + "\ndef test_fails():\n    NeverRight()(torch.ones(3))\n"
    result = suite(text, "--audit-modules", "--audit-budget=0")

    result.assert_outcomes(passed=5, failed=1)
    result.stdout.fnmatch_lines(["*2 came after the time budget was spent (--audit-budget)"])
    result.stdout.no_fnmatch_line("*catching.py*")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows ends a process at once")
@pytest.mark.search
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_run_that_is_cut_short_reports_what_it_has(suite, name):
    stop = f"""
import os, signal, time

signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it

def test_stops():
    child = os.fork()
    if not child:
        time.sleep(60)
        os._exit(0)
    os.kill(child, signal.SIGTERM)
    assert os.waitpid(child, 0)[1] == signal.SIGTERM
    Masked()(torch.ones(3))
    os.kill(os.getpid(), signal.{name})
    time.sleep(60)

def test_after():
    assert False
"""
    result = suite(SUITE + WRONG + stop, "--audit-modules")

    result.assert_outcomes(passed=5)
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*1 with errors"])


FORKS = """
import torch
from torch import nn

@torch.jit.script
def sine(x: torch.Tensor) -> torch.Tensor:
    return torch.sin(x)

@torch.jit.script
def halves(x: torch.Tensor) -> torch.Tensor:
    half = torch.jit.fork(sine, x)
    return torch.jit.wait(half) + x

class Scripted(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(3)

    def forward(self, x):
        return halves(x) * self.scale

def test_scripted():
    Scripted()(torch.ones(2, 3))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere an audit is no fork")
def test_what_waits_for_threads_of_the_test_process_is_audited_in_a_new_one(suite):
    result = suite(FORKS, "--audit-modules", "--audit-budget=60")

    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*1 with errors", "*member-tensor  self.scale"])


@pytest.mark.nightly
@pytest.mark.parametrize("options", [["--audit-budget=0"], ["--audit-budget=0", "-n1"], []])
def test_with_strict_what_was_not_audited_fails_the_session(suite, options):
    plain = suite(SUITE, "--audit-modules", *options)
    strict = suite(SUITE, "--audit-modules", "--audit-strict", *options)

    assert (plain.ret, strict.ret) == (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    assert "not audited in full" in strict.outlines[-1]


def test_without_the_option_nothing_is_replaced(request):
    assert not request.config.pluginmanager.has_plugin("module-audit")
    assert nn.Module.__call__.__module__ == "torch.nn.modules.module"
