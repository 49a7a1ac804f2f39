"""What is said of an answer that passes, and that one would usually write otherwise."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.judge.checks.graded_answer import registered_fact
from grader.judge.codes import Code
from grader.judge.fixes.expressions import called_name, calls_in
from grader.judge.fixes.source_file import SourceFile
from grader.judge.wording import join_names
from grader.schema import Evidence, Phase, Rubric, Run


def remarks(evidence: Evidence, rubric: Rubric, code: SourceFile) -> Iterator[str]:
    """A sentence for each; they cost nothing."""
    holders = [*calls_in(code.tree, "ParameterDict"), *calls_in(code.tree, "ParameterList")]
    for name in {called_name(holder) for holder in holders if calls_in(holder, "Linear")}:
        yield (
            f"`nn.{name}` registers layers as well, so this is right. Layers usually go into an "
            f"`nn.{name.replace('Parameter', 'Module')}`."
        )
    to_cpu = (call for call in calls_in(code.tree, "to") if "cpu" in ast.unparse(call))
    not_waiting = (call for call in to_cpu if "non_blocking=True" in ast.unparse(call))
    for call in not_waiting if "synchronize(" not in code.text else ():
        yield (
            f"Line {call.lineno} does not wait for the GPU, so the numbers may be read before they "
            "are there. Leave `non_blocking=True` out, or call `synchronize()` first."
        )
    expected = (tensor.name for tensor in rubric.tensors if tensor.role != "parameter")
    facts = (registered_fact(name, evidence) for name in expected)
    frozen = [f"self.{fact.name}" for fact in facts if fact and fact.role == "parameter"]
    if frozen:
        yield (
            f"{join_names(frozen)}: as a frozen Parameter it moves and is saved, so this is right. "
            "A buffer is the usual choice, as `parameters()` leaves it out."
        )
    # Elsewhere, as in 07, to move what comes in is what the exercise asks for.
    if rubric.finding == Code.STALE_DEVICE and any(map(_moves_its_own, evidence.runs)):
        yield (
            "`forward` asks for a move in each call, which is right. A buffer, or a tensor that is "
            "made on `x.device`, needs no such line."
        )


def _moves_its_own(run: Run) -> bool:
    """Whether a call on a GPU asked to move a tensor that is neither an input nor an output."""
    stays = all(output.device == run.device for output in run.outputs)
    is_asked = run.phase is Phase.CUDA and run.asks_to_move and not run.moved_inputs
    return is_asked and stays and run.device.startswith("cuda")
