"""Names that lead behind what a library offers: `_args`, `__globals__`, `tb_frame`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from grader.grading.flags.allowed_imports import is_needed, is_usual_base, words
from grader.grading.flags.constants import folded
from grader.grading.flags.source import FlaggedSite, Source
from grader.schema import Flag

# Python's own, which any class may define and any code may read.
_ORDINARY_WORDS = words(
    """
    abs add aenter aexit aiter all and anext annotations await bool bytes call cause ceil class
    class_getitem complex contains context copy dataclass_fields debug deepcopy del delattr delete
    delitem dict dir divmod doc enter eq exit file float floor floordiv format ge get getattr
    getitem getnewargs getstate gt hash iadd iand ifloordiv ilshift imatmul imod imul index init
    import init_subclass instancecheck int invert ior ipow irshift isub iter itruediv ixor le len
    length_hint lshift lt main match_args members matmul missing mod module mul name ne neg new
    next or orig_class pos post_init pow prepare qualname radd rand rdivmod reduce reduce_ex repr
    reversed rfloordiv rlshift rmatmul rmod rmul ror round rpow rrshift rshift rsub rtruediv rxor
    set set_name setattr setitem setstate sizeof slots stderr stdin stdout str sub subclasshook
    traceback truediv trunc version weakref wrapped xor
    """
)
_ORDINARY = frozenset(f"__{word}__" for word in _ORDINARY_WORDS)
# Variables of frames, code objects, closures and addresses need no underscore to lead astray.
_FRAMES = words(
    """
    cell_contents co_code co_consts co_names ctypes f_builtins f_globals f_locals func_closure
    func_code func_globals
    """
)
# Documented for subclasses, or what modules of published libraries use on themselves and on layers.
_USUAL = frozenset(
    (
        "_apply", "_asdict", "_assert", "_backward_hooks", "_buffers", "_check", "_dynamo",
        "_fields", "_forward_hooks", "_forward_pre_hooks", "_get_name", "_load_from_state_dict",
        "_make", "_modules", "_named_members", "_non_persistent_buffers_set", "_parameters",
        "_getframe", "_replace", "_replicate_for_data_parallel", "_save_to_state_dict", "_version",
    )
)  # fmt: skip
_IN_TEXT = re.compile(r"__[a-z]\w*?__|(?<![A-Za-z0-9])[a-z]+_[a-z]+")
_BY_NAME = {"getattr", "setattr", "hasattr", "delattr", "attrgetter", "methodcaller"}


def private_name_flags(source: Source) -> Iterator[Flag]:
    """A flag for each private name that belongs to something other than the submission's code."""
    for site in source.sites:
        for name in _names(site, source):
            line = getattr(site.node, "lineno", 0)
            yield Flag("private-name", line, f"uses `{name}`, a private name of something else")


def _names(site: FlaggedSite, source: Source) -> Iterator[str]:
    node = site.node
    if isinstance(node, ast.Attribute):
        if _is_private(node.attr, source) and not _is_ours(node, site):
            yield from _short_name(node, site, source)
    elif isinstance(node, ast.Name):
        is_dunder = node.id.startswith("__") and node.id.endswith("__")
        if is_dunder and isinstance(node.ctx, ast.Load) and _is_private(node.id, source):
            yield node.id
    elif isinstance(node, ast.ImportFrom):
        yield from _imported(node)
    if isinstance(node, ast.Call):
        yield from _lookups_by_name(node, site, source)
    if isinstance(node, ast.Constant | ast.BinOp | ast.Call | ast.Subscript):
        yield from _in_text(node, source)


def _is_private(name: str, source: Source) -> bool:
    if name in _FRAMES:
        return True
    if name.startswith("__") and name.endswith("__"):
        return name not in _ORDINARY
    return name.startswith("_") and name.strip("_") != "" and name not in _USUAL | source.own


def _is_ours(node: ast.Attribute, site: FlaggedSite) -> bool:
    """Whether a private attribute is the instance's own: `self._made_by_a_mixin`."""
    value = node.value
    if isinstance(value, ast.Call):  # super()._reset()
        return isinstance(value.func, ast.Name) and value.func.id == "super"
    if node.attr in _FRAMES or node.attr.startswith("__"):
        return False
    return isinstance(value, ast.Name) and value.id in (site.me, "self", "cls")


def _imported(node: ast.ImportFrom) -> Iterator[str]:
    """Private names of a module that answers do need; the others are told by their import."""
    for alias in node.names:
        path = f"{node.module}.{alias.name}"
        is_dunder = alias.name.startswith("__")
        is_private = alias.name.startswith("_") and not is_dunder and alias.name not in _USUAL
        if is_private and is_needed(path) and not is_usual_base(path):
            yield path


def _lookups_by_name(call: ast.Call, site: FlaggedSite, source: Source) -> Iterator[str]:
    """`getattr(x, "_args")`, and `attrgetter("a._args")` for each part of the path."""
    function = call.func
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    if name not in _BY_NAME:
        return
    is_path = name in ("attrgetter", "methodcaller")
    mine = bool(call.args) and isinstance(call.args[0], ast.Name) and call.args[0].id == site.me
    for argument in call.args if is_path else call.args[1:2]:
        for part in (folded(argument) or "").split("."):
            if part.startswith("_") and _is_private(part, source) and not (mine and part[1] != "_"):
                yield part


def _in_text(node: ast.expr, source: Source) -> Iterator[str]:
    """Frames' and code objects' names in a string: it may be looked up by another way."""
    if id(node) in source.documentation:
        return
    text = folded(node)
    for name in _IN_TEXT.findall(text or ""):
        if name in _FRAMES or (name.startswith("__") and name not in _ORDINARY):
            yield name


def _short_name(node: ast.Attribute, site: FlaggedSite, source: Source) -> Iterator[str]:
    """The name with what stands before it, if that is short."""
    path = source.path(node, site)
    if not path:
        before = node.value.id + "." if isinstance(node.value, ast.Name) else ""
        yield f"{before}{node.attr}"
    elif is_needed(path) and not is_usual_base(path):  # else the import is told, or nothing
        yield path
