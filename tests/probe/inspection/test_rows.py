"""How many rows of a data set a call has on CUDA at a time."""

import pytest
import torch
from torch import nn

from grader.probe.device import cuda_device
from grader.probe.inspection.rows import RowsWatch

BATCH = 3


def whole(flowers, layer):
    flowers = flowers.cuda()
    for batch in flowers.split(BATCH):
        layer(batch)


def by_name(flowers, layer):
    for batch in flowers.split(BATCH):
        there = batch.cuda()
        layer(there)


def kept_by_the_graph(flowers, layer):
    total = 0
    for batch in flowers.split(BATCH):
        total = total + layer(batch.cuda()).sum()


def detached(flowers, layer):
    total = 0
    for batch in flowers.split(BATCH):
        total = total + layer(batch.cuda()).sum().detach()


def joined(flowers, layer):
    layer(torch.cat([batch.cuda() for batch in flowers.split(BATCH)]))


def copied_within_a_batch(flowers, layer):
    for batch in flowers.split(BATCH):
        there = batch.cuda()
        layer(torch.stack([there, -there]))


def into_a_buffer_of_one_batch(flowers, layer):
    there = torch.empty(BATCH, 4, device="cuda")
    for batch in flowers.split(BATCH):
        there[: len(batch)] = batch
        layer(there[: len(batch)])


def into_a_buffer_for_all(flowers, layer):
    there = torch.empty(10, 4, device="cuda")
    for i, batch in enumerate(flowers.split(BATCH)):
        there[BATCH * i : BATCH * i + len(batch)] = batch
        layer(there[:BATCH])


def constants_of_its_own(flowers, layer):
    counts = torch.zeros(25).to("cuda")
    for batch in flowers.split(BATCH):
        counts = counts + layer(batch.cuda()).sum()


@pytest.mark.parametrize(
    ("evaluate", "rows"),
    [
        (whole, 10),
        (by_name, 3),
        (kept_by_the_graph, 10),
        (detached, 3),
        (joined, 10),
        (copied_within_a_batch, 3),
        (into_a_buffer_of_one_batch, 3),
        (into_a_buffer_for_all, 10),
        (constants_of_its_own, 10),
    ],
)
def test_rows_are_counted_while_something_is_computed(evaluate, rows):
    flowers = torch.randn(10, 4)
    with cuda_device("simulated"):
        layer = nn.Linear(4, 2).cuda()
        with RowsWatch([flowers]) as watch:
            evaluate(flowers, layer)

    assert watch.most == rows


def test_without_gradients_nothing_is_kept():
    flowers = torch.randn(10, 4)
    with cuda_device("simulated"):
        layer = nn.Linear(4, 2).cuda()
        with torch.no_grad(), RowsWatch([flowers]) as watch:
            kept_by_the_graph(flowers, layer)

    assert watch.most == BATCH
