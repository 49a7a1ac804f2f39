"""What a project says of its audits, in pyproject.toml.

    [tool.grader.audit]
    ignore = ["replica"]                # or select = [...], the only codes that count
    baseline = "grader-baseline.json"   # from the folder of this file
    device = "simulated"
    time-limit = 300

A table in there, such as that of recipes, belongs to whoever reads it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from grader.errors import GraderError
from grader.judge import UNUSED, Code, Selection, read_baseline

CODES = frozenset({*(code.value for code in Code), UNUSED})
DEVICES = ("auto", "cuda", "simulated")
TYPES: Mapping[str, tuple[type | tuple[type, ...], str]] = {
    "select": (list, 'a list of codes, as ["member-tensor"]'),
    "ignore": (list, 'a list of codes, as ["replica"]'),
    "baseline": (str, "the path of a file, from the folder of pyproject.toml"),
    "device": (str, f"one of {', '.join(DEVICES)}"),
    "time-limit": ((int, float), "a number of seconds"),
}


class ConfigurationError(GraderError, ValueError):
    """An option of an audit is not one, or has no such value. The message says what to write."""


@dataclass(frozen=True)
class AuditOptions:
    """The options of `grader audit` that a project can set; None where it does not."""

    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    baseline: Path | None = None
    device: str | None = None
    time_limit: float | None = None

    def overridden(
        self,
        select: Iterable[str] = (),
        ignore: Iterable[str] = (),
        baseline: Path | None = None,
        *,
        prefix: str = "--",
    ) -> AuditOptions:
        """These options, each replaced where a command line has its own.

        Args:
            select: the only codes to tell.
            ignore: codes not to tell.
            baseline: a file of findings that are known.
            prefix: of the options, for messages.

        Raises:
            ConfigurationError: there is no such code.
        """
        return replace(
            self,
            select=codes(select, f"{prefix}select") or self.select,
            ignore=codes(ignore, f"{prefix}ignore") or self.ignore,
            baseline=baseline or self.baseline,
        )

    def choice(self) -> Selection:
        """Which findings to tell.

        Raises:
            ConfigurationError: the baseline does not exist.
            BaselineError: it cannot be read.
        """
        select, ignore = frozenset(self.select or ()), frozenset(self.ignore or ())
        if self.baseline is None:
            return Selection(select, ignore)
        try:
            text = self.baseline.read_text(encoding="utf-8")
        except FileNotFoundError:
            raise ConfigurationError(
                f"There is no baseline {self.baseline}. Write it: "
                f"grader audit … --write-baseline {self.baseline}"
            ) from None
        return Selection(select, ignore, read_baseline(text, str(self.baseline)))


def nearest_pyproject(folder: Path) -> Path | None:
    """The first pyproject.toml in `folder` or above it."""
    candidates = (parent / "pyproject.toml" for parent in (folder, *folder.parents))
    return next((path for path in candidates if path.is_file()), None)


def options_for(folder: Path) -> AuditOptions:
    """What the nearest pyproject.toml, in `folder` or above it, says of audits.

    Raises:
        ConfigurationError: it cannot be understood.
    """
    path = nearest_pyproject(folder.resolve())
    return read_options(path) if path else AuditOptions()


def read_options(path: Path) -> AuditOptions:
    """What a pyproject.toml says of audits.

    Raises:
        ConfigurationError: it is no TOML, or has an unknown key or a value of another type.
    """
    try:
        table: Any = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{path} is not TOML: {error}.") from None
    for key in ("tool", "grader", "audit"):
        table = table.get(key, {})
    options = {key: value for key, value in table.items() if not isinstance(value, dict)}
    for key, value in options.items():
        _require_option(path, key, value)
    values = {key.replace("-", "_"): value for key, value in options.items()}
    for key in {"select", "ignore"} & values.keys():
        values[key] = codes(values[key], f"{path}, `{key}`")
    if "baseline" in values:
        values["baseline"] = path.parent / values["baseline"]
    return AuditOptions(**values)


def codes(names: Iterable[str], where: str) -> tuple[str, ...]:
    """The codes that are named; a name may hold several, with commas between them.

    Raises:
        ConfigurationError: there is no such code; `where` says who named it.
    """
    listed = [code.strip() for name in names for code in str(name).split(",") if code.strip()]
    for code in listed:
        if code not in CODES:
            nearest = get_close_matches(code, CODES, n=1)
            hint = f" Do you mean {nearest[0]}?" if nearest else ""
            raise ConfigurationError(
                f"{where}: there is no code {code}.{hint} `grader explain` lists all."
            )
    return tuple(listed)


def _require_option(path: Path, key: str, value: Any) -> None:
    if key not in TYPES:
        nearest = get_close_matches(key, TYPES, n=1)
        hint = f" Do you mean `{nearest[0]}`?" if nearest else ""
        known = ", ".join(f"`{name}`" for name in TYPES)
        raise ConfigurationError(
            f"{path}: [tool.grader.audit] has no option `{key}`.{hint} Known: {known}."
        )
    kind, description = TYPES[key]
    is_other_device = key == "device" and value not in DEVICES
    if not isinstance(value, kind) or isinstance(value, bool) or is_other_device:
        raise ConfigurationError(f"{path}: [tool.grader.audit] `{key}` must be {description}.")
