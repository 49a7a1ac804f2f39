"""Fixes of a tensor or module that is not registered, or not as what it is."""

from __future__ import annotations

import ast
import re

from grader.evidence import TensorFact
from grader.judge.fixes.expressions import calls_in, moves_only, parameters, without_devices
from grader.judge.fixes.fix import Fix, Known, assignment_to
from grader.judge.fixes.source_file import Function, Place
from grader.judge.report import Edit, Finding

WRAPPERS = ("Parameter", "Buffer")
_ATTRIBUTE = re.compile(r"self\.([A-Za-z_]\w*)$")


def register(finding: Finding, known: Known) -> Fix | None:
    """Of a plain tensor: a buffer, or a Parameter if it is one that should be trained."""
    fact, found = known.fact(finding.where), _assigned(finding, known)
    if fact is None or fact.role != "plain":
        return None
    if known.first_name(fact):
        own = "Give it a tensor of its own, and register that"
        return Fix(own) if known.wanted(fact.path) else None
    if found is None:
        return _registered_together(fact, known)
    place, value = found
    made = _registered(fact, value, place, known)
    words = "Register it as a Parameter" if "Parameter(" in made else "Register it as a buffer"
    if made.endswith("persistent=False)"):
        words += ", which no checkpoint needs, since `__init__` computes it"
    return Fix(words, (known.code.rewritten(place, made),))


def _registered(fact: TensorFact, value: ast.expr, place: Place, known: Known) -> str:
    wanted = known.wanted(fact.path)
    is_trained = wanted.role == "parameter" if wanted else fact.requires_grad
    text = _tensor_of(known, value)
    if is_trained:
        return _parameter(known, fact.path, text)
    return _buffer(fact.path, text, saved=_is_saved(fact, place, known))


def _registered_together(fact: TensorFact, known: Known) -> Fix | None:
    """Of `self.a, self.b = a, b`: a line for each."""
    place = known.code.place(fact.line)
    statement = place.statement if place and place.function else None
    if place is None or not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target, value = statement.targets[0], statement.value
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
        return None
    if len(target.elts) != len(value.elts) or _ATTRIBUTE.match(fact.path) is None:
        return None
    lines = []
    for name, each in zip(target.elts, value.elts, strict=True):
        held = known.fact(ast.unparse(name))
        is_plain = held is not None and held.role == "plain"
        text = f"{ast.unparse(name)} = {known.code.segment(each)}"
        lines.append(_registered(held, each, place, known) if held and is_plain else text)
    edit = known.code.rewritten(place, "\n".join(lines))
    return Fix("Register each by a line of its own", (edit,))


def _assigned(finding: Finding, known: Known) -> tuple[Place, ast.expr] | None:
    fact = known.fact(finding.where)
    if fact is None or not _ATTRIBUTE.match(finding.where):
        return None
    found = (assignment_to(known, finding.where, line) for line in (finding.line, fact.line))
    return next(filter(None, found), None)


def _tensor_of(known: Known, value: ast.expr) -> str:
    """The text of the tensor itself, on the CPU, out of `nn.Parameter(…)` and such."""
    place = known.code.place(value.lineno)
    text = _unwrapped(known, value, place.function if place else None)
    return _without_option(text, "requires_grad", "persistent").removesuffix(".requires_grad_()")


def _unwrapped(known: Known, value: ast.expr, function: Function | None) -> str:
    inner = value
    while moves_only(inner):
        inner = inner.func.value  # type: ignore[attr-defined]
    if isinstance(inner, ast.Call) and inner.args and _is_wrapper(inner):
        value = inner.args[0]
    return without_devices(known.code, value, function)


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


def _parameter(known: Known, path: str, value: str) -> str:
    return f"{path} = {known.nn}.Parameter({value})"


def _is_saved(fact: TensorFact, place: Place, known: Known) -> bool:
    """Whether a checkpoint must hold it: the exercise says so, or it changes after `__init__`."""
    if known.wanted(fact.path) is not None:
        return True
    if known.rubric is not None and known.rubric.names_matter:
        return "state_dict" not in known.rubric.points
    if known.rubric is not None:
        return any(each.role != "parameter" for each in known.rubric.tensors)
    return place.owner is not None and _changes_later(fact.path, place.owner)


def _changes_later(path: str, owner: ast.ClassDef) -> bool:
    text = re.escape(path)
    changed = re.compile(rf"{text}(\[.*\])?\s*([-+*/@|&^%]|//|\*\*|<<|>>)?=[^=]|{text}\.\w+_\(")
    return any(
        changed.search(ast.unparse(method))
        for method in owner.body
        if isinstance(method, ast.FunctionDef) and method.name != "__init__"
    )


def other_role(finding: Finding, known: Known) -> Fix | None:
    """Of a buffer that should be a Parameter, a Parameter that should be a buffer."""
    if finding.where not in {fact.path for fact in known.evidence.tensors}:
        return _integers(finding, known)
    fact, source = known.fact(finding.where), _registration(finding, known)
    to_parameter = fact is not None and _should_be_parameter(fact, known)
    if fact is None or source is None or known.first_name(fact):
        return None
    place, value = source
    text = _tensor_of(known, value)
    made = _parameter(known, fact.path, text) if to_parameter else _buffer(fact.path, text)
    words = "Make it a Parameter" if to_parameter else "Make it a buffer"
    if finding.severity == "warning":
        words = f"If nothing should train it, {words[0].lower()}{words[1:]}"
    return Fix(words, (known.code.rewritten(place, made),))


