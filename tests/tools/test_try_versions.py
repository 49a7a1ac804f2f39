"""tools/try_versions.py: which versions are tried, what is printed of a failure, and the table."""

from pathlib import Path

import try_versions as tool

ROOT = Path(__file__).resolve().parents[2]
FAILED = """\
<testsuites><testsuite tests="2" failures="1" errors="0" skipped="0">
<testcase classname="tests.test_a" name="test_b"><failure message="assert 1 == 2"/></testcase>
<testcase classname="tests.test_a" name="test_c"/>
</testsuite></testsuites>
"""


def test_by_itself_it_tries_the_oldest_and_the_newest_and_each_pytorch(monkeypatch):
    releases = {"torch": ["2.10.0", "2.11.0", "2.12.0", "2.12.1"], "numpy": ["1.26", "2.0", "2.4"]}
    monkeypatch.setattr(tool, "_releases", lambda package: releases.get(package, ["99.0"]))
    monkeypatch.setattr(tool.shutil, "which", lambda name: name == "python3.12")

    requirements = list(tool.all_requirements())

    assert requirements[0] == "python==3.12"
    assert requirements[1:3] == ["torch==2.11.0", "torch==2.12.1"]
    assert requirements[3:5] == ["numpy==1.26", "numpy==2.4"]
    assert {requirement.partition("==")[0] for requirement in requirements} == set(tool.AFFECTED)


def test_a_failure_is_named_as_well_as_counted(tmp_path):
    (results := tmp_path / "Audit.xml").write_text(FAILED, encoding="utf-8")

    assert list(tool.failures(results)) == ["tests.test_a::test_b: assert 1 == 2"]
    assert list(tool.failures(tmp_path / "none.xml")) == []


def test_the_page_keeps_its_words_and_shows_the_rows_by_package_and_version():
    judging = {"passed": 9, "failed": 1, "skipped": 2}
    row = {"Judging": judging, "python": "3.11", "date": "2026-11-22"}

    page = tool.page(f"Words.\n{tool.MARK}old", {"torch==2.9": row, "torch==2.11.0": row})

    assert page.startswith(f"Words.\n{tool.MARK}\n| with | Judging | Python | on |\n")
    assert page.splitlines()[-2:] == [
        "| torch 2.9 | 9 passed, 1 failed, 2 skipped | 3.11 | 2026-11-22 |",
        "| torch 2.11.0 | 9 passed, 1 failed, 2 skipped | 3.11 | 2026-11-22 |",
    ]
