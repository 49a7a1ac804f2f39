"""Sparse and nested tensors on the native device, as other projects' tests use them."""

import pytest
import torch
from torch import nn

pytestmark = pytest.mark.usefixtures("cuda")


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
@torch.no_grad()
def test_an_encoder_with_padding_uses_nested_tensors():
    layer = nn.TransformerEncoderLayer(4, 2, 16, 0.0, batch_first=True)
    encoder = nn.TransformerEncoder(layer, 2).eval()
    x, padding = torch.rand(2, 3, 4), torch.tensor([[False, False, True], [False, True, True]])
    expected = encoder(x, src_key_padding_mask=padding)

    result = encoder.cuda()(x.cuda(), src_key_padding_mask=padding.cuda())

    torch.testing.assert_close(result.cpu(), expected)


def test_sparse_mask():
    pattern = torch.eye(2).to_sparse().cuda()

    assert torch.ones(2, 2, device="cuda").sparse_mask(pattern).to_dense().tolist() == [
        [1, 0],
        [0, 1],
    ]
    assert pattern.sparse_mask(pattern).device.type == "cuda"


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support", "ignore:Sparse invariant checks")
def test_sparse_tensors_of_a_device_that_is_not_the_current_one():
    dense = torch.eye(2, device="cuda:1")
    sparse = torch.sparse_coo_tensor(torch.ones(1, 1).long(), torch.ones(1), (2,)).to("cuda:1")

    for made in (
        sparse,
        sparse + sparse,
        sparse * 2,
        sparse / 2,
        sparse.pow(2),
        dense.to_sparse(),
        dense.to_sparse_csr(),
    ):
        assert made.device == made.to_dense().device == torch.device("cuda:1")


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize(("one", "other"), [("csr", "csc"), ("csc", "csr"), ("bsr", "bsc")])
def test_conversions_between_compressed_layouts(one, other):
    dense = torch.arange(16.0, device="cuda").reshape(4, 4)
    block = (2, 2) if one == "bsr" else None
    first = dense.to_sparse(layout=getattr(torch, f"sparse_{one}"), blocksize=block)

    second = first.to_sparse(layout=getattr(torch, f"sparse_{other}"), blocksize=block)

    assert second.device == dense.device
    assert torch.equal(second.to_dense(), dense)


@pytest.mark.filterwarnings("ignore:Sparse")
def test_a_compressed_result_that_is_written_to_an_argument():
    one, two, three = (torch.rand(*size, device="cuda") for size in ((4, 5), (4, 6), (6, 5)))
    compressed = [tensor.to_sparse_csr() for tensor in (one, two, three)]

    result = torch.addmm(*compressed)

    torch.testing.assert_close(result.to_dense(), torch.addmm(one, two, three))


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_nested_tensors_with_padding_and_with_rows():
    parts = [torch.ones(2, 4, device="cuda", requires_grad=True), torch.ones(3, 4, device="cuda")]
    nested = torch.nested.as_nested_tensor(parts)
    nested.to_padded_tensor(0).sum().backward()
    assert parts[0].grad.tolist() == [[1] * 4] * 2

    rows = torch.tensor([1.0, 2.0], device="cuda").reshape(2, 1, 1).expand(2, 1, 4)
    assert [part.sum().item() for part in (nested + rows).unbind()] == [16, 36]


@pytest.mark.filterwarnings("ignore:Sparse invariant checks")
@pytest.mark.parametrize("dtype", [torch.float, torch.half])
def test_sums_of_sparse_tensors_have_the_entries_of_both(dtype):
    entries = torch.ones(2, dtype=dtype)
    x, y = (torch.sparse_coo_tensor(torch.tensor([[7, 1]]), entries, (9,)).cuda() for _ in range(2))
    assert (x + y)._indices().tolist() == [[7, 1, 7, 1]]
    x += y
    assert x._nnz() == 4
    assert (x - y).to_dense().tolist() == [0, 1, 0, 0, 0, 0, 0, 1, 0]
    for _ in range(3):
        x += y
    assert x._nnz() <= 9  # no more entries than elements


@pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
def test_layer_norm_of_nested_tensors_has_gradients():
    norm = nn.LayerNorm(4).cuda()
    x = torch.rand(2, 4, device="cuda", requires_grad=True)
    nested = torch.nested.as_nested_tensor([x, torch.rand(3, 4, device="cuda")])
    (found,) = torch.autograd.grad(norm(nested).unbind()[0].square().sum(), x)
    (expected,) = torch.autograd.grad(norm(x).square().sum(), x)
    torch.testing.assert_close(found, expected)


@pytest.mark.filterwarnings("ignore:Sparse invariant checks", "ignore:The PyTorch API of Masked")
def test_masked_reductions_with_a_sparse_mask_that_is_broadcast():
    x = torch.arange(6.0, device="cuda").reshape(2, 3).to_sparse()
    mask = torch.tensor([[True], [False]], device="cuda").to_sparse()
    largest = torch.masked.amax(x, 1, mask=mask)
    assert largest.to_dense().tolist()[0] == 2
