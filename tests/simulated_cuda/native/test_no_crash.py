"""A fault in the device's C++ would end the process: no call and no situation does."""

import gc
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.simulated_cuda import simulated_cuda

HERE = Path(__file__).parents[1]


def lines_of(script: str, *options: str) -> list[dict[str, Any]]:
    command = [sys.executable, str(HERE / script), *options]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    return [json.loads(line) for line in run.stdout.splitlines()]


@pytest.mark.search
@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_a_sample_of_values(seed: int) -> None:
    *wrong, last = lines_of("fuzz_values.py", "--calls", "60", "--seed", str(seed))
    assert wrong == []
    assert last["calls"] > 50


@pytest.mark.search
@pytest.mark.slow
@pytest.mark.parametrize("part", range(8))
def test_calls_of_every_operator(part: int) -> None:
    *faults, last = lines_of("fuzz.py", "--calls", "2", "--seed", "1", "--shard", f"{part}/8")
    assert faults == []
    assert last["operators"] > 150


@pytest.mark.filterwarnings("ignore:ComplexHalf support:UserWarning")
def test_sizes_that_the_cpus_kernels_do_not_check() -> None:
    """Each of these calls ended the process."""
    with simulated_cuda():
        x, three, two = torch.randn(2, 3, 4).cuda(), torch.randn(3).cuda(), torch.randn(2).cuda()
        backward = torch.ops.aten.cudnn_batch_norm_backward
        for mean, number in ((two, 2), (x, 24)):
            with pytest.raises(RuntimeError, match=rf"'save_mean' to have 3 .* {number} elements"):
                backward(x, x, three, three, three, mean, three, 0.1, x)
        with pytest.raises(RuntimeError):
            backward(x, x, three, three, three, None, three, 0.1, x)
        assert backward(x, x, three, three, three, three, three, 0.1, x)[1].shape == (3,)
        half = torch.zeros(2, 2, dtype=torch.complex32, device="cuda")
        with pytest.raises(RuntimeError):
            torch.ops.aten._fft_c2r.out(half, [], 0, 2, out=torch.zeros(2, 2).cuda().half())
        with pytest.raises(RuntimeError):
            torch.ops.aten._fft_c2r(half.real, [-1, -1], -1, 3)
        norm, attention = torch.ops.aten, torch.ops.aten._scaled_dot_product_flash_attention
        wrong = r"'weight' to have 3 .* 24 elements"
        with pytest.raises(RuntimeError, match=wrong):
            norm._native_batch_norm_legit.no_stats(x, x, x, True, 0.5, 0.0)
        with pytest.raises(RuntimeError, match=wrong):
            norm.native_batch_norm_backward(
                x, x, x, three, three, three, three, True, 0.1, [True] * 3
            )
        for mean, trains in ((None, True), (three, False)):
            with pytest.raises(RuntimeError, match=r"expected (saved|running) statistics"):
                norm.native_batch_norm_backward(
                    x, x, three, None, None, mean, None, trains, 0.1, [True] * 3
                )
        q, none = (torch.zeros(1, n, 2, 8, device="cuda").half() for n in (2, 0))
        with pytest.raises(RuntimeError, match="to be a multiple of that of keys"):
            attention(q, none, none)


@pytest.mark.nightly
def test_situations() -> None:
    results = lines_of("crash_situations.py")
    assert len(results) >= 19
    assert [r for r in results if r["status"]] == []


def test_operators_that_the_device_lacks_are_named() -> None:
    with simulated_cuda():
        missing = torch.ops.simulated_cuda.missing()
        assert missing
        for name in missing:
            base, _, overload = name.removeprefix("aten::").partition(".")
            schema = getattr(getattr(torch.ops.aten, base), overload or "default")._schema
            assert schema.name == f"aten::{base}"
        with pytest.raises(NotImplementedError, match="aten::_cslt_compress"):
            torch.ops.aten._cslt_compress(torch.ones(4, 4).cuda())


steps = st.lists(
    st.one_of(
        st.tuples(st.just("take"), st.integers(0, 3 * 2**20)),
        st.tuples(st.just("take"), st.integers(0, 2000)),
        st.tuples(st.just("free"), st.integers(0, 30)),
        st.tuples(st.just("empty_cache"), st.just(0)),
    ),
    max_size=40,
)


@pytest.fixture(scope="module")
def nothing_left() -> None:
    """What earlier tests have left to the collector shall not go while memory is counted."""
    gc.collect()


@pytest.mark.usefixtures("nothing_left")
@settings(max_examples=50)
@given(steps)
def test_memory_figures_follow_a_plain_model(sequence: list[tuple[str, int]]) -> None:
    rounded = lambda size: (size + 511) // 512 * 512  # noqa: E731
    with simulated_cuda():
        torch.cuda.init()
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        before = peak = torch.cuda.memory_allocated()
        live: list[torch.Tensor] = []
        for step, number in sequence:
            if step == "take":
                live.append(torch.empty(number, dtype=torch.uint8, device="cuda"))
            elif step == "free" and live:
                del live[number % len(live)]
            elif step == "empty_cache":
                torch.cuda.empty_cache()
            held = before + sum(rounded(tensor.numel()) for tensor in live)
            peak = max(peak, held)
            assert torch.cuda.memory_allocated() == held
            assert torch.cuda.max_memory_allocated() == peak
            reserved = torch.cuda.memory_reserved()
            assert reserved >= held
            assert reserved % (2 * 2**20) == 0
        live.clear()
        assert torch.cuda.memory_allocated() == before
        torch.cuda.empty_cache()
        if not before:
            assert torch.cuda.memory_reserved() == 0
