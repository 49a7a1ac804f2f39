"""The figures of docs/field_report.md: what audits of published packages find.

    python benchmarks/field_report.py nflows zuko      # survey these, and join the figures
    python benchmarks/field_report.py --check nflows   # survey again, compare with what is stored
    python benchmarks/field_report.py --reproduce      # run the reproductions of docs/field_report/
    python benchmarks/field_report.py --reproduce nflows       # those of one page
    python benchmarks/field_report.py --reproduce --on-cuda    # on PyTorch's CUDA build
    python benchmarks/field_report.py --tables         # print the tables of the page

Without names, every package of the stored results is meant. Those that are not installed are left
as they are stored, so that the report can be made in several environments. Full surveys are kept
in `--surveys FOLDER`; a package that is there is not surveyed again. Every error is judged by hand
in benchmarks/field_verdicts.toml; the script fails if one is missing there.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from grader.auditing.survey.faces.data import survey_object
from grader.auditing.survey.package.distribution import PackageError, find_package
from grader.auditing.survey.package.run import survey_package
from grader.auditing.survey.recipes import read_recipes

ROOT = Path(__file__).parents[1]
BENCHMARKS = ROOT / "benchmarks"
RESULTS = BENCHMARKS / "results" / "field_report.json"
VERDICTS = BENCHMARKS / "field_verdicts.toml"
RECIPES = BENCHMARKS / "field_recipes.toml"
PAGE = ROOT / "docs" / "field_report.md"
PAGES = ROOT / "docs" / "field_report"
SECONDS = 40.0
COUNTS = ("classes", "called", "clean", "partly", "warned", "wrong", "refused")
CODE = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)\n```", re.DOTALL)
SIMULATED = "from grader import simulated_cuda\nsimulated_cuda.enable()\n"

Figures = dict[str, Any]


def surveyed(name: str) -> Figures:
    """The survey of an installed package.

    Raises:
        PackageError: it is not installed.
    """
    survey = survey_package(find_package(name), read_recipes(RECIPES), "simulated", SECONDS)
    return survey_object(survey)


def figures(name: str, survey: Figures, day: str) -> Figures:
    """What is kept of a survey: the counts, and each error once."""
    errors: dict[str, list[str]] = {}
    for entry in survey["entries"]:
        for finding in (entry["report"] or {}).get("findings", ()):
            if finding["severity"] == "error":
                file = str(finding.get("file") or entry["file"])
                key = f"{finding['code']} {importable(file)}:{finding['line']}"
                errors.setdefault(key, []).append(f"{entry['name'].rpartition('.')[2]}")
    return {
        "package": survey["title"],
        "date": day,
        **{key: survey[key] for key in COUNTS},
        "refusals": survey["refusals"],
        "unimported": len(survey["unimported"]),
        "errors": [
            {"fault": key, "classes": sorted(set(classes)), **verdict_of(name, key)}
            for key, classes in sorted(errors.items())
        ],
    }


def importable(file: str) -> str:
    """A file's path from the folder on that Python imports it from."""
    folders = [folder for folder in sys.path if folder and file.startswith(f"{folder}/")]
    return (
        file[len(max(folders, key=len)) + 1 :] if folders else file.rpartition("site-packages/")[2]
    )


def verdict_of(name: str, fault: str) -> dict[str, str]:
    """What a person said of an error, from the file of verdicts."""
    found = tomllib.loads(VERDICTS.read_text(encoding="utf-8")).get(name, {}).get(fault)
    if found is None:
        sys.exit(f'{VERDICTS}: [{name}] says nothing of "{fault}". Look at it, and call it.')
    verdict, _, why = found.partition(": ")
    return {"verdict": verdict, "why": why}


def measure(names: list[str], folder: Path) -> None:
    """Survey what is installed and not in `folder` yet, and join all into the results."""
    stored = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or sorted({*stored, *(path.stem for path in folder.glob("*.json"))}):
        path = folder / f"{name}.json"
        if not path.exists():
            try:
                path.write_text(json.dumps(surveyed(name), indent=1), encoding="utf-8")
            except PackageError:
                continue
        day = date.fromtimestamp(path.stat().st_mtime).isoformat()
        stored[name] = figures(name, json.loads(path.read_text(encoding="utf-8")), day)
    text = json.dumps(dict(sorted(stored.items())), indent=1, ensure_ascii=False)
    RESULTS.write_text(f"{text}\n", encoding="utf-8")
    print(totals(stored))


