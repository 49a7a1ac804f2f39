"""Fixes that register a tensor which is not registered."""

from __future__ import annotations

import ast
from dataclasses import replace

from grader.judge.fixes.expressions import (
    calls_in,
    constructor_of,
    moves_only,
    parameters,
)
from grader.judge.fixes.fix import CodeFix, Context, Fault, assignment_to
from grader.judge.fixes.origins import bound_in, may_differ
from grader.judge.fixes.registration import (
    ATTRIBUTE,
    UNSAVED,
    buffer,
    computed_from,
    is_wrapper,
    not_as_asked,
    parameter,
    sources_of,
    tensor_of,
)
from grader.judge.fixes.source_file import CodeSite
from grader.schema import Edit, Finding, TensorFact

_OLDER = "; a checkpoint made before this change lacks it, and loads with `strict=False`"
# What modules override to move a tensor by hand: that gives it no new values.
MOVES = ("to", "cuda", "cpu", "xpu", "float", "half", "double", "bfloat16", "type")


def register(finding: Fault, context: Context) -> CodeFix | None:
    """Of a plain tensor: a buffer, or a Parameter if it is one that should be trained."""
    own = _registered(finding.where, finding.line, context)
    others = [_registered(path, 0, context) for path in finding.alike]
    edits = [edit for fix in (own, *others) if fix for edit in fix.edits]
    is_each = own is not None and len({edit.line for edit in edits}) == 1 + len(others)
    fix = CodeFix(own.words, tuple(edits)) if own and others and is_each else own
    is_new = fix and context.rubric is None and any(map(_is_saved_now, fix.edits))
    return replace(fix, words=fix.words + _OLDER) if fix and is_new else fix


def _is_saved_now(edit: Edit) -> bool:
    """Whether it registers a buffer that `state_dict()` then holds."""
    return edit.after.count(".register_buffer(") > edit.after.count(UNSAVED)


def _registered(path: str, line: int, context: Context) -> CodeFix | None:
    fact, found = context.fact(path), _assignment_of(path, line, context)
    if fact is None or fact.role != "plain":
        return None
    if context.first_name(fact):
        own = "Give it a tensor of its own, and register that"
        return CodeFix(own) if context.expected_tensor(fact.path) else None
    if found is None:
        return _register_each(fact, context) or _as_asked(fact, context)
    site, value = found
    words = computed_from(path, site, value, context) or not_as_asked(fact, value, context)
    if words:
        return CodeFix(words)
    made = _registration_of(fact, value, site, context)
    is_parameter = made.startswith(f"{fact.path} = ")
    words = "Register it as a Parameter" if is_parameter else "Register it as a buffer"
    if not is_parameter and any(_begins_later(other, site) for other in context.code.sites()):
        return None
    init = None if is_parameter or site.owner is None else constructor_of(site.owner)
    if init is not None and site.function is not init:
        return None  # that method may run again, and refuses a name that is taken
    if made.endswith(UNSAVED):
        is_computed = context.rubric is None or not may_differ(value, site.function)
        why = "no checkpoint needs, since `__init__` computes it"
        words += f", which {why if is_computed else 'this exercise does not save'}"
    return CodeFix(words, (context.code.edit_statement(site, made),))


def _as_asked(fact: TensorFact, context: Context) -> CodeFix | None:
    """In words, of a tensor that no single statement binds: the role that the exercise asks."""
    if (expected := context.expected_tensor(fact.path)) is None:
        return None
    role = "Parameter" if expected.role == "parameter" else "buffer, which a checkpoint holds"
    return CodeFix(f"Register it in `__init__`, as a {role}")


def _begins_later(other: CodeSite, site: CodeSite) -> bool:
    """Whether it calls the constructor of the base class, without which nothing is registered."""
    is_after = other.function is site.function and other.statement.lineno > site.statement.lineno
    return is_after and bool(calls_in(other.head, "__init__"))


def _registration_of(fact: TensorFact, value: ast.expr, site: CodeSite, context: Context) -> str:
    expected = context.expected_tensor(fact.path)
    is_trained = expected.role == "parameter" if expected else fact.requires_grad
    text = tensor_of(context, value)
    if is_trained:
        return parameter(context, fact.path, text)
    return buffer(fact.path, text, saved=_is_saved(fact, value, site, context))


def _register_each(fact: TensorFact, context: Context) -> CodeFix | None:
    """Of `self.a, self.b = a, b`: a line for each."""
    site = context.code.site(fact.line) if fact.file == context.file else None
    is_own = site and site.function and ATTRIBUTE.match(fact.path)
    statement = site.statement if site and is_own else None
    names = [*map(_elements, getattr(statement, "targets", ()))]
    values = _elements(getattr(statement, "value", None))
    if site is None or len(names) != 1 or len(names[0]) != len(values) or not values:
        return None
    lines = []
    for name, value in zip(names[0], values, strict=True):
        held = context.fact(ast.unparse(name))
        if words := not_as_asked(held, value, context) if held else "":
            return CodeFix(words)
        if held and held.role == "plain":
            lines.append(_registration_of(held, value, site, context))
        else:
            lines.append(f"{ast.unparse(name)} = {context.code.segment(value)}")
    edit = context.code.edit_statement(site, *lines)
    return CodeFix("Register each by a line of its own", (edit,))


