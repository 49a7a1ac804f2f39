"""Who adds to `state_dict()` or `parameters()` what was forgotten is wrong, and no attacker."""

import pytest

from grader.course.catalog import find, starter
from grader.grading.grade import grade_file

METHODS = {
    "03_member_tensors": """
    def state_dict(self, *args, **kwargs):
        return {**super().state_dict(*args, **kwargs), "mean": self.mean, "std": self.std}

    def load_state_dict(self, state, strict=True, assign=False):
        self.mean, self.std = state["mean"], state["std"]
""",
    "05_module_containers": """
    def named_parameters(self, *args, **kwargs):
        for i, layer in enumerate(self.layers):
            for name, parameter in layer.named_parameters():
                yield f"layers.{i}.{name}", parameter
        for task, head in self.heads.items():
            for name, parameter in head.named_parameters():
                yield f"heads.{task}.{name}", parameter

    def parameters(self, recurse=True):
        return (parameter for _, parameter in self.named_parameters())

    def state_dict(self, *args, **kwargs):
        return {name: parameter.detach() for name, parameter in self.named_parameters()}

    def load_state_dict(self, state, strict=True, assign=False):
        for name, parameter in self.named_parameters():
            parameter.data.copy_(state[name])

    def _apply(self, fn, recurse=True):
        for layer in [*self.layers, *self.heads.values()]:
            layer._apply(fn)
        return self
""",
}


@pytest.mark.parametrize("stem", METHODS)
def test_what_was_forgotten_is_named_and_nobody_is_accused(stem, tmp_path):
    path = tmp_path / f"{stem}.py"
    path.write_text(starter(stem) + METHODS[stem], encoding="utf-8")

    report = grade_file(find(stem), path)

    assert report.verdict == "failed"
    assert "grader" not in report.message
    words = " ".join(
        [check.message for check in report.checks] + [found.message for found in report.findings]
    )
    assert "register" in words or "`parameters()` returns 0 tensors" in words
