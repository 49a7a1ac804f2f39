"""The picture of the replicas of `nn.DataParallel`."""

from __future__ import annotations

from grader.course.figures.drawing import (
    CPU,
    GPU,
    arrow,
    box,
    canvas,
    label,
    room,
    show_figure,
)


def replicas() -> None:
    """What each replica of `nn.DataParallel` has, and what is thrown away with it."""
    axes = canvas(7.4, 2.7, x=(-0.1, 10.3), y=(-0.3, 3.3))
    label(axes, 1.3, 3.05, "your model", weight="bold")
    box(axes, 1.3, 1.5, "scale, shift,\nplain, calls = 0", "cuda", width=2.4, height=1.4)
    room(axes, 4.5, 1.55, 5.8, 1.75, "")
    room(axes, 4.5, -0.3, 5.8, 1.75, "")
    for y, gpu in ((2.4, 0), (0.55, 1)):
        label(axes, 4.65, y + 0.7, f"replica on cuda:{gpu}", ha="left", weight="bold")
        box(axes, 6.1, y, "x, scale, shift", "cuda", width=2.8, height=0.7)
        label(axes, 7.7, y, "calls = 1,\nthrown away", ha="left")
        arrow(axes, (2.55, 1.5), (4.6, y))
    label(axes, 9.75, 2.4, "plain", color=GPU)
    label(axes, 9.75, 0.55, "plain: on\ncuda:0", color=CPU, weight="bold")
    show_figure(
        axes,
        "Your model is copied to a replica on cuda:0 and one on cuda:1. Input, parameter and "
        "buffer of each are on its own GPU. The plain tensor is on cuda:0 in both. The counters "
        "of the replicas are thrown away, and your model still has 0 calls.",
    )
