"""Every report on the course and on the audited cases, judged on one device, as JSON.

    python tests/cuda_build/reports.py cuda|simulated FILE

The seed is the same each time, so two devices can be compared number for number.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests"), str(ROOT / "tests" / "auditing")]

from grader.auditing import one_module as auditing  # noqa: E402
from grader.course.catalog import all_rubrics, exercise_file, solution_file  # noqa: E402
from grader.grading import grade as grading  # noqa: E402
from grader.loading import execute, read_source  # noqa: E402
from grader.schema.report import Report  # noqa: E402

SEED = 7


def course(device: Any) -> Iterator[tuple[str, Report]]:
    """The starters, the solutions, and what learners might write instead."""
    for rubric in all_rubrics():
        stem = rubric.stem
        yield f"{stem} starter", grading.grade_file(rubric, exercise_file(stem), device)
        yield f"{stem} solution", grading.grade_file(rubric, solution_file(stem), device)
        variants = ROOT / "tests" / "variants" / f"{stem}.py"
        declared = vars(execute(read_source(variants), variants))
        for name in (*declared["ACCEPTED"], *declared["MISTAKES"]):
            yield f"{stem} {name}", grading.grade_file(rubric, variants, device, name)


def audits(device: Any) -> Iterator[tuple[str, Report]]:
    """Public bugs and their fixes, what is right however odd, and variations."""
    from case_files import files, fixed_forms, load
    from variations import PAIRS

    for parameter in files("cases"):
        case = load(parameter.values[0])
        with tempfile.TemporaryDirectory() as folder:
            fixed = fixed_forms(parameter.values[0], Path(folder))
            for number, module in enumerate((case.BUGGY, *fixed)):
                report = auditing.audit(module, case.example_input, device)
                yield f"case {parameter.id} {number}", report
    for parameter in files("clean"):
        module = load(parameter.values[0])
        yield f"clean {parameter.id}", auditing.audit(module.CLEAN, module.example_input, device)
    for parameter in files("not_on_cuda"):
        module = load(parameter.values[0])
        yield (
            f"not on CUDA {parameter.id}",
            auditing.audit(module.CLEAN, module.example_input, device),
        )
    for pair in PAIRS:
        for kind in ("wrong", "right"):
            report = auditing.audit(getattr(pair, kind), pair.inputs, device)
            yield f"variation {pair.wrong.__name__} {kind}", report


def seed() -> int:
    """The seed of a probe; the solution draws its own parameters where an answer has none."""
    torch.default_generator.manual_seed(SEED)
    return SEED


def main() -> None:
    device, path = sys.argv[1:]
    grading.fresh_seed = auditing.fresh_seed = seed
    reports = {**dict(course(device)), **dict(audits(device))}
    labels = {report.device for report in reports.values()} - {"none"}
    text = msgspec.json.encode(reports).decode()
    # PyTorch lists every backend that is registered, and where.
    text = re.sub(r' is only available for these backends: ([^"\\]|\\.)*', "", text)
    facts = json.loads(text)
    for fact in facts.values():
        del fact["device"]
    Path(path).write_text(json.dumps({"labels": sorted(labels), "reports": facts}, indent=1))


if __name__ == "__main__":
    main()
