"""The scored lines: each check lists what is wrong, and passes if nothing is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import islice

from grader.evidence import Evidence, Output, TensorFact, Trained
from grader.judge.outputs import differences
from grader.judge.report import Check
from grader.judge.rules.journey import changed_numbers, journey
from grader.judge.rules.silent import lost, optimizers, parted_ties
from grader.judge.wording import told
from grader.rubrics import CheckName, Expected, Rubric

MOST_NAMES = 4

Problems = Iterator[str]
Rule = Callable[[Evidence, Rubric, tuple[Output, ...]], Problems]


def run_checks(
    evidence: Evidence, rubric: Rubric, expected: tuple[Output, ...]
) -> tuple[Check, ...]:
    """Every check that the rubric gives points for, in its order."""
    return tuple(_check(name, evidence, rubric, expected) for name in rubric.points)


def _check(
    name: CheckName, evidence: Evidence, rubric: Rubric, expected: tuple[Output, ...]
) -> Check:
    points = rubric.points[name]
    blocked = _never_reached(name, evidence)
    problems = [blocked] if blocked else list(RULES[name](evidence, rubric, expected))
    message = "; ".join(problems) if problems else SATISFIED[name]
    return Check(name, not problems, 0 if problems else points, points, message)


def _never_reached(name: CheckName, evidence: Evidence) -> str:
    if evidence.construction:
        return "not reached: it could not be constructed"
    seen = {
        "placement": bool(evidence.movements),
        "forward": bool(evidence.runs),
        "training": evidence.training is not None,
        "state_dict": evidence.checkpoint is not None,
        "checkpoint": evidence.audit is not None,
    }
    return "" if seen.get(name, evidence.structure is not None) else "not reached"


def _parameters(evidence: Evidence, rubric: Rubric, _: tuple[Output, ...]) -> Problems:
    found = _registered(evidence, trained=True)
    wanted = [each for each in rubric.tensors if each.role == "parameter"]
    if not rubric.names_matter:
        yield from _unmatched_shapes(found, wanted)
        return
    for each in wanted:
        yield from _wrong_parameter(each, evidence)
    surplus = sorted({fact.name for fact in found} - {each.name for each in rubric.tensors})
    if surplus:
        yield f"trainable, though the exercise does not ask for it: {_names(surplus)}"


def _wrong_parameter(wanted: Expected, evidence: Evidence) -> Problems:
    fact = _fact(wanted.name, evidence)
    if fact is None or fact.role != "parameter":
        yield f"`{wanted.name}` is not in `parameters()`"
    elif not fact.requires_grad:
        yield f"`{wanted.name}` is a Parameter with requires_grad=False, so it is never trained"
    elif wanted.shape not in (None, fact.shape):
        yield f"`{wanted.name}` has shape {fact.shape}; wanted: {wanted.shape}"


def _unmatched_shapes(found: list[TensorFact], wanted: list[Expected]) -> Problems:
    have = Counter(each.shape for each in found)
    need = Counter(each.shape for each in wanted if each.shape is not None)
    if sum(have.values()) != sum(need.values()):
        yield f"`parameters()` gives {sum(have.values())} tensors; wanted: {sum(need.values())}"
    elif have != need:
        missing = ", ".join(str(shape) for shape in need - have)
        yield f"`parameters()` has no tensor of shape {missing}"


def _buffers(evidence: Evidence, rubric: Rubric, _: tuple[Output, ...]) -> Problems:
    for wanted in rubric.tensors:
        if wanted.role != "parameter":
            yield from _wrong_buffer(wanted, evidence)


def _wrong_buffer(wanted: Expected, evidence: Evidence) -> Problems:
    fact = _fact(wanted.name, evidence)
    if fact is None:
        yield f"`{wanted.name}` is not registered"
    elif fact.role == "parameter" and (wanted.role == "buffer" or fact.requires_grad):
        yield f"`{wanted.name}` is a Parameter; it should be a buffer"
    elif not fact.persistent:
        yield f"`{wanted.name}` is a non-persistent buffer, so `state_dict()` leaves it out"
    elif wanted.shape not in (None, fact.shape):
        yield f"`{wanted.name}` has shape {fact.shape}; wanted: {wanted.shape}"
    elif fact.dtype != wanted.dtype:
        yield f"`{wanted.name}` has dtype {fact.dtype}; wanted: {wanted.dtype}"


def _state_dict(evidence: Evidence, rubric: Rubric, _: tuple[Output, ...]) -> Problems:
    keys = evidence.structure.state_keys if evidence.structure else ()
    yield from _wrong_keys(set(keys), rubric)
    checkpoint = evidence.checkpoint
    if checkpoint is None:
        return
    if checkpoint.raised:
        yield f"loading it into a fresh instance raised {told(checkpoint.raised)}"
    elif checkpoint.missing or checkpoint.unexpected:
        yield "a fresh instance has other keys: " + _names(
            [*checkpoint.missing, *checkpoint.unexpected]
        )
    elif any(differences(checkpoint.after, checkpoint.before)):
        yield "a fresh instance that loaded it gives other outputs: something is not saved"


def _wrong_keys(keys: set[str], rubric: Rubric) -> Problems:
    wanted = {each.name for each in rubric.tensors}
    if not rubric.names_matter:
        if len(keys) != len(wanted):
            yield f"it has {len(keys)} keys; wanted: {len(wanted)}"
        return
    if wanted - keys:
        yield f"it lacks {_names(sorted(wanted - keys))}"
    if keys - wanted:
        yield f"{_names(sorted(keys - wanted))} should not be in it"


def _placement(evidence: Evidence, rubric: Rubric, _: tuple[Output, ...]) -> Problems:
    for movement in evidence.movements:
        if movement.raised:
            yield f"`{movement.how}` raised {told(movement.raised)}"
            continue
        behind = [fact.path for fact in movement.tensors if not fact.device.startswith("cuda")]
        if behind:
            yield f"after `{movement.how}`, still on the CPU: {_names(behind)}"
            return


def _forward(evidence: Evidence, rubric: Rubric, expected: tuple[Output, ...]) -> Problems:
    yield from islice(_forward_problems(evidence, rubric, expected), 1)


def _forward_problems(evidence: Evidence, rubric: Rubric, expected: tuple[Output, ...]) -> Problems:
    """CUDA's before the CPU's; the later ones mostly follow from the first."""
    for run in sorted(evidence.runs, key=lambda run: run.device == "cpu"):
        where = "the CPU" if run.device == "cpu" else "CUDA"
        if run.raised:
            yield f"on {where}, `forward` raised {told(run.raised)}"
            return
        if run.device != "cpu":
            yield from _outputs_elsewhere(run.outputs)
        wrong = differences(run.outputs, expected, rubric.random_outputs)
        yield from (f"on {where}, {problem}" for problem in wrong)
    yield from _on_the_journey(evidence)


def _on_the_journey(evidence: Evidence) -> Problems:
    findings = (
        [*journey(evidence.audit), *changed_numbers(evidence.audit)] if evidence.audit else ()
    )
    for finding in findings:
        yield f"called on cuda:0 and cuda:1, moved and back: {finding.message}"


def _checkpoint(evidence: Evidence, rubric: Rubric, _: tuple[Output, ...]) -> Problems:
    audit = evidence.audit or evidence
    faults = (*lost(audit), *parted_ties(audit), *optimizers(audit))
    yield from (finding.message for finding in faults)


def _outputs_elsewhere(outputs: tuple[Output, ...]) -> Problems:
    for output in outputs:
        if output.device and not output.device.startswith("cuda"):
            where = output.device.upper()
            yield f"module and input were on CUDA, but {output.path} is on the {where}"


def _training(evidence: Evidence, rubric: Rubric, _: tuple[Output, ...]) -> Problems:
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
    if not any(each.requires_grad for each in training.tensors):
        yield "there is nothing to train: `parameters()` gives no tensor that requires a gradient"
        return
    for name in sorted(should_train):
        yield from _untrained(name, trained.get(name))
    changed = sorted(n for n, each in trained.items() if each.changed and n not in should_train)
    if changed:
        yield f"a training step changed {_names(changed)}, which should stay the same"


def _untrained(name: str, fact: Trained | None) -> Problems:
    if fact is None or not fact.requires_grad:
        yield f"`{name}` is not trained"
    elif not fact.has_gradient:
        yield f"no gradient reaches `{name}`: `forward` does not use it, or detaches it"
    elif not fact.changed:
        yield (
            f"a step of SGD left `{name}` as it was: its gradient is zero. Does the result depend "
            "on it, and is no activation stuck where it is flat?"
        )


def _registered(evidence: Evidence, trained: bool) -> list[TensorFact]:
    return [
        fact
        for fact in evidence.tensors
        if fact.role == "parameter" and fact.requires_grad == trained
    ]


def _fact(name: str, evidence: Evidence) -> TensorFact | None:
    return next((fact for fact in evidence.tensors if fact.name == name), None)


def _names(names: list[str]) -> str:
    told_of = ", ".join(f"`{name}`" for name in names[:MOST_NAMES])
    more = len(names) - MOST_NAMES
    return f"{told_of} and {more} more" if more > 0 else told_of


RULES: dict[CheckName, Rule] = {
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
