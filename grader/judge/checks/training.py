"""Whether a training step reaches what should be trained, and nothing else."""

from __future__ import annotations

from grader.evidence import Trained
from grader.judge.checks.answer import Answer, Problems
from grader.judge.wording import listed, told


def training(answer: Answer) -> Problems:
    """Each thing that is wrong, in words."""
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
