"""Fixes that register a tensor, or register it in another role."""

from __future__ import annotations

import ast
import re

from grader.judge.fixes.expressions import calls_in, moves_only, parameters, without_devices
from grader.judge.fixes.fix import CodeFix, Context, assignment_to
from grader.judge.fixes.source_file import CodeSite, Function
from grader.schema import Edit, Finding, TensorFact

WRAPPERS = ("Parameter", "Buffer")
_ATTRIBUTE = re.compile(r"self\.([A-Za-z_]\w*)$")


def register(finding: Finding, context: Context) -> CodeFix | None:
    """Of a plain tensor: a buffer, or a Parameter if it is one that should be trained."""
    fact, found = context.fact(finding.where), _assignment_of(finding, context)
    if fact is None or fact.role != "plain":
        return None
    if context.first_name(fact):
        own = "Give it a tensor of its own, and register that"
        return CodeFix(own) if context.expected_tensor(fact.path) else None
    if found is None:
        return _register_each(fact, context)
    site, value = found
    made = _registration_of(fact, value, site, context)
    words = "Register it as a Parameter" if "Parameter(" in made else "Register it as a buffer"
    if made.endswith("persistent=False)"):
        words += ", which no checkpoint needs, since `__init__` computes it"
    return CodeFix(words, (context.code.edit_statement(site, made),))


def _registration_of(fact: TensorFact, value: ast.expr, site: CodeSite, context: Context) -> str:
    expected = context.expected_tensor(fact.path)
    is_trained = expected.role == "parameter" if expected else fact.requires_grad
    text = _tensor_of(context, value)
    if is_trained:
        return _parameter(context, fact.path, text)
    return _buffer(fact.path, text, saved=_is_saved(fact, site, context))


def _register_each(fact: TensorFact, context: Context) -> CodeFix | None:
    """Of `self.a, self.b = a, b`: a line for each."""
    site = context.code.site(fact.line) if fact.file == context.file else None
    statement = site.statement if site and site.function else None
    if site is None or not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    (target,), value = statement.targets, statement.value
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
        return None
    if len(target.elts) != len(value.elts) or _ATTRIBUTE.match(fact.path) is None:
        return None
    lines = []
    for name, element in zip(target.elts, value.elts, strict=True):
        held = context.fact(ast.unparse(name))
        if held and held.role == "plain":
            lines.append(_registration_of(held, element, site, context))
        else:
            lines.append(f"{ast.unparse(name)} = {context.code.segment(element)}")
    edit = context.code.edit_statement(site, "\n".join(lines))
    return CodeFix("Register each by a line of its own", (edit,))


def _assignment_of(finding: Finding, context: Context) -> tuple[CodeSite, ast.expr] | None:
    fact = context.fact(finding.where)
    if fact is None or not _ATTRIBUTE.match(finding.where):
        return None
    lines = (finding.line, fact.line if fact.file == context.file else 0)
    found = (assignment_to(context, finding.where, line) for line in lines)
    return next(filter(None, found), None)


def _tensor_of(context: Context, value: ast.expr) -> str:
    """The text of the tensor itself, on the CPU, out of `nn.Parameter(…)` and such."""
    site = context.code.site(value.lineno)
    text = _inner_text(context, value, site.function if site else None)
    return _without_option(text, "requires_grad", "persistent").removesuffix(".requires_grad_()")


def _inner_text(context: Context, value: ast.expr, function: Function | None) -> str:
    inner = value
    while moves_only(inner):
        inner = inner.func.value  # type: ignore[attr-defined]
    if isinstance(inner, ast.Call) and inner.args and _is_wrapper(inner):
        value = inner.args[0]
    return without_devices(context.code, value, function)


def _is_wrapper(call: ast.Call) -> bool:
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    return name in WRAPPERS


def _without_option(text: str, *options: str) -> str:
    for option in options:
        text = re.sub(rf",\s*{option}\s*=\s*(True|False)", "", text)
    return text


def _buffer(path: str, value: str, *, saved: bool = True) -> str:
    option = "" if saved else ", persistent=False"
    holder, _, name = path.rpartition(".")
    return f'{holder}.register_buffer("{name}", {value}{option})'


def _parameter(context: Context, path: str, value: str) -> str:
    return f"{path} = {context.nn}.Parameter({value})"


def _is_saved(fact: TensorFact, site: CodeSite, context: Context) -> bool:
    """Whether a checkpoint must hold it: the exercise says so, or it changes after `__init__`."""
    if context.expected_tensor(fact.path) is not None:
        return True
    if context.rubric is not None and context.rubric.names_matter:
        return "state_dict" not in context.rubric.points
    if context.rubric is not None:
        return any(tensor.role != "parameter" for tensor in context.rubric.tensors)
    return site.owner is not None and _changes_later(fact.path, site.owner)


