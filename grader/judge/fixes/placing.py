"""Puts a tensor on another device: edits of the expression that made, moved or used it.

The probe has seen which expression that was, and which tensors it could name there that are where
the tensor should be.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TypeGuard

from grader.judge.codes import Code
from grader.judge.fixes.expressions import (
    Replacement,
    after_receiver,
    called_name,
    is_docstring,
    moves_only,
    parameters,
)
from grader.judge.fixes.fix import CodeFix, Context, Fault
from grader.judge.fixes.source_file import CodeSite
from grader.schema import Edit

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
DTYPES = ("dtype", "float", "int", "long", "bool", "half", "double", "bfloat")
HERE = "Make it on the device of the input"
DRAWS = ("rand", "randn", "randint", "randperm")
FROM_NUMPY = ("from_numpy", "as_tensor", "asarray", "tensor")  # how numbers come back


def place(node: ast.expr, device: str, context: Context) -> Iterator[Replacement]:
    """What makes an expression give its tensor on a device."""
    code, end = context.code, context.code.span(node)[1]
    if is_move(node):
        inner = node.func.value  # type: ignore[attr-defined]
        is_new = takes_device(inner, context)
        yield after_receiver(code, node), "" if is_new else f".to({device})"
        yield from place(inner, device, context) if is_new else ()
    elif takes_device(node, context):
        yield from with_device(node, device, context)
    elif isinstance(node, ast.Call | ast.Attribute | ast.Subscript | ast.Name):
        yield (end, end), f".to({device})"
    else:
        yield code.span(node), f"({code.segment(node)}).to({device})"


def with_device(call: ast.Call, device: str, context: Context) -> Iterator[Replacement]:
    """What gives a call that device: in the place of another, or after the last argument."""
    named = [keyword.value for keyword in call.keywords if keyword.arg == "device"]
    last = max(context.code.span(argument)[1] for argument in (*call.args, *call.keywords))
    yield (context.code.span(named[0]), device) if named else ((last, last), f", device={device}")


def is_move(node: ast.AST) -> TypeGuard[ast.Call]:
    """Whether it only moves: `x.cuda()`, or `x.to(…)` of a device, whatever that is called."""
    if moves_only(node):
        return True
    if not isinstance(node, ast.Call) or called_name(node) != "to" or len(node.args) != 1:
        return False
    named = ast.unparse(node.args[0]).rpartition(".")[2].rstrip("0123456789")
    return not node.keywords and named not in DTYPES and isinstance(node.func, ast.Attribute)


def takes_device(node: ast.AST, context: Context) -> TypeGuard[ast.Call]:
    """Whether it calls, with arguments, what takes `device=`: of PyTorch's, or of the file's."""
    if not isinstance(node, ast.Call) or not (node.args or node.keywords):
        return False
    name, text = called_name(node), ast.unparse(node.func)
    home = context.code.name_of("torch") if name in FACTORIES else context.nn
    is_torchs = name in (*FACTORIES, *LAYERS) and text in (name, f"{home}.{name}")
    return is_torchs and all(keyword.arg for keyword in node.keywords)


def _at(fault: Fault, context: Context) -> tuple[CodeSite, ast.expr] | None:
    """The expression of a fault, and the statement that it is in."""
    span = fault.site.span if fault.site else None
    node = context.code.node(span) if span else None
    site = context.code.site(span[0]) if span else None
    return (site, node) if site and site.function and node else None


def make_there(fault: Fault, context: Context) -> CodeFix | None:
    """Of what an expression makes or moves elsewhere: on the device of what it can name."""
    found, fact = _at(fault, context), context.fact(fault.where)
    is_plain = fact is not None and fact.role == "plain"
    if found is None or (is_plain and fault.code == Code.HARD_CODED_DEVICE):
        return None  # it is to be registered
    site, node = found
    is_given = site.function is not None and "device" in parameters(site.function)
    moved = ast.unparse(node.func.value) if is_move(node) else ""  # type: ignore[attr-defined]
    is_bound_again = moved in map(ast.unparse, getattr(site.statement, "targets", ()))
    own = moved if is_bound_again else ""  # `ids = ids.to(ids.device)` would do nothing
    device = "device" if is_given else context.device_named(fault, site, but=own)
    if not device and not moved:  # a mode does not see `torch.from_numpy`
        device = context.device_at(site)
    if not device:
        return None
    if isinstance(getattr(node, "ctx", None), ast.Store):  # of `x.data = …`
        node = getattr(site.statement, "value", node)
    words = "Pass the device on" if is_given else HERE
    is_building = site.function is not None and site.function.name == "__init__"
    if not is_given and (is_building or device.startswith("self.")):
        words = "Make it on the module's device"
    alike = [n for n in ast.walk(site.head) if called_name(n) == called_name(node) != ""]
    nodes: list[ast.expr] = alike or [node]  # type: ignore[assignment]
    if any(called_name(n) == "numpy" for n in ast.walk(site.head)):  # reads the CPU's memory
        nodes = [getattr(site.statement, "value", node)]
    changes = [change for each in nodes for change in place(each, device, context)]
    return CodeFix(words, (context.code.edit_spans(site, changes),))


def copy_to_the_cpu(fault: Fault, context: Context) -> CodeFix | None:
    """Of `x.numpy()`, or of the lengths of packed sequences: on the CPU for this call."""
    found = _at(fault, context)
    call = found[1] if found else None
    if found is None or not isinstance(call, ast.Call):
        return None
    if called_name(call) == "numpy" and isinstance(call.func, ast.Attribute):
        if {*map(called_name, ast.walk(found[0].function or call))} & {*FROM_NUMPY}:
            return None
        moved, words = call.func.value, "Copy it to the CPU first"
        added = ".cpu()" if called_name(moved) == "detach" else ".detach().cpu()"
    else:
        named = (keyword.value for keyword in call.keywords if keyword.arg == "lengths")
        arguments = [*call.args[1:2], *named]
        if called_name(call) != "pack_padded_sequence" or not arguments:
            return None
        moved, words, added = arguments[0], "Bring the lengths back for this call", ".cpu()"
    end = context.code.span(moved)[1]
    return CodeFix(words, (context.code.edit_spans(found[0], [((end, end), added)]),))


def keep_result(fault: Fault, context: Context) -> CodeFix | None:
    """Of moves of inputs whose results are dropped: each kept, under the name that is used."""
    found = _at(fault, context)
    if found is None or not isinstance(found[1], ast.Call):
        return None
    site, move = found[0], found[1]
    receiver, function = getattr(move.func, "value", None), site.function
    if getattr(site.statement, "value", None) is not move or function is None:
        return None
    if not isinstance(receiver, ast.Name | ast.Subscript):
        return None  # an attribute is to be registered
    device = context.device_named(fault, site) or context.device_at(site)
    for other in context.code.sites(function):
        if isinstance(loop := other.statement, ast.For) and _is_last_use(receiver, loop, site):
            return _results_kept(loop, site, _moved(move, device, context)[1], context)
    if not isinstance(site.statement, ast.Expr):
        return None  # which name is used later, the line does not tell
    edits = []
    for other in context.code.sites(function):
        call = other.statement.value if isinstance(other.statement, ast.Expr) else other.statement
        if is_move(call):
            name, text = _moved(call, device, context)
            if call is move or name in parameters(function):
                edits.append(context.code.edit_statement(other, f"{name} = {text}"))
    return CodeFix("Keep the result, under the name that is used", tuple(edits))


def _is_last_use(node: ast.expr, loop: ast.For, site: CodeSite) -> bool:
    """Whether a statement is the last in a loop that reads the loop's own name."""
    around = [i for i, part in enumerate(loop.body) if site.statement in ast.walk(part)]
    later = (node for part in loop.body[max(around, default=0) + 1 :] for node in ast.walk(part))
    name, its_own = ast.unparse(node), map(ast.unparse, ast.walk(loop.target))
    return name in its_own and bool(around) and name not in map(ast.unparse, later)


