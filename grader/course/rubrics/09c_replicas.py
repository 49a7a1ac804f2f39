"""A layer that asks `next(self.parameters())` where it is, and sometimes has none to ask."""

from grader.schema import Expected, Input, Recipe, Rubric

RUBRIC = Rubric(
    stem="09c_replicas",
    title="A layer that asks its Parameters where it is",
    class_name="WordPool",
    optional=True,
    finding="replica",
    recipe=Recipe(
        arguments={"features": 4, "learned": True},
        inputs=(Input((6, 5, "features")), Input((6,), "integers", high=5)),
        thorough=True,
        inputs_stay=True,
        later=(Input((2, 1, "features")), Input((2,), "integers", high=1)),
        other_arguments={"features": 6, "learned": False},
        elsewhere=("replica",),
    ),
    tensors=(Expected("score.weight", (1, 4), "parameter"),),
    names_matter=False,
    points={"parameters": 1, "forward": 4, "training": 1},
    advice=dict.fromkeys(
        ("replica", "stale-device", "hard-coded-device", "input-transfer"),
        "Ask the layer that you hold: in a replica, `self.score.weight` is there, though "
        "`parameters()` is empty. Without a layer, ask the words.",
    ),
    hints=(
        "`next(self.parameters())` takes the first Parameter. When is there no first one?",
        "Without learned weights there are no Parameters. In a replica there are none either: "
        "its weights are plain attributes. In both cases, which tensor knows where to compute?",
        "Python's `next` takes a second argument, which it returns instead of raising "
        "`StopIteration`. A replica's words are already on its GPU: `DataParallel` put them there.",
        "`device = next(self.parameters(), words).device`",
    ),
    reason="The first Parameter says where to compute, if there is one; else the input does. In a "
    "replica there is none, and the input is always in the right place.",
    also_right=(
        "`self.score.weight.device` if there is a `score`, else `words.device`: in a replica the "
        "weight is still an attribute.",
        "`words` is moved to the weights, if there are any, and `last` to where `words` is then.",
    ),
)
