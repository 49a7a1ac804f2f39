"""Modules that hold or return what no exercise asks for: a verdict and a sentence, no report to us.

The probe fills, copies, reads and compares what it finds. None of these can take all of that.
"""

import pytest
from answering import report, source, words

ONES, ZEROS = "torch.ones(features)", "torch.zeros(features)"
PARAMETERS = {
    "expanded": "torch.ones(1).expand(features)",
    "complex": "torch.ones(features, dtype=torch.complex64)",
    "on meta": 'torch.ones(features, device="meta")',
    "sparse": "torch.eye(features).to_sparse()",
    "compressed": "torch.eye(features).to_sparse_csr()",
    "huge": "torch.ones(1_500_000)",
}
HELD = {
    "nested": "torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])",
    "quantized": "torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.quint8)",
    "empty": "torch.ones(0)",
    "eight bits": "torch.ones(3).to(torch.float8_e4m3fn)",
}
CONTAINERS = {
    "a list in itself": "y = [x]; y.append(y); return y",
    "a dict in itself": "y = {'x': x}; y['y'] = y; return y",
    "a deep list": "y = x\n        for _ in range(100_000): y = [y]\n        return y",
    "many": "return [x] * 10_000",
    "odd keys": "return {object(): x}",
    "a long text": "return 'x' * 50_000_000",
    "the module": "return self",
    "nothing": "return None",
}


def is_judged(result):
    return result.verdict == "failed" and "grader itself" not in words(result)


@pytest.mark.parametrize("name", PARAMETERS)
@pytest.mark.parametrize("usual", [ONES, ZEROS], ids=["Parameter", "buffer"])
def test_an_unusual_tensor_is_judged(name, usual, tmp_path):
    assert is_judged(report(tmp_path, source().replace(usual, PARAMETERS[name])))


@pytest.mark.parametrize("name", HELD)
def test_an_unusual_buffer_too_many_is_judged(name, tmp_path):
    result = report(tmp_path, source(init=f"self.register_buffer('more', {HELD[name]})"))

    assert is_judged(result)
    assert "`more`" in words(result)


@pytest.mark.parametrize("name", CONTAINERS)
def test_an_unusual_output_is_judged(name, tmp_path):
    result = report(tmp_path, source(forward=CONTAINERS[name]))

    assert is_judged(result)
    assert result.score == 4  # all but the call and the training


def test_a_module_that_holds_itself_is_told_so(tmp_path):
    result = report(tmp_path, source(init="self.itself = self"))

    assert result.verdict == "failed"
    assert "Your module holds itself" in result.message


def test_what_only_holds_a_circle_is_right(tmp_path):
    circle = "self.circle = []; self.circle.append(self.circle)"

    assert report(tmp_path, source(init=circle)).verdict == "passed"


def test_what_does_not_fit_into_memory_is_said(tmp_path):
    result = report(tmp_path, source(init="self.more = nn.Parameter(torch.empty(800_000_000))"))

    assert result.verdict == "out_of_memory"


def test_a_state_that_is_none_is_said(tmp_path):
    override = "    def state_dict(self, *args, **named): return None\n\n    def forward"

    result = report(tmp_path, source().replace("    def forward", override))

    assert result.verdict == "failed"
    assert "Your `state_dict` returned a NoneType" in result.message


def test_inference_tensors_are_said(tmp_path):
    decorated = "@torch.inference_mode()\n    def __init__"

    result = report(tmp_path, source().replace("def __init__", decorated))

    assert result.verdict == "failed"
    assert "torch.inference_mode()" in result.message
