"""The scored lines: each check lists what is wrong, and passes if nothing is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

from grader.evidence import ByDefault, Evidence, Output, TensorFact, Trained
from grader.judge.attribution import Shown
from grader.judge.beginning import Beginning, problems_of_beginning
from grader.judge.calls import problems_of_calls
from grader.judge.findings import Sighting
from grader.judge.outputs import differences
from grader.judge.report import Check
from grader.judge.wording import listed, told
from grader.rubrics import CheckName, Expected, Rubric

Problems = Iterator[str]


@dataclass(frozen=True)
class Answer:
    """What a check reads.

    Attributes:
        evidence: what the probe saw.
        rubric: what the exercise asks.
        expected: what `forward` should have given.
        audited: what the rules found in the audit that the exercise asks for.
    """

    evidence: Evidence
    rubric: Rubric
    expected: tuple[Output, ...]
    audited: tuple[Sighting, ...] = ()


def run_checks(answer: Answer, beginning: Beginning | None = None) -> tuple[Check, ...]:
    """Every check that the rubric gives points for, in its order.

    Args:
        answer: what the checks read.
        beginning: what a new instance should hold and give, None to leave that out.
    """
    evidence, rubric = answer.evidence, answer.rubric
    wrong = list(problems_of_beginning(evidence, rubric, beginning or Beginning()))
    return tuple(
        _check(name, answer, [told for check, told in wrong if check == name])
        for name in rubric.points
    )


def _check(name: CheckName, answer: Answer, wrong_at_first: list[str]) -> Check:
    points = answer.rubric.points[name]
    if not_run := _never_reached(name, answer.evidence):
        return Check(name, False, 0, points, not_run, "not run")
    problems = list(CHECKS[name](answer)) or wrong_at_first[:1]
    message = "; ".join(problems) if problems else SATISFIED[name]
    return Check(name, not problems, 0 if problems else points, points, message)


def _never_reached(name: CheckName, evidence: Evidence) -> str:
    if evidence.construction:
        return "not run: the module could not be constructed"
    seen = {
        "placement": bool(evidence.movements),
        "forward": bool(evidence.runs),
        "training": evidence.training is not None,
        "state_dict": evidence.checkpoint is not None,
        "checkpoint": evidence.audit is not None,
    }
    reached = seen.get(name, evidence.structure is not None)
    return "" if reached else "not run: the grader did not get that far"


def _parameters(answer: Answer) -> Problems:
    evidence, rubric = answer.evidence, answer.rubric
    found = _registered(evidence, trained=True)
    yield from _sharing_memory(found)
    wanted = [each for each in rubric.tensors if each.role == "parameter"]
    if not rubric.names_matter:
        yield from _unmatched_shapes(found, wanted)
        return
    for each in wanted:
        yield from _wrong_parameter(each, evidence)
    surplus = sorted({fact.name for fact in found} - {each.name for each in rubric.tensors})
    if surplus:
        yield f"trainable, though the exercise does not ask for it: {listed(surplus)}"


def _sharing_memory(found: list[TensorFact]) -> Problems:
    """Two Parameters over the same memory: a step that trains one changes the other."""
    firsts: dict[int, TensorFact] = {}
    for fact in found:
        first = firsts.setdefault(fact.storage, fact) if fact.storage else fact
        if first.identity != fact.identity:
            yield (
                f"`{first.name}` and `{fact.name}` share their memory, so training one changes the "
                "other: make a tensor for each"
            )


def _wrong_parameter(wanted: Expected, evidence: Evidence) -> Problems:
    fact = _fact(wanted.name, evidence)
    if fact is None or fact.role != "parameter":
        yield f"`{wanted.name}` is not in `parameters()`"
    elif not fact.requires_grad:
        yield f"`{wanted.name}` is a Parameter with requires_grad=False, so it is never trained"
    elif wanted.shape not in (None, fact.shape):
        yield f"`{wanted.name}` has shape {fact.shape}; wanted: {wanted.shape}"
    else:
        yield from _wrong_start(wanted, fact)


def _wrong_start(wanted: Expected, fact: TensorFact) -> Problems:
    start = fact.uniform.numbers()[0] if fact.uniform else None
    if wanted.start is not None and start != wanted.start:
        has = "other values" if start is None else f"{start:g} everywhere"
        yield f"`{wanted.name}` has {has} at first; wanted: {wanted.start:g}"


def _unmatched_shapes(found: list[TensorFact], wanted: list[Expected]) -> Problems:
    have = Counter(each.shape for each in found)
    need = Counter(each.shape for each in wanted if each.shape is not None)
    if sum(have.values()) != sum(need.values()):
        yield f"`parameters()` gives {sum(have.values())} tensors; wanted: {sum(need.values())}"
    elif have != need:
        missing = ", ".join(str(shape) for shape in need - have)
        yield f"`parameters()` has no tensor of shape {missing}"


def _buffers(answer: Answer) -> Problems:
    evidence, rubric = answer.evidence, answer.rubric
    for wanted in rubric.tensors:
        if wanted.role != "parameter":
            yield from _wrong_buffer(wanted, evidence)


def _wrong_buffer(wanted: Expected, evidence: Evidence) -> Problems:
    fact = _fact(wanted.name, evidence)
    saved = evidence.structure.state_keys if evidence.structure else ()
    if fact is None and wanted.role == "saved" and wanted.name in saved:
        return
    if fact is None:
        yield f"`{wanted.name}` is not registered"
    elif other := _same_tensor(fact, evidence):
        is_same = other.identity == fact.identity
        how = "is a second name for" if is_same else "shares its memory with"
        yield f"`{wanted.name}` {how} `{other.name}`: make a tensor for each"
    elif fact.role == "parameter" and (wanted.role == "buffer" or fact.requires_grad):
        yield f"`{wanted.name}` is a Parameter; it should be a buffer"
    elif fact.role == "buffer" and fact.requires_grad:
        yield f"`{wanted.name}` is a buffer, but requires a gradient; give it a plain tensor"
    elif not fact.persistent:
        yield f"`{wanted.name}` is a non-persistent buffer, so `state_dict()` leaves it out"
    elif wanted.shape not in (None, fact.shape):
        yield f"`{wanted.name}` has shape {fact.shape}; wanted: {wanted.shape}"
    elif fact.dtype not in wanted.dtypes:
        yield f"`{wanted.name}` has dtype {fact.dtype}; wanted: {' or '.join(wanted.dtypes)}"
    else:
        yield from _wrong_start(wanted, fact)


def _same_tensor(fact: TensorFact, evidence: Evidence) -> TensorFact | None:
    """Another registered tensor that is the same object, or lies in the same memory."""
    others = (each for each in evidence.tensors if each.name not in ("", fact.name))
    return next(
        (
            each
            for each in others
            if each.identity == fact.identity or (each.storage and each.storage == fact.storage)
        ),
        None,
    )


def _state_dict(answer: Answer) -> Problems:
    evidence, rubric = answer.evidence, answer.rubric
    keys = evidence.structure.state_keys if evidence.structure else ()
    yield from _wrong_keys(set(keys), evidence, rubric)
    checkpoint = evidence.checkpoint
    if checkpoint is None:
        return
    if checkpoint.raised:
        yield f"loading it into a fresh instance raised {told(checkpoint.raised)}"
    elif checkpoint.missing or checkpoint.unexpected:
        if checkpoint.missing:
            yield f"a fresh instance that loads it lacks {listed(list(checkpoint.missing))}"
        if checkpoint.unexpected:
            yield f"a fresh instance has no place for {listed(list(checkpoint.unexpected))}"
    elif any(differences(checkpoint.after, checkpoint.before)):
        yield "a fresh instance that loaded it gives other outputs: something is not saved"
    trained = evidence.audit.checkpoint if evidence.audit else None
    if trained and trained.unexpected:
        names = listed(list(trained.unexpected))
        yield f"once it was called, it also holds {names}, which a fresh instance does not load"


def _wrong_keys(keys: set[str], evidence: Evidence, rubric: Rubric) -> Problems:
    wanted = {each.name for each in rubric.tensors}
    if not rubric.names_matter:
        if len(keys) < len(wanted):
            lacking = _lacking_shapes(keys, evidence, rubric)
            yield f"it has {len(keys)} keys; wanted: {len(wanted)}{lacking}"
        return
    if wanted - keys:
        yield f"it lacks {listed(sorted(wanted - keys))}"
    if keys - wanted:
        buffers = {fact.name for fact in evidence.tensors if fact.role == "buffer"}
        is_one_more = keys >= wanted and keys - wanted <= buffers
        how = ": a buffer with `persistent=False` is left out" if is_one_more else ""
        yield f"{listed(sorted(keys - wanted))} should not be in it{how}"


def _lacking_shapes(keys: set[str], evidence: Evidence, rubric: Rubric) -> str:
    have = Counter(fact.shape for fact in evidence.tensors if fact.name in keys)
    need = Counter(each.shape for each in rubric.tensors if each.shape is not None)
    shapes = ", ".join(str(shape) for shape in need - have)
    return f" (it holds no tensor of shape {shapes})" if have and shapes else ""


def _placement(answer: Answer) -> Problems:
    evidence, rubric = answer.evidence, answer.rubric
    for movement in evidence.movements:
        if movement.raised:
            yield f"`{movement.how}` raised {told(movement.raised)}"
            continue
        behind = [fact.path for fact in movement.tensors if not fact.device.startswith("cuda")]
        if behind:
            yield f"after `{movement.how}`, still on the CPU: {listed(behind)}"
            return
    if evidence.by_default:
        yield from _on_the_default_device(evidence.by_default)
    if rubric.recipe.takes_device and evidence.audit:
        yield from _built_elsewhere(evidence.audit)


def _on_the_default_device(seen: ByDefault) -> Problems:
    """Where the caller's default says, which the constructor leaves as it is."""
    registered = [each for each in seen.tensors if each.role != "plain"]
    behind = [each.path for each in registered if not each.device.startswith("cuda")]
    if seen.raised:
        yield f"built while the default device is CUDA, it raised {told(seen.raised)}"
    elif behind:
        yield (
            'built without a `device` after `torch.set_default_device("cuda")`, it has '
            f"{listed(behind)} on the CPU; wanted: on the default device"
        )
    if seen.left != "cpu":
        yield (
            f"its constructor leaves the default device of the whole program on {seen.left}: pass "
            "`device=` to each tensor instead"
        )


