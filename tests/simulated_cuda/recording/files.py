"""The files of recordings, so that a diff can show what changed.

`mixing-VERSION.jsonl` and `dtypes-VERSION.jsonl`: the first line says what was recorded, with
which build, and when. Its outcomes are long and few, so each text stands once, on a line of its
own, under a hash that depends on the text alone. Each other line is one sample of an operator or
module: its key and its entries.

`situations-VERSION.json`: the same header, and the facts of each situation.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import torch

Header = dict[str, Any]
Entries = dict[str, Any]
RECORDINGS = Path(__file__).resolve().parents[1] / "recordings"
SHORT = 16  # characters; a text that is no longer stands where it is used


def write_listed(path: Path, header: Header, entries: Entries) -> None:
    """Write entries whose keys are KIND/NAME/SAMPLE/WAY."""
    groups: dict[str, dict[str, str]] = {}
    texts: dict[str, str] = {}
    for key, text in entries.items():
        group, way = key.rsplit("/", 1)
        short = text if len(text) <= SHORT else f"#{hashlib.sha256(text.encode()).hexdigest()[:7]}"
        if short != text and texts.setdefault(short, text) != text:
            raise ValueError(f"Two texts have the hash {short}. Make the hash longer.")
        groups.setdefault(group, {})[way] = short
    rows: list[Any] = [header]
    rows += [{hashed: text} for hashed, text in sorted(texts.items())]
    rows += [[group, groups[group]] for group in sorted(groups)]
    lines = [json.dumps(row, ensure_ascii=False, separators=(",", ":")) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def read_listed(path: Path) -> tuple[Header, Entries]:
    """The header and the entries of a recording by PyTorch's lists."""
    header, *rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    texts: dict[str, str] = {}
    entries: Entries = {}
    for row in rows:
        if isinstance(row, dict):
            texts.update(row)
        else:
            entries |= {f"{row[0]}/{way}": texts.get(text, text) for way, text in row[1].items()}
    return header, entries


def write_situations(path: Path, header: Header, entries: Entries) -> None:
    text = json.dumps({"header": header, "facts": entries}, ensure_ascii=False, indent=1)
    path.write_text(text + "\n", encoding="utf-8")


def read_situations(path: Path) -> tuple[Header, Entries]:
    """The header and, for each situation, its facts."""
    recorded = json.loads(path.read_text(encoding="utf-8"))
    return recorded["header"], recorded["facts"]


def nearest(part: str, folder: Path = RECORDINGS) -> Path:
    """The recording of the installed PyTorch's minor version, or of the nearest one."""
    here = _minor(torch.__version__)
    return min(folder.glob(f"{part}-*"), key=lambda path: (abs(_minor(path.stem) - here), path))


def _minor(version: str) -> int:
    """2013 for "2.13.0+cpu" and for "mixing-2.13.0"."""
    major, minor = version.split("-")[-1].split(".")[:2]
    return int(major) * 1000 + int(minor)
