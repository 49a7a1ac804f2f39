"""Shapes on a ground of their own, as no grey has a contrast of 4.5 on both white and black.

`INK`, `GPU` and `CPU` have it on the ground and on a shaded room. The two devices differ in
hatching as well as in colour.
"""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Any

import matplotlib.pyplot as plt
from IPython.core.getipython import get_ipython
from matplotlib.patches import Rectangle

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, GPU, CPU = "#464c55", "#0065a3", "#9a3f00"
PAPER, SHADE = "#f1f2f4", "#dfe1e5"
STYLES: dict[str, dict[str, Any]] = {
    "cuda": {"fc": "#0072b2", "ec": "#0072b2"},
    "cpu": {"fc": "#ffd9b8", "ec": "#b34700", "hatch": "////"},
    "empty": {"fc": "none", "ec": INK, "ls": ":"},
}
PIXELS_AN_INCH = 100  # of the page; the PNG has twice as many, for screens that do


def canvas(width: float, height: float, x: tuple[float, float], y: tuple[float, float]) -> Axes:
    """Axes without a frame, `width` by `height` inches, for the given ranges of x and y."""
    _, axes = plt.subplots(figsize=(width, height), layout="constrained")
    axes.set(xlim=x, ylim=y)
    axes.axis("off")
    return axes


def room(axes: Axes, x: float, y: float, width: float, height: float, name: str) -> None:
    """A shaded rectangle for one memory, with its name along the lower edge."""
    axes.add_patch(Rectangle((x, y), width, height, fc=SHADE, ec="none", zorder=0))
    label(axes, x + width / 2, y + 0.04, name, weight="bold", va="bottom")


def box(
    axes: Axes, x: float, y: float, text: str, where: str, width: float = 0.8, height: float = 0.34
) -> None:
    """A tensor, centred at (x, y); `where` is a key of `STYLES`."""
    style = STYLES[where]
    corner = (x - width / 2, y - height / 2)
    axes.add_patch(Rectangle(corner, width, height, linewidth=1.2, zorder=2, **style))
    colour = "white" if where == "cuda" else "black"
    plate = {"fc": style["fc"], "ec": "none", "pad": 1}  # else the hatching crosses the text
    label(axes, x, y, text, color=colour, bbox=plate, zorder=3)


def arrow(
    axes: Axes, start: tuple[float, float], end: tuple[float, float], color: str = GPU, **line: Any
) -> None:
    axes.annotate(
        "", end, start, arrowprops={"arrowstyle": "->", "color": color, "lw": 1.6, **line}
    )


def label(axes: Axes, x: float, y: float, text: str, **style: Any) -> None:
    """Text, centred at (x, y) unless `style` says otherwise."""
    axes.text(x, y, text, **{"ha": "center", "va": "center", "size": 9, "color": INK, **style})


def show_figure(axes: Axes, alt: str) -> None:
    """Show the figure of these axes below the cell and close it.

    Args:
        axes: one of the figure's.
        alt: what the figure shows, for whoever does not see it. It is the figure's text form too.
    """
    shell, figure = get_ipython(), axes.get_figure(root=True)
    if figure is None or shell is None:
        return
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=2 * PIXELS_AN_INCH, facecolor=PAPER)
    width, height = (round(inches * PIXELS_AN_INCH) for inches in figure.get_size_inches())
    plt.close(figure)
    picture = base64.b64encode(file.getvalue()).decode("ascii")
    shell.display_pub.publish(
        {"image/png": picture, "text/plain": alt},
        metadata={"image/png": {"width": width, "height": height, "alt": alt}},
    )
