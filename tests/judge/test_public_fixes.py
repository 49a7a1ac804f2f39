"""Fixes as code in the styles of public repositories: see `public_fixes.txt`."""

import re
from pathlib import Path

import pytest
from pasting import loaded, pasted

from grader.auditing.one_module import audit

HEAD = "import torch\nfrom torch import nn\n\n\n"
TEXT = Path(__file__).with_name("public_fixes.txt").read_text(encoding="utf-8")
BUGS = re.findall(r"^=== (.+?): (.+)\n((?:(?!===).*\n)+)", TEXT, flags=re.M)


@pytest.mark.parametrize(("expected", "body"), [pytest.param(*bug[1:], id=bug[0]) for bug in BUGS])
def test_the_fix_is_code_that_leads_home_or_in_words(expected, body, tmp_path):
    def judge(text):
        module = loaded(text, tmp_path)
        return audit(module.MAKE, module.INPUTS, "simulated")

    report = judge(HEAD + body)
    if expected == "in words":
        (finding,) = report.findings
        assert not finding.edits
        return

    code, _, fix = expected.partition(": ")
    found = [finding for finding in report.findings if finding.code == code]
    assert [fix in finding.fix for finding in found] == [True]
    assert [str(trial) for trial in pasted(HEAD + body, report, judge) if trial.problem] == []