def _moved(move: ast.Call, device: str, context: Context) -> tuple[str, str]:
    """What is moved, and the move: to `device`, if that is known and the move names none."""
    text = context.code.segment(move)
    name = context.code.segment(move.func.value)  # type: ignore[attr-defined]
    return name, f"{name}.to({device})" if device and called_name(move) != "to" else text


def _results_kept(loop: ast.For, site: CodeSite, text: str, context: Context) -> CodeFix | None:
    """Of a loop over names that moves each and does no more: all of them bound again."""
    elements = getattr(loop.iter, "elts", [])
    all_names = all(isinstance(e, ast.Name) for e in (loop.target, *elements))
    if loop.body != [site.statement] or not all_names:
        return None
    names, name = ", ".join(ast.unparse(e) for e in elements), ast.unparse(loop.target)
    targets = [ast.unparse(t) for t in getattr(site.statement, "targets", ())]
    if not names or targets not in ([], [name]):
        return None
    words = "Keep the results, under the names that are used"
    if targets:
        old = " and ".join(f"`{ast.unparse(e)}`" for e in elements)
        words = f"`{name}` is the loop's own name, and {old} still mean the old tensors. Rebind "
        words += "those"
    new = f"{names} = ({text} for {name} in ({names}))"
    return CodeFix(words, (Edit(loop.lineno, context.code.segment(loop), new),))


