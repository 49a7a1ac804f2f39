"""`python-container`: layers, Parameters or tensors in a list, dict or tuple."""

from __future__ import annotations

from collections.abc import Iterator

from grader.judge.attribution.held import CONTAINERS, HIDDEN
from grader.judge.findings.base import Cause, Code, Fault, Rule, RuleContext
from grader.judge.lookups import is_trained, structure, unregistered_tensors
from grader.judge.wording import count
from grader.schema import Evidence, Location, TensorFact

# What the names of PyTorch's dropout classes begin with (torch/nn/modules/dropout.py).
DROPOUTS = ("Dropout", "AlphaDropout", "FeatureAlpha")


class PythonContainer(Rule):
    """`nn.Module` registers what is assigned to it, and does not look into Python's containers."""

    code = Code.PYTHON_CONTAINER
    summary = "Layers or Parameters in a list, dict or tuple are invisible."
    shows = "loud; silent on the CPU and for dropouts"
    checks = ("parameters", "placement", "state_dict", "forward")
    fix = "Keep modules in PyTorch's own containers, `nn.ModuleList` and `nn.ModuleDict`."

    def explain(self, cause: Cause) -> Fault:
        parameters = [fact for fact in cause.group if fact.is_parameter]
        number = len(parameters or cause.group)
        tensors = count(number, "Parameter" if parameters else "tensor")
        are, them = ("is", "it") if number == 1 else ("are", "them")
        fix = container_fix(cause.holder, cause, cause.group[0])
        copied = ""
        if cause.original:
            copied = f" What is registered (`{cause.original}`, for one) is a copy: to move or to "
            copied += "train that changes nothing here."
            fix = f"Register these themselves, and no copy. {fix}"
        what = f"a Python {cause.holder}, and `nn.Module` does not look into it"
        if cause.holder == HIDDEN:
            what = "set in a way that goes around `nn.Module`, which does not know it"
            fix = f"Assign it as usual: `{cause.path} = …`. To keep it out of `parameters()`, move "
            fix += "it in an overridden `_apply`, which every move calls."
        return self.finding(
            cause,
            f"`{cause.path}` is {what}: "
            f"the {tensors} in it {are} not in `parameters()` or `state_dict()`, and `.cuda()` "
            f"does not move {them}.{copied}",
            fix,
        )

    def search(self, context: RuleContext) -> Iterator[Fault]:
        """In an audit, dropout that `eval()` does not reach; in an exercise, any such module."""
        if not context.is_audit:
            yield from self._in_which_modules_hide(context.evidence)
        if not context.is_audit or not context.evidence.random:
            return
        for module in structure(context.evidence).always_training:
            if module.kind.startswith(DROPOUTS):
                yield self.finding(
                    Location(module.path.split("[")[0], module.line, file=module.file),
                    f"`{module.path}` is a {module.kind} that the module does not know: `eval()` "
                    "does not switch it off, and the outputs stay random.",
                    self.fix,
                )

    def _in_which_modules_hide(self, evidence: Evidence) -> Iterator[Fault]:
        """A container of modules that it does not know, though it knows their Parameters."""
        unknown = {fact.path for fact in unregistered_tensors(evidence)}
        for fact in evidence.tensors:
            holder, is_known = fact.holder, fact.is_parameter and fact.path not in unknown
            if holder is None or holder.kind not in CONTAINERS:
                continue
            if is_known and "." in fact.path.removeprefix(holder.path):
                yield self.finding(
                    Location(holder.path, fact.line, file=fact.file),
                    f"`{holder.path}` is a Python {holder.kind} of modules that the module does "
                    "not know, even if it knows their Parameters: `eval()`, `apply()` and a build "
                    "on the meta device do not reach them.",
                    self.fix,
                )
                return


def container_fix(kind: str, cause: Cause, fact: TensorFact) -> str:
    """How to register what a Python container holds, in words."""
    if "lambda" in fact.value:
        return (
            "A function cannot be registered. Keep the modules themselves in an `nn.ModuleList` or "
            "`nn.ModuleDict`, and call them in `forward`."
        )
    if "." in cause.path.removeprefix("self.") and not fact.value and not fact.is_parameter:
        return (
            "`nn.ParameterDict` and `nn.ParameterList` look at what they are given, not inside it. "
            f"Give each tensor an entry of its own, or put an `nn.ParameterList` in the {kind}'s "
            "place."
        )
    if not is_trained(fact) and not fact.in_loss:
        buffer = "a buffer" if cause.saved else "a buffer with `persistent=False`"
        return (
            f"Register each tensor as {buffer} under a name of its own, such as that of the "
            "attribute with a number, and read the buffers in `forward`."
        )
    of_modules = "." in fact.path.rpartition("]")[2]
    container = "Module" if of_modules else "Parameter"
    container += "Dict" if "dict" in kind.lower() else "List"
    nested = ", and for every container around it" if "[" in cause.path else ""
    return f"Use PyTorch's own container, `nn.{container}`, for it{nested}."
