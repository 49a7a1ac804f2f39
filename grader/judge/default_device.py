"""`torch.set_default_device`, which no call of the module shows: it is found in the text."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace

from grader.judge.codes import Code
from grader.judge.fixes.expressions import calls_in
from grader.judge.fixes.fix import Fault
from grader.judge.fixes.source_file import SourceFile

SETTER = "set_default_device"


def default_device_blamed(findings: Iterable[Fault], text: str) -> Iterator[Fault]:
    """The findings; where the class sets the default device, tensors made by it are its fault."""
    code = SourceFile(text) if SETTER in text else SourceFile("")
    for finding in findings:
        site = code.site(finding.line)
        setters = calls_in(site.owner, SETTER) if site and site.owner else []
        is_made = finding.code in (Code.HARD_CODED_DEVICE, Code.MADE_IN_FORWARD)
        if site and setters and is_made and "device" not in ast.unparse(site.statement):
            yield _blamed(finding, setters[0].lineno)
        else:
            yield finding


def _blamed(finding: Fault, line: int) -> Fault:
    return replace(
        finding,
        code=Code.HARD_CODED_DEVICE.value,
        where=f"torch.{SETTER}",
        line=line,
        message=f"line {line} calls `torch.{SETTER}`, which chooses one device for the whole "
        f"program. The tensor of line {finding.line} depends on that choice, and not on where the "
        "module and its inputs are.",
        fix="Take that call out, and say where each tensor is to be made.",
    )
