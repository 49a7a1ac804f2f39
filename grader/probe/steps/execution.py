"""The calls that are compared with the solution's: one on the CPU, one on CUDA."""

from __future__ import annotations

import torch
from msgspec.structs import replace
from torch import nn

from grader.probe.inspection.operations import tensors_in
from grader.probe.inspection.rows import RowsWatch
from grader.probe.inspection.values import state_of
from grader.probe.session import Session
from grader.probe.steps.filled_calls import call_moved, filled_module
from grader.probe.steps.other_placements import elsewhere, without_gpu
from grader.schema import Evidence


def execution(session: Session, evidence: Evidence) -> Evidence:
    """Call one instance on the CPU and another on CUDA, from the same state."""
    on_cpu = filled_module(session, without_gpu(session))
    on_cuda = filled_module(session)
    state = state_of(on_cpu)
    evidence = replace(evidence, state=state, elsewhere=elsewhere(session))
    runs = call_moved(session, on_cpu, "cpu"), call_moved(session, on_cuda, "cuda")
    evidence = replace(evidence.with_runs(*runs), left=session.tensors_of(on_cuda))
    if session.wants.most_rows is None:
        return evidence
    rows = _rows_there(session, on_cuda, True), _rows_there(session, on_cuda, False)
    return replace(evidence, rows=rows)


def _rows_there(session: Session, module: nn.Module, has_gradients: bool) -> int:
    """How many rows of its inputs the module has on CUDA at a time."""
    inputs = session.fed_to("cuda")
    watch = RowsWatch(tensors_in(inputs.args))
    with torch.set_grad_enabled(has_gradients):
        session.call(module, inputs, is_traced=False, watch=watch)
    return watch.most
