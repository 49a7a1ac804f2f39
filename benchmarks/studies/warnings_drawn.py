"""Warnings of the field report, to judge by hand: 60 at random, or all if there are fewer.

    python benchmarks/studies/warnings_drawn.py

It reads the full surveys that `benchmarks/field_report.py` keeps in build/field_report/, and prints
a row for each: package, code, place, classes, and the line. docs/field_report/warnings.md has the
verdicts. A warning counts once for each package, code and line.
"""

from __future__ import annotations

import json
import random
import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]
SURVEYS = ROOT / "build" / "field_report"
FIELD_REPORT = runpy.run_path(str(ROOT / "benchmarks" / "field_report.py"))
DRAWN = 60


def main() -> None:
    found: dict[tuple[str, str, str], tuple[set[str], str]] = {}
    for path in sorted(SURVEYS.glob("*.json")):
        for entry in json.loads(path.read_text(encoding="utf-8"))["entries"]:
            for finding in (entry["report"] or {}).get("findings", ()):
                if finding["severity"] == "warning":
                    file = FIELD_REPORT["importable"](str(finding.get("file") or entry["file"]))
                    key = (path.stem, finding["code"], f"{file}:{finding['line']}")
                    classes, _ = found.setdefault(key, (set(), finding["source_line"] or ""))
                    classes.add(entry["name"].rpartition(".")[2])
    drawn = sorted(random.Random(42).sample(sorted(found), min(DRAWN, len(found))))
    print(f"{len(drawn)} of {len(found)} warnings")
    for key in drawn:
        classes, line = found[key]
        print(" | ".join([*key, ", ".join(sorted(classes)), line]))


if __name__ == "__main__":
    main()
