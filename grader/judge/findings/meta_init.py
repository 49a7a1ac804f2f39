"""`meta-init`: values that `__init__` computes are garbage after a build on the meta device."""

from __future__ import annotations

from collections.abc import Iterator

from grader.judge.findings.base import Code, Fault, Rule, RuleContext
from grader.judge.lookups import structure
from grader.judge.outputs import has_nan
from grader.judge.wording import describe
from grader.schema import Evidence, Location, Materialised, Phase, Run, TensorFact, nearly_equal

OTHER_NUMBERS = "Then `forward` returns other numbers, and no error."
NO_VALUES = "cannot be called on meta tensors"  # `Tensor.item` (torch/_meta_registrations.py)


class MetaInit(Rule):
    """`to_empty` gives memory without values, and a checkpoint brings only what it holds."""

    code = Code.META_INIT
    summary = "Built on the meta device and loaded, a buffer holds garbage."
    shows = "silent; loud for plain tensors"
    severity = "warning"

    def search(self, context: RuleContext) -> Iterator[Fault]:
        """What loading leaves empty; in an audit, what the constructor itself did before that."""
        evidence = context.evidence
        if not context.is_audit:
            yield from self._faults_elsewhere(context)
            return
        left_empty = list(self._empty_faults(evidence))
        yield from left_empty
        if evidence.materialised and not left_empty:
            yield from self._loading_faults(evidence, evidence.materialised)

    def _faults_elsewhere(self, context: RuleContext) -> Iterator[Fault]:
        """An exercise asks for this way to build, and the call returns something else."""
        for trial in context.evidence.elsewhere:
            if has_nan(trial.run.outputs):  # what it has read; one trial fills the memory with NaN
                empty = {f"self.{name}" for name in trial.unwritten}
                for fact in (f for f in context.evidence.tensors if f.path in empty):
                    saves = context.rubric is None or context.rubric.saves(fact.path)
                    words = f"{_why(fact)} {OTHER_NUMBERS}", _fix(fact, saves)
                    yield self.finding(fact, *words, "error")

    def _empty_faults(self, evidence: Evidence) -> Iterator[Fault]:
        """The module under audit has gone through the meta device: an error."""
        baseline = evidence.run_of(Phase.CPU)
        for fact in evidence.tensors:
            if fact.path not in structure(evidence).unwritten:
                continue
            if fact.device == "meta":
                harm = "is still on the meta device, without memory or values"
            elif fact.used and baseline and has_nan(baseline.outputs):
                harm = "has memory from `to_empty` or `torch.empty`, and nothing wrote values to it"
                harm += ": a call reads garbage"
            else:
                continue
            yield self.finding(fact, f"`{fact.path}` {harm}.", _fix(fact), "error")

    def _loading_faults(self, evidence: Evidence, loaded: Materialised) -> Iterator[Fault]:
        """An instance that was built on the meta device and loaded gives something else."""
        raised = loaded.raised
        if raised and raised.line and NO_VALUES in raised.message:
            yield self.finding(
                Location(raised.code, raised.line, file=raised.file),
                "On the meta device, where loaders build large models, no tensor has values: the "
                f"constructor raises {describe(raised)}.",
                "Compute it from Python's numbers, or name the CPU as the device of that tensor.",
            )
        if not (harm := _harm(loaded, evidence)):
            return
        facts = {fact.path: fact for fact in evidence.tensors}
        for fact in (facts[path] for path in loaded.unwritten if path in facts):
            if fact.used:
                yield self.finding(fact, f"{_why(fact)} {harm}", _fix(fact))


def _harm(loaded: Materialised, evidence: Evidence) -> str:
    run, expected = loaded.run, loaded.expected
    if run is None or expected is None or expected.raised:
        return ""
    if run.raised:
        return f"Then `forward` raises {describe(run.raised)}."
    if _has_other_numbers(run, expected, evidence):
        return OTHER_NUMBERS
    return ""


def _has_other_numbers(run: Run, expected: Run, evidence: Evidence) -> bool:
    if has_nan(run.outputs) and not has_nan(expected.outputs):
        return True
    return not evidence.random and not nearly_equal(run.outputs, expected.outputs)


def _why(fact: TensorFact) -> str:
    build = "Loaders build large models on the meta device, without values. There,"
    if fact.role == "plain":
        return (
            f"{build} `{fact.path}`, a plain tensor, stays: neither `to_empty` nor a checkpoint "
            "knows it."
        )
    return (
        f"{build} what `__init__` computes for `{fact.path}` is lost: `to_empty` gives it "
        "uninitialised memory, and a non-persistent buffer is in no checkpoint."
    )


def _fix(fact: TensorFact, may_be_saved: bool = True) -> str:
    compute = "Register it as a buffer, compute" if fact.role == "plain" else "Compute"
    or_save = "; or let the checkpoint hold it, as a persistent buffer" * may_be_saved
    return (
        f"{compute} its values in `reset_parameters` and `copy_` them into it: `__init__` calls "
        f"that, and whoever uses `to_empty` calls it again{or_save}."
    )
