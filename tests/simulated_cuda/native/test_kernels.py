"""Kernels that CUDA has and the CPU has not, as other projects' tests use them."""

import pytest
import torch
from torch import nn

pytestmark = pytest.mark.usefixtures("cuda")


@pytest.fixture
def _deterministic():
    torch.use_deterministic_algorithms(True)
    yield
    torch.use_deterministic_algorithms(False)


@pytest.mark.usefixtures("_deterministic")
def test_new_memory_is_filled_where_deterministic_algorithms_are_asked_for():
    assert torch.empty(3, device="cuda").isnan().all()
    assert torch.empty_strided((2,), (1,), dtype=torch.int8, device="cuda").tolist() == [127, 127]


@pytest.mark.filterwarnings("ignore:ComplexHalf support is experimental")
def test_half_precision_ffts_want_powers_of_two():
    half = torch.ones(12, dtype=torch.half, device="cuda")
    with pytest.raises(
        RuntimeError, match=r"cuFFT only supports .* but got a signal size of\[12\]"
    ):
        torch.fft.fft(half)
    assert torch.fft.fft(half[:8])[0].item() == 8


def test_products_of_half_precision_kept_in_single():
    x = torch.ones(2, 2, dtype=torch.bfloat16, device="cuda")
    product = torch.mm(x, x, out_dtype=torch.float32)
    assert (product.dtype, product.tolist()) == (torch.float32, [[2, 2], [2, 2]])
    assert torch.addmm(product, x, x, out_dtype=torch.float32).tolist() == [[4, 4], [4, 4]]


def test_dropout_of_fused_kernels_is_another_at_each_call():
    torch.cuda.manual_seed(0)
    q = torch.rand(1, 2, 8, 8, device="cuda")
    attention = [nn.functional.scaled_dot_product_attention(q, q, q, dropout_p=0.5) for _ in "12"]
    assert not torch.equal(*attention)
    lstm = nn.LSTM(8, 8, num_layers=2, dropout=0.5).cuda()
    x = torch.rand(3, 2, 8, device="cuda")
    assert not torch.equal(lstm(x)[0], lstm(x)[0])


def test_complex_sums_without_nan():
    x = torch.tensor([1 + 1j, complex("nan")], device="cuda")
    assert x.nansum().item() == x.nanmean().item() == 1 + 1j


def test_cudnn_wants_a_contiguous_state():
    with pytest.raises(RuntimeError, match="rnn: hx is not contiguous"):
        nn.GRU(3, 4).cuda()(torch.ones(2, 2, 3, device="cuda"), torch.ones(1, 4, 2).cuda().mT)


def test_embedding_bag_names_the_dtypes():
    bag = nn.EmbeddingBag(5, 2, mode="sum").cuda()
    with pytest.raises(RuntimeError, match="expected scalar type Float but found Double"):
        bag(
            torch.tensor([[1, 2]], device="cuda"),
            per_sample_weights=torch.ones(1, 2, device="cuda").double(),
        )


@pytest.mark.parametrize("dtype", [torch.float, torch.bfloat16])
def test_cholesky_solve_checks_shapes_before_it_reads(dtype):
    right, factor = (torch.ones(size, device="cuda", dtype=dtype) for size in ((3, 2), (5, 5)))
    with pytest.raises(RuntimeError, match="cholesky_solve: expected batches"):
        torch.ops.aten._cholesky_solve_helper(right, factor, False)


def test_affine_grid_by_cudnn():
    theta = torch.rand(1, 2, 3)
    grids = []
    for device in ("cpu", "cuda"):
        inputs = theta.to(device).requires_grad_()
        if device == "cuda":
            grid = torch.ops.aten.cudnn_affine_grid_generator(inputs, 1, 1, 2, 4)
        else:
            grid = nn.functional.affine_grid(inputs, (1, 1, 2, 4), align_corners=True)
        grids.append([t.cpu() for t in (grid, *torch.autograd.grad(grid.sum(), inputs))])
    torch.testing.assert_close(*grids)


def test_the_parts_of_synchronized_batch_norm():
    norm = nn.BatchNorm2d(3).double()
    nn.init.uniform_(norm.weight)
    x = torch.rand(4, 3, 2, 2, dtype=torch.double, requires_grad=True)
    grad = torch.rand_like(x)
    y = norm(x)
    expected = [y, *torch.autograd.grad(y, (x, norm.weight, norm.bias), grad)]

    aten = torch.ops.aten
    x, grad, weight, bias = (t.detach().cuda() for t in (x, grad, norm.weight, norm.bias))
    halves = [aten.batch_norm_stats(half, norm.eps) for half in x.chunk(2)]  # two processes
    means, scales = (torch.stack(t) for t in zip(*halves, strict=True))
    counts = torch.full((2, 1), 8.0, device="cuda")
    running = torch.zeros(3, device="cuda").double(), torch.ones(3, device="cuda").double()
    mean, scale = aten.batch_norm_gather_stats_with_counts(
        x, means, scales, *running, norm.momentum, norm.eps, counts
    )
    y = aten.batch_norm_elemt(x, weight, bias, mean, scale, norm.eps)
    sums = aten.batch_norm_backward_reduce(grad, x, mean, scale, weight, True, True, True)
    of_x = aten.batch_norm_backward_elemt(grad, x, mean, scale, weight, *sums[:2], counts)

    torch.testing.assert_close([t.cpu() for t in (y, of_x, *sums[2:])], expected)
    torch.testing.assert_close([t.cpu() for t in running], [norm.running_mean, norm.running_var])


def test_flash_attention():
    q, k, v = (torch.rand(2, 2, 5, 8, dtype=torch.half) for _ in "qkv")
    with nn.attention.sdpa_kernel(nn.attention.SDPBackend.FLASH_ATTENTION):
        inputs = [t.cuda().requires_grad_() for t in (q, k, v)]
        out = nn.functional.scaled_dot_product_attention(*inputs, is_causal=True)
        assert out.grad_fn.name() == "ScaledDotProductFlashAttentionBackward0"
        found = out, *torch.autograd.grad(out.sum(), inputs)
        with pytest.raises(RuntimeError, match="No available kernel"):
            nn.functional.scaled_dot_product_attention(*(t.float() for t in inputs))
    inputs = [t.float().requires_grad_() for t in (q, k, v)]
    out = nn.functional.scaled_dot_product_attention(*inputs, is_causal=True)
    expected = out, *torch.autograd.grad(out.sum(), inputs)
    for one, other in zip(found, expected, strict=True):
        torch.testing.assert_close(one.cpu().float(), other, atol=2e-3, rtol=2e-3)


def test_flash_attention_shows_what_dropout_drops():
    q = torch.rand(1, 2, 16, 8, dtype=torch.half, device="cuda")
    v = torch.eye(16, dtype=torch.half, device="cuda").expand(1, 2, 16, 16)
    out, *_, shown = torch.ops.aten._scaled_dot_product_flash_attention(q, q, v, 0.5, False, True)
    assert torch.equal(out == 0, shown < 0)


def test_rms_norm_in_one_kernel_is_contiguous():
    x = torch.rand(1, 3, 2, device="cuda").transpose(1, 2).requires_grad_()
    y = nn.functional.rms_norm(x, (2, 3))
    assert y.is_contiguous()
    assert torch.autograd.grad(y.sum(), x)[0].is_contiguous()
