"""What to say of a tensor on the wrong device, once it is known whose it is."""

from __future__ import annotations

from grader.evidence import Evidence, Operand, Place, Raised, Run, Structure, TensorFact
from grader.judge.report import Finding
from grader.judge.rules.registration import container_fix
from grader.judge.wording import short


def result_dropped(stray: Operand, raised: Raised, held: TensorFact | None = None) -> Finding:
    """A tensor that was moved, and whose moved copy was thrown away; `held` is it on the module."""
    if held and held.role == "plain" and not held.holder:
        fix = f"Register it in `__init__` as a buffer, and leave line {stray.moved_line} out: then "
        fix += "every move of the module takes it along."
    else:
        fix = "Keep the result under the name that is used later; in a loop over tensors, in a new "
        fix += "list. Only `Module.to` works in place."
    return Finding(
        "to-result-dropped",
        "error",
        stray.name or raised.code,
        stray.moved_line,
        f"line {stray.moved_line} moves a tensor, but `Tensor.to` returns a new tensor and leaves "
        f"the old one where it is; line {raised.line} then uses the old one.",
        fix,
    )


def input_transfer(stray: Operand, raised: Raised) -> Finding:
    """An input that the module's own mover did not reach."""
    if "[" in stray.name:
        told = f"The module moves its inputs itself, but `{stray.name}` is still on "
        told += f"{stray.device} in line {raised.line}"
        why = "the mover does not reach it. Nested tuples, lists and dicts are easily overlooked."
        fix = "Move every leaf, by a small function that calls itself for tuples, lists and dicts."
    else:
        told = f"`{stray.name}` was given on {stray.device}, and is still there in line "
        told += f"{raised.line}"
        why = "nothing has moved it, or what it was made into."
        fix = "Move it before it is used, and keep the result. The device is that of one of the "
        fix += "module's own tensors, such as a layer's weight."
    return Finding(
        "input-transfer",
        "error",
        stray.name,
        raised.line,
        f"{told}: {why}",
        fix,
    )


def made_in_forward(stray: Operand, raised: Raised, run: Run) -> Finding:
    """A tensor that every call makes on the CPU."""
    line = stray.line or raised.line
    name = stray.name or stray.code or raised.code
    what = f"line {line}: one of its tensors is made on the CPU in every call"
    if stray.name:
        what = f"line {line}: `{stray.name}` makes a CPU tensor on every call"
    if stray.source == "attribute":
        what = f"`{name}` is made in line {line} on the CPU"
    return Finding(
        "made-in-forward",
        "error",
        name,
        line,
        f"{what}, wherever the module is; `{short(raised.operation)}` then mixes it with a tensor "
        f"on {run.device}.",
        "Make it on the device of a tensor that is there, such as the input's.",
    )


def hard_coded(line: int, where: str, device: str, wanted: str) -> Finding:
    """A tensor that is on `device` whatever device the module is on."""
    return Finding(
        "hard-coded-device",
        "error",
        where,
        line,
        f"line {line} puts a tensor on {device}, although the module and its inputs are on "
        f"{wanted}: it works on that one device only.",
        "Take the device from a tensor that is there: the input's, or a registered tensor's.",
    )


def stale_device(attribute: str, line: int, evidence: Evidence) -> Finding:
    """A remembered device that a move does not change."""
    remembered = {place.path: place for place in (evidence.structure or Structure()).devices}
    place = remembered[attribute]
    return Finding(
        "stale-device",
        "error",
        attribute,
        line or place.line,
        f"`{attribute}` still says {place.value} after `.to()`, which does not know it, and line "
        f"{line} puts a tensor there.",
        "Ask for the device where it is needed: the input's, or that of one of the module's own "
        "Parameters.",
    )


