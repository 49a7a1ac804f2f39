"""Fixes of a move that is missing, or whose result is dropped."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from grader.judge.fixes.expressions import (
    after_receiver,
    called_name,
    calls_in,
    is_docstring,
    local_names,
    parameters,
    registered_device,
)
from grader.judge.fixes.fix import CodeFix, Context
from grader.judge.fixes.source_file import CodeSite
from grader.schema import Edit, Finding

# What NumPy and PyTorch call by the same name, and compute of one tensor.
_TWINS = (
    "abs", "ceil", "cos", "cosh", "exp", "expm1", "floor", "isfinite", "isinf", "isnan", "log",
    "log10", "log1p", "log2", "sign", "sin", "sinh", "sqrt", "square", "tan", "tanh",
)  # fmt: skip
# A tensor is nothing that these take, or take without a warning.
_BACK_BY_MEMORY = re.compile(r"\b(from_numpy|tensor)\(|\.(numpy|astype|tolist)\(")
# How numbers come back from NumPy.
_BACK = re.compile(r"\b(from_numpy|as_tensor|asarray|tensor)\(")


def copy_to_the_cpu(finding: Finding, context: Context) -> CodeFix | None:
    """Of `x.numpy()`, whose numbers do not come back as a tensor: a copy on the CPU before it."""
    site = context.code.site(finding.line)
    if site is None or site.function is None or _BACK.search(ast.unparse(site.function)):
        return None
    changes = []
    for call in calls_in(site.head, "numpy"):
        if isinstance(call.func, ast.Attribute):
            is_detached = called_name(call.func.value) == "detach"
            copied = ".cpu()" if is_detached else ".detach().cpu()"
            span = after_receiver(context.code, call)
            changes.append((span, f"{copied}.numpy()"))
    edit = context.code.edit_spans(site, changes) if changes else None
    return CodeFix("Copy it to the CPU first", (edit,)) if edit else None


def stay_in_torch(finding: Finding, context: Context) -> CodeFix | None:
    """Of `np.sqrt(x)`: PyTorch's function by that name."""
    site, torch = context.code.site(finding.line), context.code.name_of("torch")
    numpy = context.code.name_of("numpy")
    calls = [n for n in ast.walk(site.head) if isinstance(n, ast.Call)] if site else []
    of_numpy = [c for c in calls if ast.unparse(c.func).startswith(f"{numpy}.")]
    if site is None or not of_numpy or _BACK_BY_MEMORY.search(ast.unparse(site.statement)):
        return None
    if not all(called_name(c) in _TWINS and len(c.args) == 1 and not c.keywords for c in of_numpy):
        return None
    changes = [(context.code.span(c.func), f"{torch}.{called_name(c)}") for c in of_numpy]
    return CodeFix("Stay in torch", (context.code.edit_spans(site, changes),))


def keep_result(finding: Finding, context: Context) -> CodeFix | None:
    """Of a move whose result is dropped: the result under the name that is used."""
    site = context.code.site(finding.line)
    statement = site.statement if site else None
    if site is None or not isinstance(statement, ast.Expr | ast.Assign):
        return None
    move = statement.value
    if not isinstance(move, ast.Call) or called_name(move) not in ("to", "cuda", "cpu"):
        return None
    receiver = move.func.value  # type: ignore[attr-defined]
    if isinstance(receiver, ast.Attribute) and context.fact(ast.unparse(receiver)):
        return None  # a member tensor, which is to be registered
    loop = _loop_over(site, context, receiver)
    if loop is not None:
        return _loop_unrolled(context, loop, move)
    if isinstance(statement, ast.Assign):
        return None  # which name is used later, the line does not tell
    edits = tuple(_results_kept(context, site))
    return CodeFix("Keep the result, under the name that is used", edits) if edits else None


def _results_kept(context: Context, site: CodeSite) -> Iterator[Edit]:
    """An assignment for each move of a name in this function whose result is dropped."""
    for other in context.code.sites(site.function):
        move = other.statement.value if isinstance(other.statement, ast.Expr) else None
        if not isinstance(move, ast.Call) or not isinstance(move.func, ast.Attribute):
            continue
        receiver = move.func.value
        is_name = isinstance(receiver, ast.Name) or _is_entry(receiver, site)
        is_name = is_name and not _is_loop_variable(other, context, receiver)
        if move.func.attr in ("to", "cuda", "cpu") and is_name:
            device = context.device_at(other)
            text = context.code.segment(move)
            if device and move.func.attr != "to":
                text = f"{context.code.segment(receiver)}.to({device})"
            yield context.code.edit_statement(other, f"{context.code.segment(receiver)} = {text}")


