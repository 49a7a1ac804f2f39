"""Pictures of who copies a tensor from one memory to another, and when."""

from __future__ import annotations

from collections.abc import Mapping

from grader.course.figures.drawing import (
    CPU,
    GPU,
    INK,
    arrow,
    box,
    canvas,
    label,
    room,
    show_figure,
)


def three_memories() -> None:
    """The calls that copy between CPU and GPU, and those that share the CPU's memory with NumPy."""
    axes = canvas(7.4, 2.4, x=(-0.1, 10.1), y=(0, 2.6))
    for x, name, width in ((0.0, "NumPy", 1.6), (2.9, "CPU", 2.9), (7.1, "cuda:0", 2.9)):
        room(axes, x, 0, width, 2.6, name)
    label(axes, 0.8, 1.4, "array", family="monospace")
    rows = ((2.0, "torch.zeros(3)", 'device="cuda"'), (1.0, "torch.arange(n)", "zeros_like(x)"))
    for y, on_cpu, on_gpu in rows:
        box(axes, 4.35, y, on_cpu, "cpu", width=2.4, height=0.5)
        box(axes, 8.55, y, on_gpu, "cuda", width=2.4, height=0.5)
    for start, end, y, text, color in (
        (5.85, 7.05, 1.9, ".cuda()", GPU),
        (7.05, 5.85, 1.0, ".cpu()", CPU),
        (2.85, 1.65, 1.9, ".numpy()", INK),
        (1.65, 2.85, 1.0, "from_numpy", INK),
    ):
        arrow(axes, (start, y), (end, y), color)
        label(axes, (start + end) / 2, y + 0.2, text, family="monospace", size=8, color=color)
    show_figure(
        axes,
        "Arrows lead from the CPU to cuda:0 and back, and between NumPy and the CPU. "
        "None leads from NumPy to cuda:0.",
    )


def to_returns_or_moves() -> None:
    """What the names point to after `pulse.to("cuda")` and after `linear.to("cuda")`."""
    axes = canvas(7.6, 2.4, x=(-0.6, 5.8), y=(-0.45, 1.75))
    for left in (0, 3.6):
        room(axes, left - 0.52, -0.4, 1.04, 1.35, "CPU")
        room(axes, left + 1.08, -0.4, 1.04, 1.35, "cuda:0")

    label(axes, 0, 1.6, "pulse", family="monospace")
    arrow(axes, (0, 1.5), (0, 0.57), INK)
    box(axes, 0, 0.38, "tensor", "cpu")
    box(axes, 1.6, 0.38, "new tensor", "cuda")
    arrow(axes, (0.42, 0.38), (1.18, 0.38))
    label(axes, 0.8, 1.3, 'pulse.to("cuda")', family="monospace", size=8)

    label(axes, 5.2, 1.6, "linear", family="monospace")
    arrow(axes, (5.2, 1.5), (5.2, 0.83), INK)
    for y, name in ((0.64, "weight"), (0.18, "bias")):
        box(axes, 3.6, y, "", "empty")
        box(axes, 5.2, y, name, "cuda")
        arrow(axes, (4.02, y), (4.78, y))
    label(axes, 4.1, 1.3, 'linear.to("cuda")', family="monospace", size=8)
    show_figure(
        axes,
        "On the left, pulse.to copies a tensor to cuda:0, and the name pulse still points to the "
        "one on the CPU. On the right, linear.to moves weight and bias to cuda:0, and the name "
        "linear points to the same module.",
    )


def made_in_forward() -> None:
    """A time line: what exists when `.cuda()` is called, and what is created later."""
    axes = canvas(7.4, 2.3, x=(-0.6, 9.8), y=(-0.5, 1.75))
    for y, device in ((0, "CPU"), (1, "cuda:0")):
        room(axes, 0.3, y - 0.3, 9.4, 0.6, "")
        label(axes, 0.15, y, device, ha="right", weight="bold")
    for x, when in ((0.4, "__init__"), (3.2, ".cuda()"), (6.0, "forward")):
        axes.axvline(x, color=INK, linestyle=":", linewidth=1)
        label(axes, x + 0.1, 1.55, when, ha="left", family="monospace")
    axes.plot([0.4, 3.2, 3.2, 9.6], [0.08, 0.08, 0.92, 0.92], color=GPU, linewidth=3)
    label(axes, 3.4, 1.1, "weights: moved", ha="left", color=GPU)
    axes.plot([6.4, 9.6], [-0.1, -0.1], "--o", color=CPU, linewidth=3, markevery=[0], markersize=9)
    label(axes, 6.4, 0.13, "noise: created later, on the CPU", ha="left", color=CPU)
    show_figure(
        axes,
        "A time line. The weights exist from __init__ and change from the CPU to cuda:0 at "
        ".cuda(). The noise begins in forward, after the move, and is on the CPU.",
    )


def copies_by_place(by_place: Mapping[str, tuple[int, str]]) -> None:
    """Where a batch is at each station on its way into the model, for each place that moves it.

    Args:
        by_place: for each place, in the batch's order, the number of copies and the device on
            which the targets end up.
    """
    axes = canvas(7.9, 2.6, x=(-1.5, 4.6), y=(3.6, -0.95))
    for column, station in enumerate(by_place):
        label(axes, column, -0.7, station, weight="bold")
    for row, (place, (copies, device)) in enumerate(by_place.items()):
        label(axes, -1.45, row, f"moved in\n{place}", ha="left")
        for column in range(len(by_place)):
            text = f"{copies} copies" if column == row else ""
            where = "cuda" if column >= row else "cpu"
            box(axes, column, row, text, where, width=0.8, height=0.6)
        label(axes, 3.5, row, f"target: {device}", ha="left")
    show_figure(
        axes,
        "; ".join(
            f"moved in the {place}, {copies} copies, and the target ends up on {device}"
            for place, (copies, device) in by_place.items()
        ).capitalize()
        + ". From that place on, the batch is on the GPU.",
    )
