"""Pictures of what training does to a tensor."""

from __future__ import annotations

from typing import Any

import matplotlib.pyplot as plt

from grader.course.figures.drawing import (
    CPU,
    INK,
    arrow,
    box,
    canvas,
    label,
    room,
    show_figure,
)


def lost_waves(before: Any, after: Any) -> None:
    """A table of waves, of shape (positions, waves), before and after it was trained."""
    tables = {"before training": before, "after training": after}
    _, both = plt.subplots(1, 2, figsize=(7.4, 2.2), sharey=True, layout="constrained")
    for axes, (title, table) in zip(both, tables.items(), strict=True):
        axes.imshow(table.detach().cpu().T, aspect="auto", cmap="cividis", vmin=-1, vmax=1)
        axes.set_title(title, size=10, loc="left", color=INK)
        axes.set_xlabel("position", color=INK)
        axes.set_yticks(range(table.shape[1]))
        axes.tick_params(colors=INK)
        axes.spines[:].set_color(INK)
    both[0].set_ylabel("wave", color=INK)
    show_figure(
        both[0],
        "Before training the table shows four clean waves; after it, they are lost in noise.",
    )


def path_of_the_gradient() -> None:
    """Forward from `pixels` to the loss, and the way back of the gradient."""
    axes = canvas(7.2, 2.3, x=(-0.75, 4.75), y=(-1.3, 0.8))
    room(axes, -0.72, -1.3, 1.45, 2.1, "CPU")
    room(axes, 1.25, -1.3, 3.5, 2.1, "cuda:0")
    for x, name, where, note in (
        (0, "pixels", "cpu", "leaf: keeps the gradient"),
        (2, "on_gpu", "cuda", "not a leaf"),
        (4, "loss", "cuda", ""),
    ):
        box(axes, x, 0, name, where, height=0.55)
        label(axes, x, -0.72, note, size=8)
    for left, right, step in ((0.42, 1.58, ".cuda()"), (2.42, 3.58, "* 2, sum")):
        arrow(axes, (left, 0.14), (right, 0.14), INK)
        arrow(axes, (right, -0.14), (left, -0.14), CPU, linestyle="--")
        label(axes, (left + right) / 2, 0.36, step, family="monospace", size=8)
        label(axes, (left + right) / 2, -0.36, "gradient", color=CPU, size=8)
    show_figure(
        axes,
        "Forward, from pixels on the CPU over its copy on_gpu to the loss. Backward, the gradient "
        "passes through on_gpu and .cuda(), and ends at pixels.",
    )
