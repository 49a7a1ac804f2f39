"""What `--package NAME` means: an installed distribution, an importable package, or a folder."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from grader.errors import GraderError


class PackageError(GraderError):
    """There is no such package. The message says what was looked for, and what to do."""


@dataclass(frozen=True)
class Package:
    """A package to survey.

    Attributes:
        title: its name, and its version where that is known.
        roots: the names that it is imported by.
        path: the folder that must be on `sys.path` for that; `""` for an installed package.
    """

    title: str
    roots: tuple[str, ...]
    path: str = ""

    def make_importable(self) -> None:
        """Put its folder on `sys.path`, for the rest of this process."""
        if self.path and self.path not in sys.path:
            sys.path.insert(0, self.path)


def find_package(name: str) -> Package:
    """The package that `name` names: a folder, an importable name, or a name for `pip install`.

    Raises:
        PackageError: nothing is found under that name.
    """
    folder = Path(name)
    if folder.is_dir() and ("/" in name or not _is_importable(name)):
        return _in_folder(folder.resolve())
    if _is_importable(name):
        return Package(_with_version(name), (name,))
    canonical = _canonical(name)
    roots = tuple(
        sorted(root for root, dists in _distributions() if canonical in map(_canonical, dists))
    )
    if roots:
        return Package(f"{name} {metadata.version(name)}", roots)
    raise PackageError(
        f"{name} is neither an installed package nor a folder. Install it in this environment "
        f"({sys.prefix}), or give the folder that holds its source."
    )


def _in_folder(folder: Path) -> Package:
    """A folder that is a package itself, or that holds packages and modules."""
    if (folder / "__init__.py").exists():
        return Package(folder.name, (folder.name,), str(folder.parent))
    source = folder / "src" if (folder / "src").is_dir() else folder
    roots = tuple(sorted(_importable_in(source)))
    if not roots:
        raise PackageError(f"{folder} holds neither a package nor a Python file.")
    return Package(folder.name, roots, str(source))


def _importable_in(folder: Path) -> Iterator[str]:
    for path in folder.iterdir():
        if path.suffix == ".py" and path.stem.isidentifier() and path.stem != "setup":
            yield path.stem
        elif (path / "__init__.py").exists() and path.name != "tests":
            yield path.name


def _is_importable(name: str) -> bool:
    if not all(part.isidentifier() for part in name.split(".")):
        return False
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):  # of `a.b`, where `a` cannot be imported
        return False


def _with_version(root: str) -> str:
    top = root.partition(".")[0]
    distributions = metadata.packages_distributions().get(top, [])
    return f"{root} {metadata.version(distributions[0])}" if distributions else root


def _distributions() -> Iterator[tuple[str, list[str]]]:
    """Each importable name with the distributions that brought it."""
    for root, distributions in metadata.packages_distributions().items():
        if root.isidentifier() and not root.startswith("_"):
            yield root, distributions


def _canonical(name: str) -> str:
    """A distribution's name as PEP 503 compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()