def _built_elsewhere(audit: Evidence) -> Problems:
    """Where the constructor's `device` says, and on the CPU, the default, if it says nothing."""
    by_default = [each for each in audit.tensors if each.device.startswith("cuda")]
    if by_default:
        yield (
            f"built without a `device`, it has {listed([each.path for each in by_default])} on "
            f"{by_default[0].device}; wanted: on the default device, which here is the CPU"
        )
    if audit.on_device_raised:
        yield f'built with `device="cuda:0"`, it raised {told(audit.on_device_raised)}'
    elif audit.on_device is None:
        yield "its constructor takes no argument `device` any more"
    else:
        registered = (each for each in audit.on_device.tensors if each.role != "plain")
        behind = [each.path for each in registered if each.device != "cuda:0"]
        if behind:
            yield f'built with `device="cuda:0"`, it has {listed(behind)} on the CPU'


def _forward(answer: Answer) -> Problems:
    yield from islice(
        problems_of_calls(answer.evidence, answer.rubric, answer.expected, answer.audited), 1
    )


def _checkpoint(answer: Answer) -> Problems:
    for shown in (Shown.RELOAD, Shown.PARTED):
        yield from (each.finding.message for each in answer.audited if each.shown is shown)


def _training(answer: Answer) -> Problems:
    evidence, rubric = answer.evidence, answer.rubric
    training = evidence.training
    if training is None:
        return
    if training.raised:
        yield f"a training step raised {told(training.raised)}"
        return
    should_train = {each.name for each in rubric.tensors if each.role == "parameter"}
    trained = {each.name: each for each in training.tensors}
    if not rubric.names_matter:
        should_train = {name for name, each in trained.items() if each.requires_grad}
    parameters = [each for each in training.tensors if each.role == "parameter"]
    if not any(each.requires_grad for each in parameters):
        yield "there is nothing to train: `parameters()` gives no tensor that requires a gradient"
        return
    yield from _untrained(sorted(should_train), trained)
    known = {each.name for each in rubric.tensors}
    changed = sorted(
        name
        for name, each in trained.items()
        if each.changed and name not in should_train and (name in known or not each.requires_grad)
    )
    if changed:
        yield f"a training step changed {listed(changed)}, which should stay the same"


