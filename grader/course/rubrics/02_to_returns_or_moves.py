"""An LSTM's first state, moved by a `.to` whose result nobody keeps."""

from grader.schema import Expected, Input, Recipe, Rubric, layer

RUBRIC = Rubric(
    stem="02_to_returns_or_moves",
    title="A first state that does not arrive",
    class_name="GestureClassifier",
    finding="to-result-dropped",
    recipe=Recipe(
        arguments={"features": 2, "hidden": 4, "gestures": 5},
        # Three steps: after many, an LSTM may have forgotten which state it started from.
        inputs=(Input((6, 3, "features")),),
        thorough=True,
        later=(Input((1, 4, "features")),),
        other_arguments={"features": 5, "hidden": 3, "gestures": 7},
    ),
    tensors=(
        Expected("lstm.weight_ih_l0", (16, 2), "parameter"),
        Expected("lstm.weight_hh_l0", (16, 4), "parameter"),
        Expected("lstm.bias_ih_l0", (16,), "parameter"),
        Expected("lstm.bias_hh_l0", (16,), "parameter"),
        *layer("head", 5, 4),
    ),
    points={"placement": 1, "forward": 3},
    hints=(
        "`.to` made the right tensor, and nothing holds it. Which two names does `first_state` "
        "return?",
        "`state = state.to(x.device)` inside the loop is not enough: `state` is the loop's own "
        "name, and `hidden_state` still names the old tensor.",
        "You need no loop: move each of the two where it is returned, or create it on the right "
        "device.",
        "Keep both results: `return hidden_state.to(x.device), cell_state.to(x.device)`. Or make "
        "them there: `torch.zeros(1, len(x), self.hidden, device=x.device)`.",
    ),
    reason="`first_state` returns what `.to` returns: two tensors that are where the batch is. "
    "The two that were made on the CPU stay as they are, and nobody uses them.",
    also_right=(
        "`torch.zeros(..., device=x.device)` or `x.new_zeros(...)`: made in the right place, so "
        "there is nothing to move.",
        "No state at all: an LSTM that gets none starts from zeros by itself.",
    ),
)
