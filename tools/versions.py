"""Print the doctor's list of versions as a workflow's outputs: NAME=JSON, one a line.

Usage in a workflow: python3 tools/versions.py >> "$GITHUB_OUTPUT", then fromJSON(...) in a matrix.
"""

import json
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = tomllib.loads(
    (ROOT / "grader" / "cli" / "doctor" / "versions.toml").read_text(encoding="utf-8")
)


def outputs() -> dict[str, list[str]]:
    """Each output by name; versions oldest first, those of PyTorch as pip wants them: `2.13.*`."""
    python, torch = VERSIONS["python"], VERSIONS["torch"]
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    pinned = re.findall(r"^torch==(\d+\.\d+)", constraints, re.MULTILINE)
    return {
        "python": python["tried"] + python["new"],
        "python_new": python["new"],
        "python_oldest": python["tried"][:1],
        "python_ends": [python["tried"][0], python["tried"][-1]],
        "torch": [f"{version}.*" for version in torch["tried"] + torch["new"]],
        "torch_pinned": [f"{version}.*" for version in pinned],
    }


if __name__ == "__main__":
    for name, versions in outputs().items():
        print(f"{name}={json.dumps(versions)}")
