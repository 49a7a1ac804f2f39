"""Tensors and modules that a module holds but has not registered."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from grader.evidence import Evidence, Structure, TensorFact
from grader.judge.report import Finding, Severity
from grader.judge.rules.devices import is_result
from grader.judge.wording import count

REGISTER = (
    "Register it in `__init__`: as a Parameter if it is trained, else as a buffer, with "
    "`persistent=False` if `__init__` can always compute it again."
)
CONTAINERS = {"list", "dict", "tuple", "set", "frozenset", "deque", "OrderedDict", "defaultdict"}


def registration(evidence: Evidence, severity: Severity = "error") -> Iterator[Finding]:
    """`member-tensor`, `moved-before-registration`, `python-container` and `opaque-holder`."""
    facts = [fact for fact in unregistered(evidence) if not follows(fact, evidence)]
    for fact in facts:
        if is_result(fact):
            yield moved_before(fact)
        elif not fact.holder and fact.device == "cpu":
            yield member_tensor(fact, "", severity)
    hidden = [fact for fact in facts if fact.holder and not is_result(fact)]
    for _, group in groupby(sorted(hidden, key=_holder), key=_holder):
        yield held_in(None, list(group), severity)


def unregistered(evidence: Evidence) -> Iterator[TensorFact]:
    """Each tensor that is held and not registered, once."""
    tensors = evidence.tensors
    registered = {fact.identity for fact in tensors if fact.role != "plain"}
    seen: set[int] = set()
    for fact in tensors:
        if fact.identity not in registered and fact.identity not in seen:
            seen.add(fact.identity)
            yield fact


def follows(fact: TensorFact, evidence: Evidence) -> bool:
    """Whether it moves along all the same: an `_apply` that is overridden may see to it."""
    seen = [
        any(each.path == fact.path and each.device.startswith("cuda") for each in move.tensors)
        for move in evidence.movements
    ]
    return fact.device == "cpu" and bool(seen) and all(seen)


def emptied(evidence: Evidence) -> Iterator[Finding]:
    """`registration-misuse`: a buffer that an assignment replaced by None."""
    for place in (evidence.structure or Structure()).emptied:
        yield Finding(
            "registration-misuse",
            "error",
            place.path,
            place.line,
            f"`{place.path}` was registered as a buffer, and is None now: `register_buffer` "
            "returns None, and assigning its result puts that None in the buffer's place.",
            "Register without assigning: leave out the name and the `=` before the call.",
        )


def moved_before(fact: TensorFact) -> Finding:
    """The result of an operation on a Parameter, kept in the Parameter's stead."""
    return Finding(
        "moved-before-registration",
        "error",
        fact.path,
        fact.line,
        f"`{fact.path}` is the result of an operation on a Parameter, such as `.cuda()` or "
        "`.to(device)`: a new tensor with a grad_fn, not a Parameter. It is not registered and "
        "will not be trained.",
        "Move first, wrap last: make an `nn.Parameter` of the finished tensor.",
    )


def member_tensor(fact: TensorFact, symptom: str, severity: Severity = "error") -> Finding:
    """A plain tensor attribute; `symptom` says where it came to light."""
    return Finding(
        "member-tensor",
        severity,
        fact.path,
        fact.line,
        f"`{fact.path}` is a plain tensor, so the module does not know it: `.cuda()` leaves it on "
        f"the CPU{symptom}, and `state_dict()` does not save it.",
        REGISTER,
    )


def alias(fact: TensorFact, buffer: TensorFact) -> Finding:
    """A second name for a buffer, which a move makes the name of what the buffer was."""
    return Finding(
        "member-tensor",
        "error",
        fact.path,
        fact.line,
        f"`{fact.path}` is a second name for `{buffer.path}`. A move puts a new tensor into the "
        "buffer, and the second name keeps the old one, on the old device.",
        f"Use the registered name, `{buffer.path}`, or make the second one a property that returns "
        "it.",
    )


def held_in(
    stray: TensorFact | None, facts: list[TensorFact], severity: Severity = "error"
) -> Finding:
    """Tensors hidden in one container or object; `stray` is the one that came to light."""
    holder = facts[0].holder
    kind, path = holder.split(" ", 1) if holder else ("", facts[0].path)
    if any(fact.copy_of for fact in facts):
        return _averaged_copy(path, facts, severity)
    if kind not in CONTAINERS and kind:
        return _opaque(kind, stray or facts[0], severity)
    if not kind:
        path, kind = _hidden_module(facts[0]), "hidden attribute"
    return _container(kind, path, facts, severity)


def _container(kind: str, path: str, facts: list[TensorFact], severity: Severity) -> Finding:
    parameters = [fact for fact in facts if fact.is_parameter]
    what = count(len(parameters), "Parameter") if parameters else count(len(facts), "tensor")
    one = len(parameters or facts) == 1
    return Finding(
        "python-container",
        severity,
        path,
        facts[0].line,
        f"`{path}` is a Python {kind}, and `nn.Module` does not look into it: the {what} in it "
        f"{'is' if one else 'are'} not in `parameters()` or `state_dict()`, and `.cuda()` does not "
        f"move {'it' if one else 'them'}.",
        container_fix(kind, path, facts[0]),
    )


def container_fix(kind: str, path: str, fact: TensorFact) -> str:
    """How to register what a Python container holds, in words."""
    if "lambda" in fact.value:
        return (
            "A function cannot be registered. Keep the modules themselves in an `nn.ModuleList` or "
            "`nn.ModuleDict`, and call them in `forward`."
        )
    if "." in path.removeprefix("self.") and not fact.value and not fact.is_parameter:
        return (
            "`nn.ParameterDict` and `nn.ParameterList` look at what they are given, not inside it. "
            f"Give each tensor an entry of its own, or put an `nn.ParameterList` in the {kind}'s "
            "place."
        )
    if not fact.is_parameter and not fact.in_loss:
        return (
            "Register each tensor as a buffer under a name of its own, such as that of the "
            "attribute with a number, and read the buffers in `forward`."
        )
    of_modules = "." in fact.path.rsplit("]", 1)[-1]
    container = "Module" if of_modules else "Parameter"
    container += "Dict" if "dict" in kind.lower() else "List"
    nested = ", and for every container around it" if "[" in path else ""
    return f"Use PyTorch's own container, `nn.{container}`, for it{nested}."


def _averaged_copy(path: str, facts: list[TensorFact], severity: Severity) -> Finding:
    original = next(fact.copy_of for fact in facts if fact.copy_of)
    where = path if facts[0].holder else _hidden_module(facts[0])
    return Finding(
        "averaged-copy",
        severity,
        where,
        facts[0].line,
        f"`{where}` is a copy of Parameters (of `{original}`, for one) that the module does not "
        "know: it stays on the CPU when the Parameters move, and no checkpoint holds it.",
        "Keep the copy as an attribute of its own, frozen with `requires_grad_`, or its tensors as "
        "buffers.",
    )


def _opaque(kind: str, fact: TensorFact, severity: Severity) -> Finding:
    return Finding(
        "opaque-holder",
        severity,
        fact.path,
        fact.line,
        f"`{fact.path}` lives in a {kind}, which is no `nn.Module`: `.cuda()` does not look "
        "into it, so the tensor stays on the CPU.",
        f"Keep the tensor as a buffer of the module, and build the {kind} from it in `forward`.",
    )


def _hidden_module(fact: TensorFact) -> str:
    """`self.ema` of `self.ema.0.weight`."""
    return ".".join(fact.path.split(".")[:2])


def _holder(fact: TensorFact) -> str:
    return fact.holder