def _elements(node: ast.expr | None) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.Tuple) else []


def _assignment_of(path: str, line: int, context: Context) -> tuple[CodeSite, ast.expr] | None:
    fact = context.fact(path)
    if fact is None or not ATTRIBUTE.match(path):
        return None
    lines = (line, fact.line if fact.file == context.file else 0)
    found = (assignment_to(context, path, line) for line in lines)
    return next(filter(None, found), None)


def _is_saved(fact: TensorFact, value: ast.expr, site: CodeSite, context: Context) -> bool:
    """Whether a checkpoint must hold it: the exercise says so, or a new instance may differ."""
    if context.expected_tensor(fact.path) is not None:
        return True
    if context.rubric is not None and context.rubric.names_matter:
        return "state_dict" not in context.rubric.points
    if context.rubric is not None:
        return any(tensor.role != "parameter" for tensor in context.rubric.tensors)
    methods = (m for m in getattr(site.owner, "body", ()) if isinstance(m, ast.FunctionDef))
    later = (method for method in methods if method.name not in ("__init__", *MOVES))
    is_kept = any(fact.path in names for method in later for names, _ in bound_in(method))
    follows = bool(sources_of(value, site, context))
    return is_kept or follows or may_differ(value, site.function)  # drawn, or an argument's


def register_parameter(finding: Finding, context: Context) -> CodeFix | None:
    """Of a Parameter that is registered again after a move: the move where it is made.

    PyTorch stops at the first such line of a constructor, so this fixes all of them.
    """
    site, edits = context.code.site(finding.line), list[Edit]()
    others = list(context.code.sites(site.function)) if site else []
    for other in (other for other in others if isinstance(other.statement, ast.Expr)):
        for call in calls_in(other.statement, "register_parameter"):
            move = call.args[-1] if call.args and moves_only(call.args[-1]) else call
            receiver = getattr(getattr(move, "func", None), "value", move)
            path = "" if move is call else ast.unparse(receiver)
            for at in others if path else ():
                made = assignment_to(context, path, at.statement.lineno)
                if made and isinstance(made[1], ast.Call) and is_wrapper(made[1]) and made[1].args:
                    moved = context.code.segment(move).removeprefix(path)
                    end = context.code.span(made[1].args[0])[1]
                    edits.append(context.code.edit_spans(made[0], [((end, end), moved)]))
                    edits.append(context.code.edit_statement(other, ""))
    words = "Move first, wrap last, and register it once"
    return CodeFix(words, tuple(edits)) if edits else None


def wrap_last(finding: Finding, context: Context) -> CodeFix | None:
    """Of `nn.Parameter(…).to(device)`: the move first, the Parameter around it."""
    found = _assignment_of(finding.where, finding.line, context)
    if found and (words := computed_from(finding.where, *found, context)):
        return CodeFix(words)
    return _moved_first(finding.where, found, context) if found else None


def _moved_first(path: str, found: tuple[CodeSite, ast.expr], context: Context) -> CodeFix | None:
    site, value = found
    wrappers = [call for call in calls_in(value, "Parameter") if call.args]
    if len(wrappers) != 1:
        return None
    (wrapper,) = wrappers
    if wrapper is value:
        return None
    expected = context.expected_tensor(path)
    if expected and expected.role != "parameter":
        made = buffer(path, tensor_of(context, value))
        return CodeFix(
            "It is not to be trained: register a buffer", (context.code.edit_statement(site, made),)
        )
    text = context.code.segment(value)
    inner = context.code.segment(wrapper.args[0])
    text = text.replace(context.code.segment(wrapper), inner)
    parsed = ast.parse(text, mode="eval").body
    chosen = parameters(site.function) if site.function else []
    if moves_only(parsed) and _is_literal_move(parsed) and "device" in chosen:
        text = f"{inner}.to(device)"
    elif moves_only(parsed) and _is_literal_move(parsed):
        return CodeFix(
            "Leave the move to `.to()` of the module",
            (context.code.edit_statement(site, parameter(context, path, inner)),),
        )
    made = parameter(context, path, text)
    return CodeFix("Move first, wrap last", (context.code.edit_statement(site, made),))


def _is_literal_move(move: ast.expr) -> bool:
    assert isinstance(move, ast.Call)
    arguments = [*move.args, *(keyword.value for keyword in move.keywords)]
    return all(isinstance(argument, ast.Constant) for argument in arguments)
