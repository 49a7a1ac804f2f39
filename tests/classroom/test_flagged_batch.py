"""A batch names what a person should look at, writes it down, and changes no mark for it."""

import json
from pathlib import Path

import pytest
from handing_in import hand_in, notebook, solution

from grader.classroom.results.ledger import LEDGER_NAME, latest, read_ledger

VIEWS = "07_moving_inputs"
SHORT = "03_member_tensors"
MINE = '''
import torch
from torch import nn
from torch.nn.functional import cross_entropy


class TwoViewStep(nn.Module):
    """My answer: walk through the batch with a stack."""

    def __init__(self, features, classes):
        super().__init__()
        self.left = nn.Linear(features, classes)
        self.right = nn.Linear(features, classes)

    def to_device(self, batch):
        target = next(self.parameters()).device
        if hasattr(batch, "to"):
            return batch.to(target, non_blocking=True)
        if hasattr(batch, "items"):
            return dict((key, self.to_device(value)) for key, value in batch.items())
        return [self.to_device(value) for value in batch]

    def forward(self, rows):
        left, right, labels = rows
        batch = self.to_device({"views": (left, right), "labels": labels})
        left, right = batch["views"]
        scores = self.left(left) + self.right(right)
        return scores, cross_entropy(scores, batch["labels"])
'''
COPIED = (
    MINE.replace("target", "dev")
    .replace("value", "v")
    .replace('"""My answer: walk through the batch with a stack."""', "# moves everything")
    .replace("return dict(", "return dict(  # by name\n            ")
)
OTHER = MINE.replace(
    """        return [self.to_device(value) for value in batch]
""",
    """        moved = []
        for index in range(len(batch)):
            moved.append(self.to_device(batch[index]))
        return tuple(moved)
""",
).replace(
    """        if hasattr(batch, "items"):
            return dict((key, self.to_device(value)) for key, value in batch.items())
""",
    """        if type(batch) is dict:
            for name in list(batch):
                batch[name] = self.to_device(batch[name])
            return batch
""",
)
SOCKET = "import socket\n" + solution(SHORT)
NEEDLESS = "seen = torch.hub\n\n    def forward"
FILES = {
    f"ada/{VIEWS}.py": MINE,
    f"bo/{VIEWS}.py": COPIED,
    f"cy/{VIEWS}.py": OTHER,
    f"dee/{VIEWS}.py": solution(VIEWS).replace("part", "thing"),
    f"ada/{SHORT}.py": solution(SHORT),
    f"bo/{SHORT}.py": SOCKET,
    f"cy/{SHORT}.ipynb": notebook("import torch", "x = 1\n\n" + solution(SHORT)),
    f"dee/{SHORT}.ipynb": notebook("import torch", SOCKET.replace("def forward", NEEDLESS)),
}


def flags(folder):
    """By learner and exercise, the kind and line of each flag."""
    entries = latest(read_ledger(folder))
    found = {key: [(f.kind, f.line) for f in entry.report.flags] for key, entry in entries.items()}
    return {key: flags for key, flags in found.items() if flags}


EXPECTED = {
    ("ada", "07"): [("likeness", 0)],
    ("bo", "07"): [("likeness", 0)],
    ("dee", "07"): [("solution", 0)],
    ("bo", "03"): [("import", 1)],
    ("dee", "03"): [("import", 16)],  # counted in its cell; it does not use the import
}


@pytest.fixture
def school(tmp_path):
    return hand_in(tmp_path / "in", FILES)


def test_a_batch_flags_and_its_marks_stand(school, tmp_path, grader, golden, monkeypatch):
    monkeypatch.chdir(tmp_path)

    ended = grader("batch", "in", "--out", "out")

    assert ended.status == 0
    assert flags(tmp_path / "out") == EXPECTED
    assert {e.report.verdict for e in read_ledger(tmp_path / "out")} == {"passed"}
    summary = ended.out.partition("\n\n")[2]
    golden("batch_flags", "\n".join(line.rstrip() for line in summary.splitlines()) + "\n")

    before = Path("out", LEDGER_NAME).read_bytes()
    grader("batch", "in", "--out", "out")
    assert Path("out", LEDGER_NAME).read_bytes() == before

    hand_in(school, {f"bo/{VIEWS}.py": OTHER.replace("moved", "gone")})
    grader("batch", "in", "--out", "out")
    after = latest(read_ledger(tmp_path / "out"))
    assert after["ada", "07"].report.flags == ()
    assert str(after["bo", "07"].report.flags[0]).endswith("as cy")


def test_shards_merged_know_what_is_alike_across_them(school, tmp_path, grader):
    shards = [tmp_path / f"shard{i}" for i in (1, 2, 3, 4)]
    for i, shard in enumerate(shards, start=1):
        grader("batch", school, "--out", shard, "--shard", f"{i}/4")

    grader("merge", *shards, "--out", tmp_path / "all")
    again = grader("merge", *shards, "--out", tmp_path / "all")

    assert flags(tmp_path / "all") == EXPECTED
    assert again.out.startswith("0 results added")


def test_a_ledger_from_before_there_were_flags_is_read(school, tmp_path, grader):
    grader("batch", school, "--out", tmp_path / "out", "--shard", "1/2")
    path = tmp_path / "out" / LEDGER_NAME
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line["report"].pop("flags")
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")

    assert [entry.report.flags for entry in read_ledger(tmp_path / "out")] == [()] * len(lines)
    assert grader("export", tmp_path / "out", "--to", "csv").status == 0


def test_who_plots_is_not_flagged_for_what_the_import_asks(tmp_path, grader):
    plots = f"import matplotlib.pyplot as plt\n{solution(SHORT)}"
    asks = plots.replace("import torch", "import subprocess\nimport torch", 1)
    asks += "\ntry:\n    subprocess.run(['fc-list'])\nexcept PermissionError:\n    pass\n"
    files = {f"ada/{SHORT}.py": plots, f"bo/{SHORT}.py": asks}

    grader("batch", hand_in(tmp_path / "in", files), "--out", tmp_path / "out", "--jobs", 1)

    entries = latest(read_ledger(tmp_path / "out"))
    assert [entries[name, "03"].report.score for name in ("ada", "bo")] == [6, 6]
    flags = {name: entries[name, "03"].report.flags for name in ("ada", "bo")}
    assert [flag for flag in flags["ada"] if flag.kind != "likeness"] == []
    assert any("asked for what was refused" in str(flag) for flag in flags["bo"])