def check(names: list[str]) -> int:
    """Survey installed packages again; 1 if an error came or went, or fewer classes are called."""
    stored, differs = json.loads(RESULTS.read_text(encoding="utf-8")), 0
    for name in names or stored:
        try:
            again = figures(name, surveyed(name), date.today().isoformat())
        except PackageError:
            print(f"{name}: not installed")
            continue
        before, after = faults(stored[name]), faults(again)
        worse = again["called"] < stored[name]["called"]
        if before != after or worse or again["package"] != stored[name]["package"]:
            differs = 1
        counts = ", ".join(f"{stored[name][key]} → {again[key]} {key}" for key in COUNTS)
        print(f"{again['package']}: {counts}; errors gone {before - after}, new {after - before}")
    return differs


def faults(one: Figures) -> set[str]:
    """The errors of a package, by code and line."""
    return {error["fault"] for error in one["errors"]}


def totals(stored: dict[str, Figures]) -> str:
    """One sentence with all figures."""
    sums = {key: sum(one[key] for one in stored.values()) for key in COUNTS}
    errors = [error for one in stored.values() for error in one["errors"]]
    right = sum(error["verdict"] == "true" for error in errors)
    return (
        f"{sums['classes']:,} classes of {len(stored)} packages: {sums['called']:,} audited with "
        f"calls, {sums['clean']:,} clean, {sums['partly']:,} clean as far as they were audited, "
        f"{sums['warned']:,} with warnings, {sums['wrong']:,} with errors, {sums['refused']:,} not "
        f"audited. {len(errors)} different errors: {right} true, "
        f"{len(errors) - right} false."
    )


def tables(stored: dict[str, Figures]) -> str:
    """The packages and the errors, as two tables of Markdown."""
    rows = [
        "| package | date | " + " | ".join(COUNTS) + " |",
        "| --- | --- |" + " ---: |" * len(COUNTS),
    ]
    for one in stored.values():
        cells = " | ".join(str(one[key]) for key in COUNTS)
        rows.append(f"| {one['package']} | {one['date']} | {cells} |")
    rows += ["", "| package | error | classes | judged by hand |", "| --- | --- | --- | --- |"]
    for one in stored.values():
        for error in one["errors"]:
            classes = ", ".join(f"`{name}`" for name in error["classes"])
            judged = f"{error['verdict']}: {error['why']}"
            rows.append(f"| {one['package']} | {error['fault']} | {classes} | {judged} |")
    return "\n".join(rows)


def reproductions(names: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Each reproduction, as its code and the last line that it prints.

    Args:
        names: the pages to read, as pip names the packages; all of docs/field_report/ if empty.
    """
    paths = [PAGES / f"{name}.md" for name in names] or sorted(PAGES.glob("*.md"))
    return [pair for path in paths for pair in CODE.findall(path.read_text(encoding="utf-8"))]


def reproduce(names: Sequence[str], on_cuda: bool) -> int:
    """Run each reproduction; 1 if one does not print what its page says.

    Args:
        names: the pages to read; all if empty.
        on_cuda: leave the simulated device out.
    """
    failed = 0
    for code, expected in reproductions(names):
        code = code.replace(SIMULATED, "") if on_cuda else code
        ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        printed = f"{ended.stdout}\n{ended.stderr}".strip().splitlines()
        last = printed[-1] if printed else ""
        if "ModuleNotFoundError" in last:
            print(f"not installed: {last}")
        elif not last.startswith(expected.strip().removesuffix("…")):
            failed = 1
            print(f"expected {expected}\n     got {last}\n{code}")
        else:
            print(f"as the page says: {last[:90]}")
    return failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", metavar="PACKAGE")
    parser.add_argument("--surveys", type=Path, default=ROOT / "build" / "field_report")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--reproduce", action="store_true")
    parser.add_argument("--on-cuda", action="store_true")
    parser.add_argument("--tables", action="store_true")
    options = parser.parse_args()
    if options.check:
        return check(options.names)
    if options.reproduce:
        return reproduce(options.names, options.on_cuda)
    if options.tables:
        stored = json.loads(RESULTS.read_text(encoding="utf-8"))
        print(totals(stored), tables(stored), sep="\n\n")
        return 0
    measure(options.names, options.surveys)
    return 0


if __name__ == "__main__":
    sys.exit(main())
