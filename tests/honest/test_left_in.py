"""What is left in an honest file for other occasions does not end it, at any isolation."""

import pytest
from answering import RUBRIC, source

from grader.grading.grade import grade_file
from grader.probe.containment.sandbox import Level, Limits, best_level, probe_confined
from grader.probe.tasks import Exercise

LOADER = """\
from torch.utils.data import DataLoader, TensorDataset
rows = TensorDataset(torch.arange(8.0))
loader = DataLoader(rows, batch_size=2, num_workers=2, timeout=5, persistent_workers=True)
for _ in range(2):
    assert [batch.tolist() for (batch,) in loader] == [[0, 1], [2, 3], [4, 5], [6, 7]]
assert loader.num_workers == 2
"""
PSUTIL = """\
import psutil
process = psutil.Process()
try:
    print(process.memory_info().rss, process.cpu_percent(), process.name(), process.num_threads())
except psutil.Error as error:
    print(error)
"""
LEFT_IN = {
    "input": {"after": "assert input('How many? ') == ''"},
    "input in forward": {"forward": "input()"},
    "reading the input": {
        "after": "import sys\nassert list(sys.stdin) == []\nassert sys.stdin.read() == ''"
    },
    "faulthandler": {"top": "import faulthandler\nfaulthandler.enable()"},
    "fileno": {
        "top": "import sys\nassert sys.stderr.fileno() >= 0\nassert sys.stdout.fileno() >= 0"
    },
    "loader": {"after": LOADER},
    "psutil": {"after": PSUTIL},
    "resource": {"after": "import resource\nresource.getrusage(resource.RUSAGE_SELF)"},
}


@pytest.mark.parametrize("name", LEFT_IN)
@pytest.mark.parametrize("level", Level, ids=str)
def test_it_costs_nothing(name, level, tmp_path, monkeypatch):
    if best_level() < level:
        pytest.skip(f"this system reaches the isolation {best_level()} only")
    monkeypatch.setattr("grader.probe.containment.sandbox.levels.best_level", lambda: level)
    path = tmp_path / f"{RUBRIC.stem}.py"
    path.write_text(source(**LEFT_IN[name]), encoding="utf-8")

    def probe(task: Exercise):
        return probe_confined(task, Limits(), level).evidence

    report = grade_file(RUBRIC, path, "simulated", probe=probe)

    assert report.verdict == "passed", report.message