def _integers(finding: Finding, known: Known) -> Fix | None:
    """Of a Parameter of integers, which PyTorch refuses: a buffer."""
    place = known.code.place(finding.line)
    statement = place.statement if place else None
    if place is None or not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    path, value = ast.unparse(statement.targets[0]), statement.value
    if not _ATTRIBUTE.match(path) or not isinstance(value, ast.Call) or not _is_wrapper(value):
        return None
    needs_saving = known.rubric is None or known.wanted(path) is not None
    made = _buffer(path, _tensor_of(known, value), saved=needs_saving)
    return Fix("What is not trained is a buffer", (known.code.rewritten(place, made),))


def _should_be_parameter(fact: TensorFact, known: Known) -> bool:
    wanted = known.wanted(fact.path)
    return wanted.role == "parameter" if wanted else fact.role == "buffer"


def _registration(finding: Finding, known: Known) -> tuple[Place, ast.expr] | None:
    """The statement that registers it, and the tensor in it, whichever way it does so."""
    if not _ATTRIBUTE.match(finding.where):
        return None
    if found := assignment_to(known, finding.where, finding.line):
        return found
    place = known.code.place(finding.line)
    statement = place.statement if place and place.function else None
    if place is None or not isinstance(statement, ast.Expr):
        return None
    for method in ("register_buffer", "register_parameter"):
        for call in calls_in(statement, method):
            names = [each.value for each in call.args[:1] if isinstance(each, ast.Constant)]
            if len(call.args) > 1 and names == [finding.where.removeprefix("self.")]:
                return place, call.args[1]
    return None


def saved(finding: Finding, known: Known) -> Fix | None:
    """Of what a checkpoint lacks: a buffer that is saved."""
    source, fact = _registration(finding, known), known.fact(finding.where)
    if source and fact and fact.role == "buffer":
        made = _buffer(fact.path, _tensor_of(known, source[1]))
        return Fix("Drop `persistent=False`", (known.code.rewritten(source[0], made),))
    if source and fact is None and (edits := _number_as_buffer(finding, known, *source)):
        return Fix("Keep it in a buffer, a tensor of one number", edits)
    return None


def _number_as_buffer(
    finding: Finding, known: Known, place: Place, value: ast.expr
) -> tuple[Edit, ...]:
    """The registration, and what assigns to it later; none where that is not plain to see."""
    if not isinstance(value, ast.Constant) or not isinstance(value.value, bool | int | float):
        return ()
    if place.owner is None or place.function is None or place.function.name != "__init__":
        return ()
    if known.rubric and known.rubric.names_matter and not known.wanted(finding.where):
        return ()  # the exercise has no such entry
    torch = known.code.name_of("torch")
    made = _buffer(finding.where, f"{torch}.tensor({known.code.segment(value)})")
    edits = [known.code.rewritten(place, made)]
    for each in known.code.places(place.owner):
        if each.statement is place.statement:
            continue
        if found := assignment_to(known, finding.where, each.statement.lineno):
            new = f"{finding.where}.fill_({known.code.segment(found[1])})"
            edits.append(known.code.rewritten(each, new))
    return tuple(edits)


def wrapped_last(finding: Finding, known: Known) -> Fix | None:
    """Of `nn.Parameter(…).to(device)`: the move first, the Parameter around it."""
    found = _assigned(finding, known)
    wrappers = [c for c in calls_in(found[1], "Parameter") if c.args] if found else []
    if found is None or len(wrappers) != 1 or wrappers[0] is found[1]:
        return None
    place, value = found
    wanted = known.wanted(finding.where)
    if wanted and wanted.role != "parameter":
        made = _buffer(finding.where, _tensor_of(known, value))
        return Fix(
            "It is not to be trained: register a buffer", (known.code.rewritten(place, made),)
        )
    text = known.code.segment(value)
    inner = known.code.segment(wrappers[0].args[0])
    text = text.replace(known.code.segment(wrappers[0]), inner, 1)
    parsed = ast.parse(text, mode="eval").body
    chosen = parameters(place.function) if place.function else []
    if moves_only(parsed) and _is_literal_move(parsed) and "device" in chosen:
        text = f"{inner}.to(device)"
    elif moves_only(parsed) and _is_literal_move(parsed):
        return Fix(
            "Leave the move to `.to()` of the module",
            (known.code.rewritten(place, _parameter(known, finding.where, inner)),),
        )
    made = _parameter(known, finding.where, text)
    return Fix("Move first, wrap last", (known.code.rewritten(place, made),))


def _is_literal_move(move: ast.expr) -> bool:
    assert isinstance(move, ast.Call)
    given = [*move.args, *(each.value for each in move.keywords)]
    return all(isinstance(each, ast.Constant) for each in given)
