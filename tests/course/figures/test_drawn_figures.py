"""The notebooks' figures: their text holds on its ground, and they say what they show."""

import base64
import io

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from matplotlib.colors import to_rgb

from grader.course.figures import drawing as picture


@pytest.fixture(scope="module")
def output():
    mpl.use("agg")
    InteractiveShell.instance()
    with capture_output() as captured:
        axes = picture.canvas(4, 2, x=(0, 4), y=(0, 2))
        picture.room(axes, 0, 0, 2, 2, "CPU")
        picture.box(axes, 1, 1, "window", "cpu")
        picture.box(axes, 3, 1, "weight", "cuda")
        picture.arrow(axes, (1.4, 1), (2.6, 1))
        picture.show_figure(axes, "The window stays on the CPU.")
    InteractiveShell.clear_instance()
    return captured.outputs[0]


def luminance(colour: str) -> float:
    """As WCAG 2.2 defines relative luminance."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("colour", [picture.INK, picture.GPU, picture.CPU])
def test_text_holds_on_the_ground_and_in_a_room(colour):
    for ground in (picture.PAPER, picture.SHADE):
        assert (luminance(ground) + 0.05) / (luminance(colour) + 0.05) >= 4.5


def test_a_figure_brings_its_ground(output):
    pixels = plt.imread(io.BytesIO(base64.b64decode(output.data["image/png"])))

    assert pixels.shape == (400, 800, 4)
    assert tuple(pixels[0, -1, :3]) == pytest.approx(to_rgb(picture.PAPER), abs=0.01)


def test_a_figure_says_what_it_shows(output):
    assert output.data["text/plain"] == "The window stays on the CPU."
    assert output.metadata["image/png"]["alt"] == "The window stays on the CPU."


def test_no_figure_is_left_open(output):
    assert plt.get_fignums() == []


def test_a_script_shows_nothing(capsys):
    axes = picture.canvas(4, 2, x=(0, 4), y=(0, 2))

    picture.show_figure(axes, "nothing")

    assert capsys.readouterr().out == ""
    plt.close(axes.figure)
