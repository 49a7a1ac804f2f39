"""The pages of the field report say what its stored results say."""

import json
import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = runpy.run_path(str(ROOT / "benchmarks" / "field_report.py"))
PAGE = (ROOT / "docs" / "field_report.md").read_text(encoding="utf-8")
PACKAGES = sorted({*SCRIPT["PAGES"].glob("*.md")} - {SCRIPT["PAGES"] / "warnings.md"})
RESULTS = json.loads(SCRIPT["RESULTS"].read_text(encoding="utf-8"))


def test_the_page_shows_the_stored_figures():
    assert SCRIPT["totals"](RESULTS) in PAGE, "python benchmarks/field_report.py --tables"
    assert SCRIPT["tables"](RESULTS) in PAGE, "python benchmarks/field_report.py --tables"


def test_the_counts_of_each_package_add_up():
    for one in RESULTS.values():
        parts = sum(one[key] for key in ("clean", "partly", "warned", "wrong", "refused"))
        assert parts == one["classes"], one["package"]
        assert sum(one["refusals"].values()) == one["refused"], one["package"]


def test_each_error_is_called_true_or_false_with_a_reason():
    for one in RESULTS.values():
        for error in one["errors"]:
            assert error["verdict"] in ("true", "false"), error
            assert error["why"], error


def test_a_true_error_has_its_package_among_the_reproductions():
    code = "\n".join(code for code, _ in SCRIPT["reproductions"]())
    with_true = {
        name.partition(".")[0]
        for name, one in RESULTS.items()
        if any(error["verdict"] == "true" for error in one["errors"])
    }

    assert {name for name in with_true if name not in code} == set()


def test_each_page_of_a_package_has_a_reproduction_and_a_patch_and_stands_in_the_index():
    for path in PACKAGES:
        text = path.read_text(encoding="utf-8")
        assert "\n# " in text, path
        assert SCRIPT["CODE"].search(text), path
        assert "```diff" in text, path
        assert f"(field_report/{path.name})" in PAGE, path
