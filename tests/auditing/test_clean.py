"""What is right, however odd it looks, passes without an error."""

from pathlib import Path

import pytest
from case_files import files, load

from grader.auditing.one_module import audit


@pytest.mark.parametrize("path", files("clean"))
def test_what_is_right_passes(path: Path):
    module = load(path)

    report = audit(module.CLEAN, module.example_input)

    assert [finding for finding in report.findings if finding.severity == "error"] == []
    assert report.verdict == "passed", report.message


def test_what_no_cuda_device_can_run_is_no_fault_of_the_module():
    (only,) = files("not_on_cuda")
    module = load(only.values[0])

    report = audit(module.CLEAN, module.example_input)

    assert report.findings == ()
    assert report.verdict == "cannot_grade"
    assert "Could not run 'quantized::linear_dynamic'" in report.message