def _untrained(names: list[str], trained: dict[str, Trained]) -> Problems:
    facts = {name: trained.get(name) for name in names}
    asked = {name: fact for name, fact in facts.items() if fact and not _why_untrained(fact)}
    yield from (f"`{n}` {_why_untrained(facts[n])}" for n in names if n not in asked)
    unreached = [name for name, fact in asked.items() if not fact.has_gradient]
    if unreached:
        them = "it" if len(unreached) == 1 else "them"
        yield (
            f"no gradient reaches {listed(unreached)}: `forward` does not use {them}, or detaches "
            f"{them}"
        )
    flat = [name for name, fact in asked.items() if fact.has_gradient and not fact.changed]
    if flat:
        yield (
            f"a step of SGD changed nothing in {listed(flat)}: the gradient is zero. Does the "
            "result depend on this, is no activation stuck where it is flat, and does each step "
            "between have a way back (`torch.normal` has none)?"
        )


def _why_untrained(trained: Trained | None) -> str:
    if trained is None:
        return "is not in `parameters()`, so nothing trains it"
    if trained.role == "buffer":
        return "is a buffer, so nothing trains it"
    return "" if trained.requires_grad else "has requires_grad=False, so it is not trained"


def _registered(evidence: Evidence, trained: bool) -> list[TensorFact]:
    return [
        fact
        for fact in evidence.tensors
        if fact.role == "parameter" and fact.requires_grad == trained
    ]


def _fact(name: str, evidence: Evidence) -> TensorFact | None:
    return next((fact for fact in evidence.tensors if fact.name == name), None)


CHECKS: dict[CheckName, Callable[[Answer], Problems]] = {
    "parameters": _parameters,
    "buffers": _buffers,
    "state_dict": _state_dict,
    "placement": _placement,
    "forward": _forward,
    "training": _training,
    "checkpoint": _checkpoint,
}
SATISFIED: dict[CheckName, str] = {
    "parameters": "names, shapes and requires_grad are right",
    "buffers": "registered, persistent, of the right shape and dtype",
    "state_dict": "the right keys; a fresh instance that loads it gives the same outputs",
    "placement": 'every tensor is on CUDA after `.cuda()` and after `.to("cuda")`',
    "forward": "runs on the CPU and on CUDA, stays there, and gives the right numbers",
    "checkpoint": "trained, saved and loaded elsewhere, it gives the same outputs",
    "training": "gradients reach every parameter, a step changes them, the rest stays",
}
