"""Fixes of a tensor that is made on the wrong device."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from grader.judge.fixes.expressions import (
    Replacement,
    after_receiver,
    called_name,
    calls_in,
    constructor_of,
    moves_only,
    parameters,
    without_devices,
)
from grader.judge.fixes.fix import CodeFix, Context, Fault
from grader.judge.fixes.source_file import CodeSite, Function
from grader.schema import Edit, Finding

# Those that take `device=`; `torch.from_numpy`, for one, does not.
FACTORIES = (
    "arange", "as_tensor", "asarray", "bartlett_window", "blackman_window", "empty", "eye", "full",
    "hamming_window", "hann_window", "kaiser_window", "linspace", "logspace", "ones", "rand",
    "randint", "randn", "randperm", "range", "scalar_tensor", "sparse_coo_tensor", "tensor",
    "tril_indices", "triu_indices", "zeros",
)  # fmt: skip
# Those of `torch.nn` that have Parameters or buffers, and take `device=`.
LAYERS = (
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "Bilinear", "Conv1d", "Conv2d", "Conv3d",
    "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d", "Embedding", "EmbeddingBag", "GRU",
    "GRUCell", "GroupNorm", "LSTM", "LSTMCell", "LayerNorm", "Linear", "MultiheadAttention",
    "PReLU", "RMSNorm", "RNN", "TransformerDecoderLayer", "TransformerEncoderLayer",
)  # fmt: skip
_LEGACY = ("FloatTensor", "DoubleTensor", "LongTensor", "IntTensor", "BoolTensor", "HalfTensor")
HERE = "Make it on the device of the input"


def make_on_input_device(finding: Finding, context: Context) -> CodeFix | None:
    """Of what a call makes on the CPU: `device=` of a tensor that is in scope there."""
    site = context.code.site(finding.line)
    if site is None:
        return None
    legacy = list(_legacy_types(context, site)) if finding.where.endswith(".type") else []
    if legacy:
        words = "Ask for the dtype alone: such a type means the CPU"
        return CodeFix(words, (context.code.edit_spans(site, legacy),))
    names: tuple[str, ...] = (finding.where.rpartition(".")[2],)
    if finding.where.startswith("self."):  # the attribute that keeps it
        names = FACTORIES
    if calls_in(site.head, "from_numpy"):
        names = ("from_numpy",)
        if context.rubric and context.rubric.random_outputs:
            return CodeFix("Draw it by a function of PyTorch's, on the device of what it meets")
    device = context.device_at(site, context.operands(finding))
    edit = give_device(context, site, names, device) if device else None
    return CodeFix(HERE, (edit,)) if edit else None


def _legacy_types(context: Context, site: CodeSite) -> Iterator[Replacement]:
    """Of `x.type(torch.LongTensor)`: `x.long()`."""
    for call in calls_in(site.head, "type"):
        name = ast.unparse(call.args[0]).rpartition(".")[2] if len(call.args) == 1 else ""
        if name in _LEGACY and isinstance(call.func, ast.Attribute):
            yield after_receiver(context.code, call), f".{name.removesuffix('Tensor').lower()}()"


def make_table_there(finding: Fault, context: Context) -> CodeFix | None:
    """Of a table that a call makes, and the GPU's numbers index: `device=` where it is made."""
    tables = (o for o in context.operands(finding) if o.device == "cpu" and o.source == "made")
    table = next((operand for operand in tables if operand.file == context.file), None)
    if table is None or table.line in (0, finding.line):
        return None
    return make_on_input_device(replace(finding, where=table.name, line=table.line), context)


def hand_on_device(finding: Finding, context: Context) -> CodeFix | None:
    """Of what a constructor makes without the `device` it is given: with it."""
    site = context.code.site(finding.line)
    if site is None or site.function is None or "device" not in parameters(site.function):
        return None
    calls = [node for node in ast.walk(site.head) if isinstance(node, ast.Call)]
    if any(map(_has_device, calls)):
        return None
    if edits := tuple(_handed_on(context, site, set())):
        return CodeFix("Pass the device on", edits)
    return _moved_there(finding.where, context, site)


def _handed_on(context: Context, site: CodeSite, known: set[str]) -> Iterator[Edit]:
    """The statement with `device=` in its calls, and those in what they call of this file.

    Args:
        context: of the fix.
        site: the statement.
        known: the names of what was looked into. They are added to.
    """
    changes: list[Replacement] = []
    called: list[Function] = []
    for call in ast.walk(site.head):
        if not isinstance(call, ast.Call) or _has_device(call):
            continue
        name, function = called_name(call), _called_here(context, call)
        if name in FACTORIES:
            changes += _with_device(context, call, "device")
        elif is_layer(call, context):
            changes += as_last(context, call, "device")
        elif function and "device" in parameters(function):
            changes += as_last(context, call, "device")
            called += [] if name in known else [function]
            known.add(name)
    if changes:
        yield context.code.edit_spans(site, changes)
    for function in called:
        for inner in context.code.sites(function):
            if inner.function is function:
                yield from _handed_on(context, inner, known)


