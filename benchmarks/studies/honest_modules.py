"""Hand in the modules of public packages as if they were answers: none may be called tampering.

    python benchmarks/studies/honest_modules.py [--most N] [PACKAGE ...]

PACKAGE is an importable package or a folder; PyTorch's own modules, unless given. Each file that
defines subclasses of `nn.Module` is handed in once for each of them, with its relative imports made
absolute. They answer no exercise, so most are not built or fail; what counts is that nobody is
accused and that the grader never fails itself. Exits 1 otherwise.
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parents[2]))

from grader.course.catalog import find
from grader.grading.grade import grade_file

ACCUSED = ("tampered", "cannot_grade")
RUBRIC = find("04")


def files_of(package: str) -> Iterator[tuple[Path, str]]:
    """Each source file with the dotted name of its package."""
    if Path(package).is_dir():
        root = Path(package)
    else:
        spec = importlib.util.find_spec(package)
        root = Path(str(spec.origin)).parent if spec and spec.origin else Path(package)
    name = package if not Path(package).is_dir() else root.name
    for file in sorted(root.rglob("*.py")):
        inner = file.parent.relative_to(root).parts
        yield file, ".".join((name, *inner))


def modules_in(tree: ast.Module) -> list[str]:
    """The names of the classes that derive from a Module, directly or by another in the file."""
    found: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            bases = {ast.unparse(base).split(".")[-1].split("[")[0] for base in node.bases}
            if bases & {"Module", *found} or any(
                b.startswith("_") and b[1:2].isupper() for b in bases
            ):
                found.append(node.name)
    return found


def absolute(tree: ast.Module, package: str) -> str:
    """The source with `from .x import y` as `from package.x import y`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            parts = package.split(".")
            base = parts[: len(parts) - node.level + 1]
            node.module, node.level = ".".join([*base, *([node.module] if node.module else [])]), 0
    return ast.unparse(tree)


def submissions(packages: list[str]) -> Iterator[tuple[str, str, str]]:
    """The name of the file, a class in it, and the source to hand in."""
    for package in packages:
        for file, name in files_of(package):
            try:
                tree = ast.parse(file.read_text(encoding="utf-8"))
            except (SyntaxError, UnicodeDecodeError):
                continue
            names = modules_in(tree)
            source = absolute(tree, name) if names else ""
            yield from ((f"{name}/{file.name}", cls, source) for cls in names)


def main() -> int:
    """Hand them in; 1 if anybody was accused."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("packages", nargs="*", default=["torch.nn"])
    parser.add_argument("--most", type=int, default=10_000)
    options = parser.parse_args()
    verdicts: Counter[str] = Counter()
    accused = []
    with TemporaryDirectory() as folder:
        file = Path(folder, f"{RUBRIC.stem}.py")
        for where, name, source in list(submissions(options.packages))[: options.most]:
            file.write_text(source, encoding="utf-8")
            report = grade_file(RUBRIC, file, "simulated", class_name=name)
            verdicts[report.verdict] += 1
            if report.verdict in ACCUSED:
                accused.append(
                    f"{where}:{name}: {report.verdict}. {report.message.splitlines()[0]}"
                )
    print(", ".join(f"{verdict} {count}" for verdict, count in verdicts.most_common()))
    print(*accused, sep="\n")
    return bool(accused)


if __name__ == "__main__":
    sys.exit(main())
