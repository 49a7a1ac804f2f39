"""`averaged-copy`: a copy of Parameters, such as a moving average, that is not registered."""

from __future__ import annotations

from grader.judge.findings.base import Cause, Code, Fault, How, Rule


class AveragedCopy(Rule):
    """It stays on the CPU when the Parameters move, and no checkpoint holds it."""

    code = Code.AVERAGED_COPY
    summary = "The moving average of the weights stays behind."
    shows = "loud; silent with `copy_`"
    checks = ("placement", "state_dict")
    message = (
        "`{path}` is a copy of Parameters (of `{original}`, for one) that the module does not "
        "know: it stays on the CPU when the Parameters move, and no checkpoint holds it."
    )
    fix = (
        "Keep the copy as an attribute of its own, frozen with `requires_grad_`, or its tensors as "
        "buffers."
    )

    def explain(self, cause: Cause) -> Fault:
        """A copy that stays behind, or that a checkpoint brings back to where it was saved."""
        return self.loaded_fault(cause) if cause.how is How.LOADED else super().explain(cause)
