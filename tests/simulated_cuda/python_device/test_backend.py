"""For C++ a wrapper lives on the backend that the device in Python registers."""

import pytest
import torch


@pytest.mark.usefixtures("cuda")
def test_a_wrapper_is_on_the_backend_for_cpp() -> None:
    wrapper = torch.ones(2, 3, device="cuda:1")
    assert torch._C.TensorBase.device.__get__(wrapper) == torch.device("simulated", 1)  # type: ignore[attr-defined]
    assert torch._C._dispatch_keys(wrapper).has(torch._C.DispatchKey.Python)
