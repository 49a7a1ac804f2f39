"""What every probe of an exercise would import, the process that forks them imports once."""

import sys

import pytest

from grader.course.catalog import find, solution_file
from grader.grading.grade import grade_file
from grader.probe.containment import supervisor

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="probes are forked on Linux")


@pytest.mark.parametrize(("number", "expected"), [("04", []), ("14", ["torch._dynamo"])])
def test_what_the_meta_device_needs_is_imported_before_the_fork(monkeypatch, number, expected):
    imported = []
    monkeypatch.setattr(supervisor, "import_module", imported.append)
    rubric = find(number)

    report = grade_file(rubric, solution_file(rubric.stem), "simulated")

    assert report.verdict == "passed"
    assert imported == expected
