"""Tensors and modules that a module holds but has not registered."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from grader.evidence import Evidence, TensorFact
from grader.judge.report import Finding
from grader.judge.rules.devices import is_result
from grader.judge.wording import count, make_parameter, register_buffer

CONTAINERS = {"list", "dict", "tuple", "set", "frozenset", "deque", "OrderedDict", "defaultdict"}


def registration(evidence: Evidence) -> Iterator[Finding]:
    """`member-tensor`, `moved-before-registration`, `python-container` and `opaque-holder`."""
    unregistered = list(_unregistered(evidence))
    for fact in unregistered:
        if is_result(fact):
            yield _moved_before(fact)
        elif not fact.holder and fact.device == "cpu":
            yield _member_tensor(fact, evidence)
    hidden = sorted(
        (fact for fact in unregistered if fact.holder and not is_result(fact)),
        key=lambda fact: fact.holder,
    )
    for holder, facts in groupby(hidden, key=lambda fact: fact.holder):
        yield _hidden(holder, list(facts))


def emptied(evidence: Evidence) -> Iterator[Finding]:
    """`registration-misuse`: a buffer that an assignment replaced by None."""
    for place in evidence.structure.emptied if evidence.structure else ():
        attribute = place.path.removeprefix("self.")
        yield Finding(
            "registration-misuse",
            "error",
            place.path,
            place.line,
            f"`{place.path}` was registered as a buffer, and is None now: `register_buffer` "
            "returns None, and assigning its result puts that None in the buffer's place.",
            f'Register without assigning: `self.register_buffer("{attribute}", tensor)`.',
        )


def _unregistered(evidence: Evidence) -> Iterator[TensorFact]:
    tensors = evidence.structure.tensors if evidence.structure else ()
    registered = {fact.identity for fact in tensors if fact.role != "plain"}
    seen: set[int] = set()
    for fact in tensors:
        if fact.identity not in registered and fact.identity not in seen:
            seen.add(fact.identity)
            yield fact


def _moved_before(fact: TensorFact) -> Finding:
    return Finding(
        "moved-before-registration",
        "error",
        fact.path,
        fact.line,
        f"`{fact.path}` is the result of an operation on a Parameter, such as `.cuda()` or "
        "`.to(device)`: a new tensor with a grad_fn, not a Parameter. It is not registered and "
        "will not be trained.",
        f"Move first, wrap last: `self.{_attribute(fact)} = nn.Parameter(tensor.to(device))`.",
    )


def _member_tensor(fact: TensorFact, evidence: Evidence) -> Finding:
    attribute = _attribute(fact)
    fix = f"`{register_buffer(attribute, fact.value)}`"
    if fact.requires_grad:
        fix = f"`{make_parameter(attribute, _without_requires_grad(fact.value))}`"
    return Finding(
        "member-tensor",
        "error",
        fact.path,
        fact.line,
        f"`{fact.path}` is a plain tensor, so the module does not know it: `.cuda()` leaves it on "
        f"the CPU{_symptom(fact, evidence)}, and `state_dict()` does not save it.",
        f"Register it: {fix}.",
    )


def _without_requires_grad(value: str) -> str:
    return value.replace(", requires_grad=True", "")


def _symptom(fact: TensorFact, evidence: Evidence) -> str:
    for run in evidence.runs:
        operands = run.raised.operands if run.raised else ()
        if any(operand.name == fact.path for operand in operands) and run.raised:
            operation = run.raised.operation.rsplit(".", 1)[-1].strip("_")
            return f", and line {run.raised.line} mixes it with a CUDA tensor (`{operation}`)"
    return ""


def _hidden(holder: str, facts: list[TensorFact]) -> Finding:
    kind, path = holder.split(" ", 1)
    attribute = path.removeprefix("self.")
    parameters = [fact for fact in facts if fact.is_parameter]
    what = count(len(parameters), "Parameter") if parameters else count(len(facts), "tensor")
    if kind not in CONTAINERS:
        return _opaque(kind, path, facts)
    verb = "is" if len(parameters or facts) == 1 else "are"
    return Finding(
        "python-container",
        "error",
        path,
        facts[0].line,
        f"`{path}` is a Python {kind}, and `nn.Module` does not look into it: the {what} in it "
        f"{verb} not in `parameters()` or `state_dict()`, and `.cuda()` does not move "
        f"{'it' if verb == 'is' else 'them'}.",
        _container_fix(kind, attribute, facts[0]),
    )


def _container_fix(kind: str, attribute: str, fact: TensorFact) -> str:
    mapping = "dict" in kind.lower()
    if not fact.is_parameter:
        name = f'f"{attribute}_{{name}}"' if mapping else f'f"{attribute}_{{i}}"'
        return f"Register each as a buffer: `self.register_buffer({name}, tensor)`."
    of_modules = "." in fact.path.rsplit("]", 1)[-1]
    container = ("Module" if of_modules else "Parameter") + ("Dict" if mapping else "List")
    value = fact.value if fact.value and fact.value not in ("[]", "{}") else ""
    return f"Use PyTorch's own container: `self.{attribute} = nn.{container}({value})`."


def _opaque(kind: str, path: str, facts: list[TensorFact]) -> Finding:
    return Finding(
        "opaque-holder",
        "error",
        facts[0].path,
        facts[0].line,
        f"`{facts[0].path}` lives in a {kind}, which is no `nn.Module`: `.cuda()` does not look "
        "into it, so the tensor stays on the CPU.",
        f"Keep the tensor as a buffer of the module, and build the {kind} from it in `forward`.",
    )


def _attribute(fact: TensorFact) -> str:
    return fact.path.rsplit(".", 1)[-1]