def cached(line: int, where: str, raised: Raised, stray: Operand) -> Finding:
    """A tensor that an earlier call made and this one uses."""
    made = f"line {line}" if line else "the module"
    holder, anew = "A cache", "Make the device a part of the key by which it is looked up"
    if stray.source in ("attribute", "global"):
        holder, anew = f"`{where}`", "Make it again when its device is not the input's"
    return Finding(
        "stale-device",
        "error",
        where,
        line,
        f"{holder} keeps a tensor that {made} made in an earlier call, on {stray.device}; after "
        f"the module has moved, line {raised.line} uses it all the same.",
        f"{anew}, or keep it as a buffer with `persistent=False`.",
    )


def made_on_import(stray: Operand, raised: Raised) -> Finding:
    """A tensor of the file, which no module holds."""
    return Finding(
        "member-tensor",
        "error",
        stray.name,
        stray.line or raised.line,
        f"`{stray.name}` is made once, when the file is imported, and no `.cuda()` moves it; line "
        f"{raised.line} mixes it with a CUDA tensor (`{short(raised.operation)}`).",
        "Make it a buffer of the module, with `persistent=False`, and use that.",
    )


def in_loss(stray: Operand, fact: TensorFact | None, raised: Raised, run: Run) -> Finding:
    """A tensor of a loss function that was not moved."""
    line = fact.line if fact else stray.line
    place = fact.holder.split(" ", 1)[-1] if fact and fact.holder else stray.name
    fix = "Make the criterion a submodule with its tensors as buffers, or move it like the model."
    if fact and fact.holder:
        fix = container_fix(fact.holder.split(" ", 1)[0], place, fact)
    return Finding(
        "criterion-state",
        "error",
        place,
        line or raised.line,
        f"`{stray.name}` belongs to the loss function and is still on {stray.device}: a loss with "
        f"weights of its own must be moved like a model. Line {raised.line} mixes it with a tensor "
        f"on {run.device}.",
        fix,
    )


def layer_in_forward(where: str, line: int) -> Finding:
    """Parameters that come into being when the module is called."""
    return Finding(
        "layer-in-forward",
        "error",
        where or f"line {line}",
        line,
        f"line {line} builds a layer while the module is called: its weights are new, on the CPU, "
        "and unknown to the move, the optimizer and any checkpoint made before.",
        "Build the layer in `__init__`; if a size is not known there, use `nn.LazyLinear` and its "
        "kin.",
    )


def host_round_trip(raised: Raised) -> Finding:
    """A CUDA tensor in NumPy's hands."""
    return Finding(
        "host-round-trip",
        "error",
        raised.code or raised.operation,
        raised.line,
        f"line {raised.line} hands a CUDA tensor to NumPy, which reads CPU memory only.",
        "Stay in torch (most NumPy functions have a twin there), or copy it to the CPU first, with "
        "`detach()` and `cpu()`.",
    )


def generator(raised: Raised, evidence: Evidence) -> Finding:
    """A generator that belongs to another device."""
    held = (evidence.structure or Structure()).generators
    place = held[0] if held else Place(raised.code, raised.line)
    return Finding(
        "generator-device",
        "error",
        place.path,
        place.line,
        f"line {raised.line} draws on one device with a generator of another: a "
        "`torch.Generator` belongs to the device it was made for.",
        "Make the generator on the device of the input, and draw on that device.",
    )


def index(raised: Raised, run: Run, table: Operand | None) -> Finding:
    """An index, or lengths, on the wrong side."""
    if "lengths" in raised.message:
        return Finding(
            "index-device",
            "error",
            raised.code,
            raised.line,
            f"line {raised.line}: the lengths of packed sequences must be a CPU tensor, and they "
            f"are on {run.device} when the whole batch has moved.",
            "Bring the lengths back to the CPU for this call.",
        )
    where = table.name if table and table.source == "attribute" else raised.code
    if table and table.source == "made":
        fix = f"Move the table, not the index: make it on the input's device in line {table.line}."
    else:
        fix = "Move the table, not the index: make it a buffer."
    return Finding(
        "index-device",
        "error",
        where,
        raised.line,
        f"line {raised.line}: the table is on the CPU, and its index is on {run.device}. A CUDA "
        "tensor can be indexed from the CPU, but not the reverse.",
        fix,
    )
