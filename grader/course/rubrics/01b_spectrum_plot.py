"""A script that takes the first GPU for any, and hands a tensor on it to NumPy."""

from grader.schema import Input, Recipe, Rubric

RUBRIC = Rubric(
    stem="01b_spectrum_plot",
    title="A spectrum for a plot",
    class_name="MeasureSpectrum",
    optional=True,
    finding="host-round-trip",
    recipe=Recipe(
        arguments={"gpu": 0},
        inputs=(Input((3, 10)),),
        inputs_stay=True,
        later=(Input((2, 7)),),
        other_arguments={"gpu": 99},
        elsewhere=("gpu",),
    ),
    tensors=(),
    differentiable=False,
    points={"forward": 4},
    hints=(
        "NumPy reads only the CPU's memory. Where is `spectra` after the move?",
        "`.cpu()` copies a tensor to the CPU. And which GPU does `.cuda()` take?",
        "Only the average is for NumPy, so copy only that. `.cuda(n)` takes GPU number `n`.",
        "`sounds = sounds.cuda(self.gpu)`, and `spectra.mean(dim=0).cpu().numpy()` in the last "
        "line.",
    ),
    reason="`.cuda(n)` names the GPU, where `.cuda()` means the current one. What leaves for NumPy "
    "goes through `.cpu()`; the spectra stay where they were computed.",
    also_right=(
        '`sounds.to(f"cuda:{self.gpu}")`: the same move.',
        "`spectra.cpu().numpy().mean(axis=0)`: NumPy computes the average, after a larger copy.",
    ),
)
