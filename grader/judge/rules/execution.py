"""What a call on CUDA raised: the operand on the wrong device, and where it came from."""

from __future__ import annotations

from collections.abc import Iterator

from grader.evidence import Evidence, Operand, Raised
from grader.judge.report import Finding
from grader.judge.wording import register_buffer


def execution(evidence: Evidence) -> Iterator[Finding]:
    """`made-in-forward`, `member-tensor` and `host-round-trip`, from what a run on CUDA raised."""
    for run in evidence.runs:
        if run.device.startswith("cuda") and run.raised:
            yield from _explain(run.raised)


def _explain(raised: Raised) -> Iterator[Finding]:
    if "device type tensor to numpy" in raised.message:
        yield _host_round_trip(raised)
        return
    stray = stray_operand(raised)
    if stray is None:
        return
    if stray.source == "made":
        yield _made_in_forward(stray, raised)
    elif stray.source == "attribute":
        yield _stray_attribute(stray, raised)


def stray_operand(raised: Raised) -> Operand | None:
    """The operand on the CPU, where the operation mixed devices; 0-dim ones may be mixed."""
    devices = {operand.device for operand in raised.operands}
    on_cpu = [operand for operand in raised.operands if operand.device == "cpu"]
    if len(devices) < 2 or not on_cpu:
        return None
    return max(on_cpu, key=lambda operand: len(operand.shape))


def _made_in_forward(stray: Operand, raised: Raised) -> Finding:
    line = stray.line or raised.line
    return Finding(
        "made-in-forward",
        "error",
        stray.name,
        line,
        f"line {line}: `{stray.name}` makes a CPU tensor on every call, wherever the module is; "
        f"`{_short(raised.operation)}` then mixes it with a tensor on {_other_device(raised)}.",
        "Make it where the input is: pass `device=x.device`, or use a `*_like` function such as "
        "`torch.randn_like(x)`.",
    )


def _stray_attribute(stray: Operand, raised: Raised) -> Finding:
    attribute = stray.name.removeprefix("self.")
    return Finding(
        "member-tensor",
        "error",
        stray.name,
        stray.line or raised.line,
        f"`{stray.name}` is still on the CPU when line {raised.line} mixes it with a tensor on "
        f"{_other_device(raised)} (`{_short(raised.operation)}`).",
        f"Register it, so that it moves along: `{register_buffer(attribute, '')}`.",
    )


def _host_round_trip(raised: Raised) -> Finding:
    return Finding(
        "host-round-trip",
        "error",
        raised.operation or raised.code,
        raised.line,
        f"line {raised.line} hands a CUDA tensor to NumPy, which reads CPU memory only.",
        "Stay in torch (most NumPy functions have a twin there), or copy it over first: "
        "`x.detach().cpu().numpy()`.",
    )


def _other_device(raised: Raised) -> str:
    others = [operand.device for operand in raised.operands if operand.device != "cpu"]
    return others[0] if others else "CUDA"


def _short(operation: str) -> str:
    return operation.removeprefix("torch.Tensor.").removeprefix("torch.nn.functional.")
