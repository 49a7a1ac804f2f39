"""Modules that a function, or the caller, hands out on CUDA: called where they are."""

from functools import cache

import pytest
import torch
from torch import nn

from grader.auditing.one_module import audit
from grader.probe.device import cuda_device


def codes(make) -> list[str]:
    return [finding.code for finding in audit(make, torch.randn(4, 6)).findings]


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(6, 6)
        self.mask = None

    def prune(self, device="cpu"):
        self.register_buffer("mask", torch.ones(6, 6, device=device).tril())

    def forward(self, x):
        return self.layer(x) if self.mask is None else self.layer(x) @ self.mask


class Bringing(Encoder):
    def forward(self, x):
        return self.layer(x) @ self.mask.to(x.device)


class Offloaded(nn.Module):
    """Its large table stays on the CPU, and so do the numbers of the rows."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(100, 6)
        self.layer = nn.Linear(6, 2).cuda()

    def forward(self, rows):
        return self.layer(self.table(rows).to(self.layer.weight.device))


def pruned(encoder=Encoder, device="cuda", mask_device="cpu"):
    model = encoder().to(device)
    del model.mask
    model.prune(mask_device)
    return model


@pytest.mark.parametrize("device", ["cuda:0", "cuda:1"])
def test_a_mask_made_after_the_move_is_told_where_it_was_made(device):
    (found,) = audit(lambda: pruned(device=device), torch.randn(4, 6)).findings

    assert (found.code, found.where) == ("device-ignored", "self.mask")
    assert "torch.ones(6, 6" in found.source_line
    assert found.message.startswith(f"Handed out on {device}, the module has `self.mask` on cpu")


def made_and_moved():
    return pruned(device="cpu").cuda()


def made_there():
    return pruned(mask_device="cuda")


def brought():
    return pruned(Bringing)


@pytest.mark.parametrize("make", [made_and_moved, made_there, brought])
def test_one_that_works_where_it_is_is_clean(make):
    report = audit(make, torch.randn(4, 6))

    assert (report.verdict, report.findings, report.notes) == ("passed", (), ())


def test_one_that_brings_each_part_its_tensors_is_clean():
    assert audit(lambda: Offloaded(), torch.randint(100, (4,))).findings == ()


def test_a_live_module_is_called_where_it_is_and_left_there():
    with cuda_device("simulated"):
        model = pruned()
        report = audit(model, torch.randn(4, 6), "simulated")

        assert [finding.code for finding in report.findings] == ["device-ignored"]
        assert (str(model.layer.weight.device), str(model.mask.device)) == ("cuda:0", "cpu")


class Keeping(Encoder):
    def __init__(self):
        super().__init__()
        self.scale = torch.ones(6)

    def forward(self, x):
        return self.layer(x) * self.scale


def test_what_a_move_leaves_behind_is_told_once():
    assert codes(lambda: Keeping().cuda()) == ["member-tensor"]


class OnCuda(Encoder):
    """Hard-codes where its buffer is, and is made to be moved."""

    def __init__(self):
        super().__init__()
        del self.mask
        self.prune("cuda")


def test_a_class_that_puts_a_buffer_on_cuda_is_moved_before_it_is_called():
    assert codes(OnCuda) == []
    assert codes(lambda: OnCuda().cuda()) == []


@cache
def kept():
    return Encoder()


@cache
def kept_on_cuda():
    return Encoder().cuda()


def test_a_function_that_gives_the_same_module_each_time_is_audited_by_copies():
    before = kept().layer.weight.clone()

    assert codes(kept) == codes(kept_on_cuda) == []
    assert kept().training
    assert kept().layer.weight.equal(before)


class Stubborn(Encoder):
    def cpu(self):
        raise RuntimeError("it stays")


def test_one_that_refuses_to_leave_cuda_is_not_the_audits_failure():
    assert codes(lambda: Stubborn().cuda()) == ["to-override"]
