"""Whether a submission could remember anything from one instance, call or process to the next.

Where it cannot, a second process would show what the first did, and a batch spares itself that. So
this errs on one side only: whatever is not known to be forgetful is said to remember.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from grader.grading.flags.allowed_imports import words

# Imports that give the same whenever they are asked; torch's own state is listed below.
FORGETFUL = frozenset(
    words("__future__ abc collections dataclasses enum functools math torch typing")
)
# Names through which a file learns of other instances, the process or the time, or keeps something.
TELLING = frozenset(
    words(
        """
        cache cached_property count current_device data_ptr default_generator delattr device_count
        dir eval exec format_map get_rng_state getattr globals hash id initial_seed input
        is_available is_initialized iter locals lru_cache max_memory_allocated memory_allocated
        next open seed setattr vars version _version __base__ __bases__ __builtins__ __class__
        __closure__ __code__ __defaults__ __dict__ __func__ __globals__ __import__ __kwdefaults__
        __module__ __mro__ __self__ __subclasses__ __wrapped__
        """
    )
)
# What PyTorch is set to, such as the number of threads, can be asked for again.
SETTERS = ("set_", "use_", "enable_", "register_", "manual_")
DECORATORS = frozenset(words("classmethod no_grad override property setter staticmethod"))
METHODS = frozenset(words("__call__ __getitem__ __init__ __iter__ __len__ __repr__"))


def remembers(text: str) -> bool:
    """Whether a submission could remember something; True where that cannot be read."""
    try:
        tree = ast.parse(text)
        return any(_remembers(node) for node in ast.walk(tree)) or not all(
            map(_is_forgetful, _outside_functions(tree))
        )
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True


def _remembers(node: ast.AST) -> bool:
    if isinstance(node, ast.Global | ast.Nonlocal | ast.AsyncFunctionDef | ast.Await):
        return True
    if isinstance(node, ast.Import | ast.ImportFrom):
        return not _is_known_import(node)
    if isinstance(node, ast.Attribute):
        is_kept = not isinstance(node.ctx, ast.Load) and _root(node) != "self"
        is_setting = node.attr.startswith(SETTERS) and _root(node) != "self"
        return is_kept or is_setting or node.attr in TELLING
    if isinstance(node, ast.Name):
        return node.id in TELLING
    if isinstance(node, ast.FunctionDef):
        is_special = node.name.startswith("__") and node.name not in METHODS
        return is_special or not all(map(_is_constant, _defaults(node)))
    return isinstance(node, ast.Lambda) and not all(map(_is_constant, _defaults(node)))


def _is_known_import(node: ast.Import | ast.ImportFrom) -> bool:
    names = [a.name for a in node.names] if isinstance(node, ast.Import) else [node.module or ""]
    return all(name.split(".")[0] in FORGETFUL for name in names)


def _defaults(node: ast.FunctionDef | ast.Lambda) -> Iterator[ast.expr]:
    yield from node.args.defaults
    yield from (default for default in node.args.kw_defaults if default is not None)


def _outside_functions(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements of the module and of its classes: what they bind lives as long as the file."""
    for node in tree.body:
        yield node
        if isinstance(node, ast.ClassDef):
            yield from node.body


def _is_forgetful(node: ast.stmt) -> bool:
    """Whether a statement outside of functions binds nothing that can change."""
    if isinstance(node, ast.ClassDef):
        return not node.keywords and not node.decorator_list
    if isinstance(node, ast.FunctionDef):
        return all(_last_name(decorator) in DECORATORS for decorator in node.decorator_list)
    if isinstance(node, ast.Assign | ast.AnnAssign):
        return node.value is None or _is_constant(node.value)
    if isinstance(node, ast.If):
        return ast.unparse(node.test) == "__name__ == '__main__'" and not node.orelse
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_text or isinstance(node, ast.Import | ast.ImportFrom | ast.Pass)


def _is_constant(node: ast.expr) -> bool:
    if isinstance(node, ast.Tuple):
        return all(map(_is_constant, node.elts))
    if isinstance(node, ast.UnaryOp):
        return _is_constant(node.operand)
    return isinstance(node, ast.Constant)


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return getattr(node, "id", "")