def _has_device(call: ast.Call) -> bool:
    return any(keyword.arg == "device" for keyword in call.keywords)


def _called_here(context: Context, call: ast.Call) -> Function | None:
    """The function of the file that is called, or the `__init__` of the class."""
    name = ast.unparse(call.func)
    for node in context.code.tree.body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return constructor_of(node)
        if isinstance(node, Function) and node.name == name:
            return node
    return None


def _moved_there(path: str, context: Context, site: CodeSite) -> CodeFix | None:
    """Of what takes no device: moved to it. A Parameter would be none after that."""
    statement = site.statement
    if not isinstance(statement, ast.Assign) or not isinstance(statement.value, ast.Call):
        return None
    if path == ast.unparse(statement.targets[0]):
        return None
    end = context.code.span(statement.value)[1]
    edit = context.code.edit_spans(site, [((end, end), ".to(device)")])
    return CodeFix("Move it there, since it takes no device", (edit,))


def give_device(context: Context, site: CodeSite, names: Iterable[str], device: str) -> Edit | None:
    """The statement with `device=` in every call of a function by one of these names."""
    changes = [
        change
        for name in names
        for call in calls_in(site.head, name)
        for change in _with_device(context, call, device)
    ]
    return context.code.edit_spans(site, changes) if changes else None


def _with_device(context: Context, call: ast.Call, device: str) -> Iterator[Replacement]:
    """What gives a call of a factory function its `device=`."""
    if called_name(call) == "from_numpy":
        end = context.code.span(call)[1]
        yield (end, end), f".to({device})"
    if not is_factory(call, context):
        return
    for keyword in call.keywords:
        if keyword.arg == "device":
            yield context.code.span(keyword.value), device
            return
    yield from as_last(context, call, device)


def is_factory(call: ast.Call, context: Context) -> bool:
    """Whether it makes a tensor, and takes `device=`."""
    return called_name(call) in FACTORIES and _is_torchs(context, call.func)


def is_layer(call: ast.Call, context: Context) -> bool:
    """Whether it builds a layer of PyTorch's with Parameters or buffers."""
    name = called_name(call)
    return name in LAYERS and ast.unparse(call.func) in (name, f"{context.nn}.{name}")


def as_last(context: Context, call: ast.Call, device: str) -> Iterator[Replacement]:
    """`device=` after the last argument."""
    ends = [context.code.span(argument)[1] for argument in (*call.args, *call.keywords)]
    if ends and all(keyword.arg for keyword in call.keywords):
        yield (max(ends), max(ends)), f", device={device}"


def _is_torchs(context: Context, function: ast.expr) -> bool:
    """Whether it is `torch.zeros`, and not a method or a function of NumPy by that name."""
    module = function.value if isinstance(function, ast.Attribute) else None
    return module is None or ast.unparse(module) == context.code.name_of("torch")


def follow_input(finding: Finding, context: Context) -> CodeFix | None:
    """Of a device written into `forward`: the device of the input in its place."""
    site = context.code.site(finding.line)
    if site is None or site.function is None:
        return None
    if site.function.name == "__init__":
        return _leave_to_module(finding, context, site)
    device = context.device_at(site, context.operands(finding))
    changes = list(
        _device_changes(context, site, device) if device else _without_cpu(context, site)
    )
    changes += _without_asking(context, site) if changes else []
    fact = context.fact(finding.where)
    if not changes or (fact is not None and fact.role == "plain"):
        return None
    edit = context.code.edit_spans(site, changes)
    for other in context.code.sites(site.function):
        branch = other.statement
        if not isinstance(branch, ast.If) or branch.orelse or branch.body != [site.statement]:
            continue
        if "cuda" in ast.unparse(branch.test):  # what is moved everywhere needs no question
            edit = Edit(branch.lineno, context.code.segment(branch), edit.after)
    return CodeFix(HERE, (edit,))


def _without_cpu(context: Context, site: CodeSite) -> Iterator[Replacement]:
    """Of `x.cpu().clamp(0)`, which needs no CPU: without the move."""
    if re.search("cuda|numpy|tolist", ast.unparse(site.head)):
        return
    for node in ast.walk(site.head):
        if isinstance(node, ast.Call) and called_name(node) == "cpu" and not node.args:
            yield after_receiver(context.code, node), ""


def _without_asking(context: Context, site: CodeSite) -> Iterator[Replacement]:
    """Of `x.cuda() if torch.cuda.is_available() else x`: only what is moved."""
    for node in ast.walk(site.head):
        if not isinstance(node, ast.IfExp) or "cuda" not in ast.unparse(node.test):
            continue
        if moves_only(node.body) and not any(map(moves_only, ast.walk(node.orelse))):
            (begin, end), (first, last) = context.code.span(node), context.code.span(node.body)
            yield (begin, first), ""
            yield (last, end), ""