def _changes_later(path: str, owner: ast.ClassDef) -> bool:
    text = re.escape(path)
    changed = re.compile(rf"{text}(\[.*\])?\s*([-+*/@|&^%]|//|\*\*|<<|>>)?=[^=]|{text}\.\w+_\(")
    return any(
        changed.search(ast.unparse(method))
        for method in owner.body
        if isinstance(method, ast.FunctionDef) and method.name != "__init__"
    )


def change_role(finding: Finding, context: Context) -> CodeFix | None:
    """Of a buffer that should be a Parameter, a Parameter that should be a buffer."""
    if finding.where not in {fact.path for fact in context.evidence.tensors}:
        return _integers(finding, context)
    fact, source = context.fact(finding.where), _registration(finding, context)
    to_parameter = fact is not None and _should_be_parameter(fact, context)
    if fact is None or source is None or context.first_name(fact):
        return None
    site, value = source
    text = _tensor_of(context, value)
    made = _parameter(context, fact.path, text) if to_parameter else _buffer(fact.path, text)
    words = "Make it a Parameter" if to_parameter else "Make it a buffer"
    if finding.severity == "warning":
        words = f"If nothing should train it, {words[0].lower()}{words[1:]}"
    return CodeFix(words, (context.code.edit_statement(site, made),))


def _integers(finding: Finding, context: Context) -> CodeFix | None:
    """Of a Parameter of integers, which PyTorch refuses: a buffer."""
    site = context.code.site(finding.line)
    statement = site.statement if site else None
    if site is None or not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    (target,), value = statement.targets, statement.value
    path = ast.unparse(target)
    if not _ATTRIBUTE.match(path) or not isinstance(value, ast.Call) or not _is_wrapper(value):
        return None
    needs_saving = context.rubric is None or context.expected_tensor(path) is not None
    made = _buffer(path, _tensor_of(context, value), saved=needs_saving)
    return CodeFix("What is not trained is a buffer", (context.code.edit_statement(site, made),))


def _should_be_parameter(fact: TensorFact, context: Context) -> bool:
    expected = context.expected_tensor(fact.path)
    return expected.role == "parameter" if expected else fact.role == "buffer"


def _registration(finding: Finding, context: Context) -> tuple[CodeSite, ast.expr] | None:
    """The statement that registers it, and the tensor in it, whichever way it does so."""
    if not _ATTRIBUTE.match(finding.where):
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
    if source and fact and fact.role == "buffer":
        made = _buffer(fact.path, _tensor_of(context, source[1]))
        return CodeFix("Drop `persistent=False`", (context.code.edit_statement(source[0], made),))
    if source and fact is None and (edits := _number_as_buffer(finding, context, *source)):
        return CodeFix("Keep it in a buffer, a tensor of one number", edits)
    return None


def _number_as_buffer(
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
    made = _buffer(finding.where, f"{torch}.tensor({context.code.segment(value)})")
    edits = [context.code.edit_statement(site, made)]
    for other in context.code.sites(site.owner):
        if other.statement is site.statement:
            continue
        if found := assignment_to(context, finding.where, other.statement.lineno):
            new = f"{finding.where}.fill_({context.code.segment(found[1])})"
            edits.append(context.code.edit_statement(other, new))
    return tuple(edits)


def wrap_last(finding: Finding, context: Context) -> CodeFix | None:
    """Of `nn.Parameter(…).to(device)`: the move first, the Parameter around it."""
    found = _assignment_of(finding, context)
    wrappers = [c for c in calls_in(found[1], "Parameter") if c.args] if found else []
    if found is None or len(wrappers) != 1:
        return None
    (wrapper,), (site, value) = wrappers, found
    if wrapper is value:
        return None
    expected = context.expected_tensor(finding.where)
    if expected and expected.role != "parameter":
        made = _buffer(finding.where, _tensor_of(context, value))
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
            (context.code.edit_statement(site, _parameter(context, finding.where, inner)),),
        )
    made = _parameter(context, finding.where, text)
    return CodeFix("Move first, wrap last", (context.code.edit_statement(site, made),))


def _is_literal_move(move: ast.expr) -> bool:
    assert isinstance(move, ast.Call)
    arguments = [*move.args, *(keyword.value for keyword in move.keywords)]
    return all(isinstance(argument, ast.Constant) for argument in arguments)
