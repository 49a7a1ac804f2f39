"""Fixes of a tensor that is registered in another role than it should have, or is not saved."""

from __future__ import annotations

import ast

from grader.judge.codes import Code
from grader.judge.fixes.expressions import calls_in, with_comma
from grader.judge.fixes.fix import CodeFix, Context, Fault, assignment_to
from grader.judge.fixes.registration import (
    ATTRIBUTE,
    buffer,
    not_as_asked,
    parameter,
    tensor_of,
)
from grader.judge.fixes.source_file import CodeSite
from grader.schema import Edit, Finding, TensorFact

DROP = "Drop `persistent=False`"


def change_role(finding: Fault, context: Context) -> CodeFix | None:
    """Of a buffer that should be a Parameter, a Parameter that should be a buffer."""
    fact, source = context.fact(finding.where), _registration(finding, context)
    to_parameter = fact is not None and _should_be_parameter(fact, finding, context)
    if fact is None or source is None or context.first_name(fact):
        return None
    site, value = source
    if words := not_as_asked(fact, value, context):
        return CodeFix(words)
    text = tensor_of(context, value)
    made = parameter(context, fact.path, text) if to_parameter else buffer(fact.path, text)
    words = "Make it a Parameter" if to_parameter else "Make it a buffer"
    if fact.role == "buffer" and not to_parameter:
        words = "Give it a tensor that requires no gradient"
    if finding.severity == "warning":
        words = f"If nothing should train it, {words[0].lower()}{words[1:]}"
    return CodeFix(words, (context.code.edit_statement(site, made),))


def _should_be_parameter(fact: TensorFact, finding: Fault, context: Context) -> bool:
    expected = context.expected_tensor(fact.path)
    is_trained = fact.role == "buffer" and finding.variant != "not trained"
    return expected.role == "parameter" if expected else is_trained


def _registration(finding: Finding, context: Context) -> tuple[CodeSite, ast.expr] | None:
    """The statement that registers it, and the tensor in it, whichever way it does so."""
    if not ATTRIBUTE.match(finding.where):
        return None
    if found := assignment_to(context, finding.where, finding.line):
        return found
    site = context.code.site(finding.line)
    statement = site.statement if site and site.function else None
    if site is None or not isinstance(statement, ast.Expr):
        return None
    for method in ("register_buffer", "register_parameter"):
        for call in calls_in(statement, method):
            names = [
                argument.value for argument in call.args[:1] if isinstance(argument, ast.Constant)
            ]
            if len(call.args) > 1 and names == [finding.where.removeprefix("self.")]:
                return site, call.args[1]
    return None


def save_in_buffer(finding: Finding, context: Context) -> CodeFix | None:
    """Of what a checkpoint lacks: a buffer that is saved."""
    source, fact = _registration(finding, context), context.fact(finding.where)
    reloaded = context.evidence.reloaded
    if reloaded and any(at.path == finding.where for at in (*reloaded.late, *reloaded.gone)):
        return None  # its key comes and goes
    if context.rubric and not context.rubric.saves(finding.where):
        saved = ", ".join(f"`{tensor.name}`" for tensor in context.rubric.tensors)
        return CodeFix(f"A checkpoint holds {saved} and no more: let this follow from them")
    if fact and fact.role == "buffer" and fact.persistent:
        return CodeFix(
            "It is a buffer, which PyTorch's own methods save and load: leave it to them"
        )
    if fact:
        return save_with_model(finding, context)
    if source and (edits := number_as_buffer(finding, context, *source)):
        return CodeFix("Keep it in a buffer, a tensor of one number", edits)
    return None


def save_with_model(finding: Finding, context: Context) -> CodeFix | None:
    """Of a buffer that no checkpoint has: without that option."""
    site, name = context.code.site(finding.line), finding.where.rpartition(".")[2]
    for call in calls_in(site.statement, "register_buffer") if site else ():
        option = next((k for k in call.keywords if k.arg == "persistent"), None)
        if site and option and ast.unparse(call.args[0]) == repr(name):
            edit = context.code.edit_spans(site, [(with_comma(context.code, call, option), "")])
            words = "Let the checkpoint hold it, which one that was saved before does not"
            return CodeFix(words if finding.code == Code.META_INIT else DROP, (edit,))
    return None


def number_as_buffer(
    finding: Finding, context: Context, site: CodeSite, value: ast.expr
) -> tuple[Edit, ...]:
    """Edits that keep a number as a 0-dimensional buffer: its registration, and `fill_` later.

    None where the value is not a literal, or `__init__` does not set it.
    """
    if not isinstance(value, ast.Constant) or not isinstance(value.value, bool | int | float):
        return ()
    if site.owner is None or site.function is None or site.function.name != "__init__":
        return ()
    names_matter = context.rubric and context.rubric.names_matter
    if names_matter and not context.expected_tensor(finding.where):
        return ()  # the exercise has no such entry
    torch = context.code.name_of("torch")
    made = buffer(finding.where, f"{torch}.tensor({context.code.segment(value)})")
    edits = [context.code.edit_statement(site, made)]
    for other in context.code.sites(site.owner):
        if other.statement is site.statement:
            continue
        if found := assignment_to(context, finding.where, other.statement.lineno):
            new = f"{finding.where}.fill_({context.code.segment(found[1])})"
            edits.append(context.code.edit_statement(other, new))
    return tuple(edits)


def tie_weights(finding: Fault, context: Context) -> CodeFix | None:
    """Of two Parameters over one memory: the same Parameter under both names."""
    first, site = finding.shared_with, context.code.site(finding.line)
    fact, other = context.fact(finding.where), context.fact(first)
    if site is None or fact is None or other is None or fact.shape != other.shape:
        return None
    statement, words = site.statement, "Tie them by assigning the Parameter itself"
    is_its = isinstance(statement, ast.Assign) and [
        ast.unparse(target) for target in statement.targets
    ] in ([finding.where], [f"{finding.where}.data"])
    edit = context.code.edit_statement(site, f"{finding.where} = {first}")
    return CodeFix(words, (edit,)) if is_its else None