def let_caller_choose(finding: Fault, context: Context) -> CodeFix | None:
    """Of a constructor that takes a `device` and chooses a GPU all the same: without the choice."""
    site = context.code.site(finding.line)
    function = site.function if site else None
    in_words = CodeFix(finding.fix[:-1]) if finding.variant == "GPU by default" else None
    if function is None or function.name != "__init__" or "device" not in parameters(function):
        return in_words
    edits = []
    for statement in function.body:
        text = ast.unparse(statement)
        bound = {ast.unparse(node) for node in ast.walk(statement) if _is_bound(node)}
        if "cuda" not in text or bound & {fact.path for fact in context.evidence.tensors}:
            continue
        if bound == {"device"}:
            edits.append(Edit(statement.lineno, context.code.segment(statement), ""))
        elif isinstance(statement, ast.Assign) and len(bound) == 1:
            after = f"{ast.unparse(statement.targets[0])} = device"
            edits.append(Edit(statement.lineno, context.code.segment(statement), after))
    return CodeFix("Leave the choice to the caller", tuple(edits)) if edits else in_words


def make_beside_weights(finding: Finding, context: Context) -> CodeFix | None:
    """Of what is added to a module that may have moved: made on the device of what it has."""
    site = context.code.site(finding.line)
    if site is None or site.function is None or "device" in parameters(site.function):
        return None
    device = context.device_at(site) or _device_of_given(finding.where, context, site)
    changes: list[Replacement] = []
    for call in (n for n in ast.walk(site.head) if isinstance(n, ast.Call)):
        takes_device = is_layer(call, context) or is_factory(call, context)
        if device and takes_device and not _has_device(call):
            changes += as_last(context, call, device)
    if not changes:
        return None
    edit = context.code.edit_spans(site, changes)
    return CodeFix("Make it on the device of the weights that are there", (edit,))


def _device_of_given(path: str, context: Context, site: CodeSite) -> str:
    """In `__init__`: that of a layer which it is given, and has kept: `self.base.weight.device`."""
    made = [ast.unparse(target) for target in getattr(site.statement, "targets", ())]
    given = parameters(site.function) if site.function else []
    attribute = re.escape(made[0].removeprefix("self")) if made else ""
    holder = re.sub(rf"{attribute}(\.weight|\.bias)?$", "", path)
    for other in context.code.sites(site.function):
        statement = other.statement
        if not isinstance(statement, ast.Assign) or statement.lineno >= site.statement.lineno:
            continue
        name = ast.unparse(statement.targets[0]).removeprefix("self.")
        is_given = any(n.id in given for n in ast.walk(statement.value) if isinstance(n, ast.Name))
        if is_given and context.fact(f"{holder}.{name}.weight"):
            return f"self.{name}.weight.device"
    return ""


def _is_bound(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Store)


def _device_changes(context: Context, site: CodeSite, device: str) -> Iterator[Replacement]:
    """Every move and every new tensor in a statement, on `device`."""
    nodes = list(ast.walk(site.head))
    read = [c.func.value for c in nodes if called_name(c) == "numpy"]  # type: ignore[attr-defined]
    for node in nodes:
        if not isinstance(node, ast.Call) or node in read:
            continue  # NumPy reads the CPU's memory alone
        if moves_only(node):
            move = "" if _is_made_there(context, node, device) else f".to({device})"
            yield after_receiver(context.code, node), move
        else:
            yield from _with_device(context, node, device)


def _is_made_there(context: Context, move: ast.Call, device: str) -> bool:
    """Whether what is moved is a new tensor, which gets its `device=` itself."""
    moved = move.func.value if isinstance(move.func, ast.Attribute) else None
    return isinstance(moved, ast.Call) and any(_with_device(context, moved, device))


def _leave_to_module(finding: Finding, context: Context, site: CodeSite) -> CodeFix | None:
    """Of a registered tensor that the constructor puts on CUDA: without that."""
    fact = context.fact(finding.where)
    if (
        fact is None
        or fact.role == "plain"
        or not isinstance(site.statement, ast.Assign | ast.Expr)
    ):
        return None
    value = site.statement.value
    new = context.code.segment(site.statement).replace(
        context.code.segment(value), without_devices(context.code, value, site.function)
    )
    if new == context.code.segment(site.statement):
        return None
    if site.function and "device" in parameters(site.function):
        edit = context.code.edit_spans(site, _device_changes(context, site, "device"))
        return CodeFix("Make it on the device that the caller chooses", (edit,))
    words = "Make it on the CPU; `.to()` of the module takes it along"
    return CodeFix(words, (context.code.edit_statement(site, new),))
