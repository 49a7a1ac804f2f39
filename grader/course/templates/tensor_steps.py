"""What variants of exercises 03 and 08 are drawn from: tensors, each a step on `x` in `forward`."""

from __future__ import annotations

from dataclasses import dataclass

from grader.course.templates.frame import Story

ACTIVATIONS = ("torch.tanh(x)", "torch.sigmoid(x)", "nn.functional.softplus(x)", "torch.sin(x)")
CONSTANTS = (0.25, 0.5, 0.75, 1.5)


@dataclass(frozen=True)
class TensorStep:
    """A tensor of a story, with its place in `forward`.

    Attributes:
        operator: what joins `x` and it. Divided by, it must not be 0.
    """

    name: str
    operator: str
    what: str

    @property
    def step(self) -> str:
        return f"x = x {self.operator} self.{self.name}"

    @property
    def start(self) -> int:
        """The value that leaves `x` as it is."""
        return 1 if self.operator in "*/" else 0


@dataclass(frozen=True)
class StepStory(Story):
    """Tensors that were measured, and tensors that are learned."""

    measured: tuple[TensorStep, ...]
    learned: tuple[TensorStep, ...]


STORIES = (
    StepStory(
        "PhotoDeveloper",
        "brings the colour channels of raw photos to one scale",
        {"unit": "channels"},
        (
            TensorStep("black_level", "-", "what the sensor reads in the dark"),
            TensorStep("white_point", "/", "what it reads from white paper"),
            TensorStep("flare", "-", "what the lens scatters"),
        ),
        (
            TensorStep("saturation", "*", "how much each channel counts"),
            TensorStep("tint", "+", "what is added to each channel"),
            TensorStep("exposure", "*", "how bright each channel shall be"),
        ),
    ),
    StepStory(
        "ArmEncoder",
        "turns the readings of a robot's joints into positions",
        {"unit": "joints"},
        (
            TensorStep("zero_angle", "-", "what each joint reads at rest"),
            TensorStep("gear_ratio", "/", "how often its motor turns for each turn of the joint"),
            TensorStep("backlash", "-", "how far it moves before the arm does"),
        ),
        (
            TensorStep("stiffness", "*", "how little each joint yields"),
            TensorStep("sag", "+", "how far the arm's weight pulls each joint"),
            TensorStep("reach", "*", "how much each joint matters for the hand"),
        ),
    ),
    StepStory(
        "FilmTaste",
        "compares how users rate films",
        {"unit": "films"},
        (
            TensorStep("mean_rating", "-", "how each film is rated on average"),
            TensorStep("disagreement", "/", "how much its ratings differ"),
            TensorStep("hype", "-", "how much too high it was rated in its first week"),
        ),
        (
            TensorStep("appeal", "*", "how much each film tells of a user"),
            TensorStep("surprise", "+", "what is added for each film"),
            TensorStep("kinship", "*", "how close each film is to the others"),
        ),
    ),
    StepStory(
        "GridLoad",
        "compares the power that a city draws, hour by hour",
        {"unit": "hours"},
        (
            TensorStep("usual_load", "-", "what the city draws in each hour of a usual day"),
            TensorStep("load_spread", "/", "how much that differs from day to day"),
            TensorStep("street_lights", "-", "what the street lights draw in each hour"),
        ),
        (
            TensorStep("urgency", "*", "how much each hour counts"),
            TensorStep("weather", "+", "what is added for each hour"),
            TensorStep("carry_over", "*", "how much of each hour goes on"),
        ),
    ),
    StepStory(
        "SpeechBands",
        "evens out the frequency bands of a phone call",
        {"unit": "bands"},
        (
            TensorStep("line_noise", "-", "what the silent line has in each band"),
            TensorStep("mic_response", "/", "how well the microphone hears each band"),
            TensorStep("echo", "-", "what comes back from the loudspeaker"),
        ),
        (
            TensorStep("clarity", "*", "how much each band helps to understand"),
            TensorStep("lift", "+", "what is added to each band"),
            TensorStep("warmth", "*", "how pleasant each band sounds"),
        ),
    ),
)