def _is_entry(node: ast.expr, site: CodeSite) -> bool:
    """Whether it is an entry of what takes new entries, as the function shows: `batch[key]`."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        return False
    stored = (n for n in ast.walk(site.function or site.statement) if isinstance(n, ast.Subscript))
    holders = {ast.unparse(n.value) for n in stored if isinstance(n.ctx, ast.Store)}
    return node.value.id in holders


def _loop_over(site: CodeSite, context: Context, receiver: ast.expr) -> CodeSite | None:
    """The loop whose whole body is this move of its variable, if it goes through names."""
    for candidate in context.code.sites(site.function):
        loop = candidate.statement
        if isinstance(loop, ast.For) and loop.body == [site.statement] and not loop.orelse:
            its_names = [loop.target, *getattr(site.statement, "targets", ())]
            is_its = {ast.unparse(name) for name in its_names} == {ast.unparse(receiver)}
            elements = getattr(loop.iter, "elts", [loop.iter])
            if elements == [loop.iter] and not _is_made_here(loop.iter, site):
                continue  # it may be a dict, or a tuple with names
            if is_its and elements and all(isinstance(element, ast.Name) for element in elements):
                return candidate
    return None


def _is_made_here(node: ast.expr, site: CodeSite) -> bool:
    """Whether it is a name that the function itself assigns."""
    function = site.function
    own = local_names(function) - {*parameters(function)} if function else set()
    return ast.unparse(node) in own


def _loop_unrolled(context: Context, loop: CodeSite, move: ast.Call) -> CodeFix:
    statement = loop.statement
    assert isinstance(statement, ast.For)
    each = [ast.unparse(e) for e in getattr(statement.iter, "elts", [statement.iter])]
    is_one = isinstance(statement.iter, ast.Name)
    names = each[0] if is_one else ", ".join(each) + "," * (len(each) == 1)
    target = ast.unparse(statement.target)
    text, device = context.code.segment(move), context.device_at(loop)
    if device and called_name(move) != "to":
        text = f"{target}.to({device})"
    new = f"{names} = ({text} for {target} in ({names}))"
    if is_one:
        new = f"{names} = type({names})({text} for {target} in {names})"
    edit = Edit(statement.lineno, context.code.segment(statement), new)
    words = "Keep the results, under the names that are used"
    if isinstance(statement.body[0], ast.Assign):
        old = " and ".join(f"`{name}`" for name in each)
        words = f"`{target}` is the loop's own name, and {old} still mean the old tensors. Rebind "
        words += "those"
    return CodeFix(words, (edit,))


def _is_loop_variable(site: CodeSite, context: Context, receiver: ast.expr) -> bool:
    name = ast.unparse(receiver)
    loops = (other.statement for other in context.code.sites(site.function))
    return any(isinstance(s, ast.For) and name in ast.unparse(s.target) for s in loops)


def move_first(finding: Finding, context: Context) -> CodeFix | None:
    """Of an input that nothing moves: moved at the top of the function that takes it.

    Where a loop goes through it, each part is moved as it comes: all of it may not fit.
    """
    site = context.code.site(finding.line)
    if site is None or site.function is None or finding.where not in parameters(site.function):
        return None
    body = [statement for statement in site.function.body if not is_docstring(statement)]
    names, words = [finding.where], "Move it before it is used"
    device = registered_device(context.code, site, context.evidence)
    if loop := _loop_through(finding.where, site, context):
        body, words = loop.body, "Move each part as it comes"
        names = [name.id for name in ast.walk(loop.target) if isinstance(name, ast.Name)]
    if not body or not device:
        return None
    new = f"{', '.join(names)} = {', '.join(f'{name}.to({device})' for name in names)}"
    return CodeFix(words, (context.code.added_before(body[0].lineno, new),))


def _loop_through(name: str, site: CodeSite, context: Context) -> ast.For | None:
    """The loop around a statement that goes through what is made of a name."""
    loops = (other.statement for other in context.code.sites(site.function))
    for loop in loops:
        if isinstance(loop, ast.For) and loop.lineno < site.statement.lineno <= (
            loop.end_lineno or 0
        ):
            goes_through = {n.id for n in ast.walk(loop.iter) if isinstance(n, ast.Name)}
            if name in goes_through and not goes_through & {"enumerate", "range", "dict"}:
                return loop
    return None


def lengths_to_cpu(finding: Finding, context: Context) -> CodeFix | None:
    """Of the lengths of packed sequences: `.cpu()` for this call alone."""
    site = context.code.site(finding.line)
    calls = calls_in(site.head, "pack_padded_sequence") if site else []
    if site is None or len(calls) != 1:
        return None
    (call,) = calls
    named = (keyword.value for keyword in call.keywords if keyword.arg == "lengths")
    lengths = next(iter((*call.args[1:], *named)), None)
    if lengths is None:
        return None
    text = context.code.segment(lengths)
    edit = context.code.edit_spans(site, [(context.code.span(lengths), f"{text}.cpu()")])
    return CodeFix("Bring the lengths back for this call", (edit,))
