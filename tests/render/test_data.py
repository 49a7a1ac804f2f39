"""The report as JSON, for programs."""

import json

from reports import FAILED, PASSED, hostile

from grader.render.data import to_json


def test_one_report_is_one_object_with_the_promised_keys():
    report = json.loads(to_json([FAILED]))

    assert list(report)[:6] == ["verdict", "score", "max_score", "device", "checks", "findings"]
    assert report["verdict"] == "failed"
    assert report["device"] == "cuda:0 (simulated)"
    assert (report["score"], report["max_score"]) == (1, 2)
    assert report["checks"][0] == {
        "name": "buffers",
        "passed": False,
        "points": 0,
        "max_points": 1,
        "message": "`mean` is not registered",
        "status": "run",
    }
    assert report["findings"][0] == {
        "code": "member-tensor",
        "severity": "error",
        "where": "self.mean",
        "line": 24,
        "message": "`self.mean` is a plain tensor.",
        "fix": 'Register it: `self.register_buffer("mean", torch.zeros(3))`.',
        "source_line": "",
        "edits": [],
        "file": "exercises/04_parameter_or_buffer.py",
    }


def test_several_reports_are_an_array_in_their_order():
    verdicts = [report["verdict"] for report in json.loads(to_json([FAILED, PASSED]))]

    assert verdicts == ["failed", "passed"]


def test_any_text_comes_back_as_it_was():
    assert json.loads(to_json([hostile()]))["message"] == hostile().message


def test_signs_are_written_as_themselves():
    assert "Łukasz" in to_json([PASSED.__class__("failed", "none", title="Łukasz")])
