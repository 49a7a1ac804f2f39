"""The facts as the code of an inner module sees them, whose own `self` is not the whole module.

A finding says `self.encoder.mask`. In the class of the encoder that is `self.mask`, and so it is
called in the lines that a fix changes there.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator

from msgspec.structs import replace

from grader.judge.fixes.expressions import bindings, module_classes, registrations
from grader.judge.fixes.fix import Fault
from grader.judge.fixes.source_file import SourceFile
from grader.schema import Evidence

_PATH = re.compile(r"self(\.\w+|\[[^\]]*\])+")
_NEXT = re.compile(r"\.([A-Za-z_]\w*)")


def seen_from_its_class(
    fault: Fault, evidence: Evidence, code: SourceFile
) -> tuple[Fault, Evidence]:
    """The fault and the facts under the paths that they have in the class around its line.

    Unchanged where that is the class of the whole module, or nobody can tell.
    """
    module = _module_around(fault, evidence, code)
    if module == "self" or evidence.structure is None:
        return fault, evidence
    whole = evidence.structure
    structure = replace(
        whole,
        tensors=tuple(replace(f, path=p) for f in whole.tensors if (p := _inside(f.path, module))),
        devices=tuple(replace(d, path=p) for d in whole.devices if (p := _inside(d.path, module))),
        mixed=tuple(inner for path in whole.mixed if (inner := _inside(path, module))),
    )
    seen = dataclasses.replace(
        fault,
        where=_inside(fault.where, module) or fault.where,
        alike=tuple(inner for path in fault.alike if (inner := _inside(path, module))),
    )
    return seen, replace(evidence, structure=structure)


def _inside(path: str, module: str) -> str:
    """The path of what is in a module, as that calls it; `""` of what is elsewhere."""
    return f"self{path.removeprefix(module)}" if path.startswith(f"{module}.") else ""


def _module_around(fault: Fault, evidence: Evidence, code: SourceFile) -> str:
    """The path of the module in whose class the fault's line is.

    1. The innermost module on the fault's own path of which the class binds the next attribute.
    2. Of a fault without a path: the outermost whose registered tensors the class binds, all.
    """
    site = code.site(fault.line)
    classes = module_classes(code, site) if site else []
    bound = {name for owner in classes for name in (*bindings(owner), *registrations(owner))}
    if _PATH.fullmatch(fault.where):
        around = [path for path in _enclosing(fault.where) if _first(fault.where, path) in bound]
        return around[-1] if around else "self"
    registered = [fact.path for fact in evidence.tensors if fact.role != "plain"]
    held: dict[str, set[str]] = {}
    for path in registered:
        for module in _enclosing(path):
            held.setdefault(module, set()).add(_first(path, module))
    around = [module for module, attributes in held.items() if attributes <= bound]
    return min(around, key=len, default="self")


def _enclosing(path: str) -> Iterator[str]:
    """What comes before each dot: `self` and `self.blocks[0]` of `self.blocks[0].mask`."""
    return (path[: dot.start()] for dot in re.finditer(r"\.", path))


def _first(path: str, module: str) -> str:
    """The attribute of a module that leads to a path."""
    found = _NEXT.match(path, len(module))
    return found[1] if found else ""