def move_first(fault: Fault, context: Context) -> CodeFix | None:
    """Of an input that nothing moves: moved at the top of the function that takes it.

    Where a loop goes through it, each part is moved as it comes: all of it may not fit.
    """
    site = context.code.site(fault.line)
    if site is None or site.function is None or fault.where not in parameters(site.function):
        return None
    body = [statement for statement in site.function.body if not is_docstring(statement)]
    names, words = [fault.where], "Move it before it is used"
    if loop := _loop_through(fault.where, site, context):
        body, words = loop.body, "Move each part as it comes"
        names = [name.id for name in ast.walk(loop.target) if isinstance(name, ast.Name)]
    device = context.device_named(fault, site, own=True)
    if not body or not device:
        return None
    new = f"{', '.join(names)} = {', '.join(f'{name}.to({device})' for name in names)}"
    return CodeFix(words, (context.code.added_before(body[0].lineno, new),))


def _loop_through(name: str, site: CodeSite, context: Context) -> ast.For | None:
    """The loop around a statement that goes through what is made of a name."""
    loops = (other.statement for other in context.code.sites(site.function))
    for loop in loops:
        if isinstance(loop, ast.For) and loop.lineno < site.statement.lineno <= (
            loop.end_lineno or 0
        ):
            goes_through = {n.id for n in ast.walk(loop.iter) if isinstance(n, ast.Name)}
            if name in goes_through and not goes_through & {"enumerate", "range", "dict"}:
                return loop
    return None


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


def _is_bound(node: ast.AST) -> bool:
    return isinstance(getattr(node, "ctx", None), ast.Store)


def draw_there(finding: Fault, context: Context) -> CodeFix | None:
    """Of draws by a generator of another device: on that, then moved to where they were to be."""
    edits: dict[int, Edit] = {}
    raised = (raised for run in context.evidence.runs for raised in run.exceptions)
    sites = (context.code.site(at.line) for at in raised if at.file == context.file)
    for site in filter(None, sites):
        draws = (n for n in ast.walk(site.head) if called_name(n) in DRAWS)
        if changes := [change for draw in draws for change in _drawn(draw, context)]:
            edits[site.statement.lineno] = context.code.edit_spans(site, changes)
    words = "Draw on the generator's device, and move what is drawn"
    return CodeFix(words, tuple(edits.values())) if edits else None


def _drawn(call: ast.AST, context: Context) -> Iterator[Replacement]:
    given = {k.arg: k.value for k in getattr(call, "keywords", ())}
    generator, there = given.get("generator"), given.get("device")
    if isinstance(call, ast.Call) and isinstance(generator, ast.Name | ast.Attribute):
        yield from with_device(call, f"{ast.unparse(generator)}.device", context)
        if there:
            end = context.code.span(call)[1]
            yield (end, end), f".to({context.code.segment(there)})"
