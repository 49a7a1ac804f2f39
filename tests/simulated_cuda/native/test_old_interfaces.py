"""Classes of tensors and storages that older code still uses."""

from collections.abc import Iterator

import pytest
import torch

pytestmark = [
    pytest.mark.usefixtures("cuda"),
    pytest.mark.filterwarnings("ignore:The torch.cuda", "ignore:torch.set_default_tensor_type"),
]


@pytest.fixture
def default_type() -> Iterator[None]:
    yield
    torch.set_default_tensor_type(torch.FloatTensor)
    torch.set_default_device(None)


def test_a_class_makes_tensors_from_sizes_numbers_and_tensors() -> None:
    made = torch.cuda.DoubleTensor(2, 3)
    assert (made.shape, made.dtype, made.is_cuda) == ((2, 3), torch.float64, True)
    assert torch.cuda.LongTensor([1, 2]).tolist() == [1, 2]
    assert torch.cuda.FloatTensor(torch.ones(2, device="cuda")).tolist() == [1, 1]


@pytest.mark.usefixtures("default_type")
@pytest.mark.parametrize("by_name", [True, False])
def test_a_default_type_is_a_dtype_and_a_device(by_name: bool) -> None:
    torch.set_default_tensor_type("torch.cuda.DoubleTensor" if by_name else torch.cuda.DoubleTensor)

    made = torch.ones(2)

    assert (made.dtype, made.device) == (torch.float64, torch.device("cuda:0"))


@pytest.mark.usefixtures("default_type")
def test_a_default_type_of_the_cpu_takes_the_device_back() -> None:
    torch.set_default_tensor_type(torch.cuda.FloatTensor)
    torch.set_default_tensor_type(torch.DoubleTensor)

    assert (torch.ones(2).dtype, torch.ones(2).device.type) == (torch.float64, "cpu")


def test_a_storage_is_made_on_the_device() -> None:
    assert torch.UntypedStorage(8, device="cuda").device == torch.device("cuda:0")
    assert list(torch.UntypedStorage([1, 2], device="cuda").cpu()) == [1, 2]
    assert torch.UntypedStorage(8, device="cpu").device.type == "cpu"


def test_a_storage_is_resized_in_place() -> None:
    tensor = torch.ones(4, device="cuda")

    tensor.untyped_storage().resize_(32)

    assert tensor.untyped_storage().nbytes() == 32
    assert tensor.tolist() == [1, 1, 1, 1]


def test_memory_of_this_process_has_no_handle_for_another() -> None:
    with pytest.raises(RuntimeError, match="only available on CUDA"):
        torch.ones(1).untyped_storage()._share_cuda_()
    with pytest.raises(NotImplementedError, match="other processes"):
        torch.ones(1, device="cuda").untyped_storage()._share_cuda_()
