"""The expression that a frame evaluates, and the tensors that it could name there."""

from __future__ import annotations

import ast
import linecache
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from inspect import CO_NESTED
from itertools import islice
from types import FrameType
from typing import Any

import torch
from torch import nn

from grader.probe.inspection.frames import At
from grader.probe.inspection.plain import plain
from grader.probe.inspection.registered import is_a, registered_modules, registered_tensors
from grader.probe.inspection.source import tree_of, with_device
from grader.probe.inspection.values import shape_of
from grader.schema import Scope, Site, Span

# The older constructors, and what wraps an array, go around `__torch_function__`.
UNSEEN = re.compile(r"(torch\.)?(from_numpy|([A-Z]\w+)?Tensor)")
Class = tuple[str, str]  # the file that it is written in, and its name
MOST_NAMED = 40  # tensors in a scope


def site_of(here: At | None, scope: Scope = (), told: str = "") -> Site | None:
    """The expression that was evaluated; None where Python does not know it.

    Args:
        here: where its frame was.
        scope: what could be named there.
        told: the device that was chosen for what it makes, `""` if none was.
    """
    span = _span(here) if here else None
    if here is None or span is None:
        return None
    owner, _, function = here.code.co_qualname.rpartition(".")
    named = _device_named(here, span) or (_device_of_block(here) if told else "")
    is_current = told == "cuda"
    return Site(here.code.co_filename, span, function, owner, scope, named, is_current)


def _span(here: At) -> Span | None:
    """The source of an instruction (PEP 657); None under `python -X no_debug_ranges`."""
    instructions = islice(here.code.co_positions(), here.instruction // 2, None)
    line, last, column, end = next(instructions, (None,) * 4)
    known = line is not None and last is not None and column is not None and end is not None
    return (line, column, last, end) if known else None  # type: ignore[return-value]


def scope_of(frame: FrameType | None) -> Scope:
    """The tensors of its arguments, of what `self` registers, and of its other local names.

    Then those of the functions around, which a comprehension or a nested function can name.
    """
    return tuple(islice(_scope(frame), MOST_NAMED))


def _scope(frame: FrameType | None) -> Iterator[tuple[str, str]]:
    inner = set[str]()
    while frame is not None:
        code, outer = frame.f_code, _around(frame)
        not_its_own = inner.union(code.co_freevars if outer else ())
        held = {n: value for n, value in frame.f_locals.items() if n not in not_its_own}
        arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        yield from _tensors((name, held.get(name)) for name in arguments)
        own: Any = held.get("self")
        for module in registered_modules(own) if is_a(own, nn.Module) else ():
            yield from _tensors((found.path, found.tensor) for found in registered_tensors(*module))
        yield from _tensors(pair for pair in held.items() if pair[0] not in arguments)
        inner |= held.keys()
        frame = outer


def _around(frame: FrameType) -> FrameType | None:
    """The running function in which that of a frame is written; None if there is none."""
    outer, code = frame.f_back, frame.f_code
    if not code.co_flags & CO_NESTED:
        return None
    while outer and not any(constant is code for constant in outer.f_code.co_consts):
        outer = outer.f_back
    return outer


def _tensors(named: Iterable[tuple[str, Any]]) -> Iterator[tuple[str, str]]:
    for name, value in named:
        if is_a(value, torch.Tensor) and shape_of(value):
            yield name, str(plain(value).device)


def unseen_maker(files: Iterable[str], classes: Iterable[Class]) -> tuple[Site, str] | None:
    """The only call in the module's code that makes a tensor unseen by a mode, and its name.

    Constructors do not count, nor do a file's classes that are none of `classes`, if it has such.
    """
    found = []
    for file in files:
        tree = tree_of("".join(linecache.getlines(file)))
        its_own = {name.partition(".")[0] for home, name in classes if home == file}
        others = {c.name for c in tree.body if isinstance(c, ast.ClassDef)} - its_own
        skipped = {"__init__", *(others if its_own else ())}
        left_out = (part for part in ast.walk(tree) if getattr(part, "name", "") in skipped)
        elsewhere = {node for part in left_out for node in ast.walk(part)}
        for span, call in _calls(tree).items():
            if UNSEEN.fullmatch(name := ast.unparse(call.func)) and call not in elsewhere:
                found.append((Site(file, span), name))
    return found[0] if len(found) == 1 else None


@lru_cache(maxsize=64)
def _calls(tree: ast.Module) -> dict[Span, ast.Call]:
    """The calls in a file, by their spans."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {(c.lineno, c.col_offset, c.end_lineno or 0, c.end_col_offset or 0): c for c in calls}


def _device_named(here: At, span: Span) -> str:
    """What names the device in a call, as source text; `""` if nothing does.

    `x.cpu()` names `'cpu'`, and `x.cuda()` `'cuda'`.
    """
    call = _calls(tree_of("".join(linecache.getlines(here.code.co_filename)))).get(span)
    if call is None:
        return ""
    named = [keyword.value for keyword in call.keywords if keyword.arg == "device"]
    if isinstance(call.func, ast.Attribute) and not named:
        if call.func.attr in ("cpu", "cuda"):
            return ast.unparse(call.args[0]) if call.args else repr(call.func.attr)
        named = call.args[:1] if call.func.attr == "to" else []
    return ast.unparse(named[0]) if named else ""


def _device_of_block(here: At) -> str:
    """The `with` around a line that chooses its device, as source text; `""` if none does."""
    file, line = with_device(here.position)
    return linecache.getline(file, line).strip() if line != here.line else ""
