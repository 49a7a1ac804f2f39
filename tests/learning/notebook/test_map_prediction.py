"""`device_map(module, predict=True)`: nothing tells before the move, and the move tells all."""

import pytest
import torch
from torch import nn

from grader.learning.notebook.device_map import DeviceMap
from grader.learning.notebook.device_map.history import QUESTION, WITHOUT_WIDGETS
from grader.learning.notebook.device_map.view import view_data

TELLING = ("registered", "Parameter", "buffer", "plain", "○", "●")


class Speech(nn.Module):
    """Two tensors stay: a plain attribute, and a layer in a list."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)
        self.mean = torch.zeros(3)
        self.heads = [nn.Linear(2, 1, bias=False)]


STAY = ("self.mean", "self.heads[0].weight")


@pytest.fixture
def asked():
    return DeviceMap(Speech(), predict=True)


def rows(shown):
    return {row["path"]: row for row in view_data(shown)["rows"]}


def test_before_the_move_nothing_gives_it_away(asked):
    view = view_data(asked)
    html = asked._forms()["text/html"]

    assert view["message"] == QUESTION
    assert view["devices"] == ("cuda:0",)
    shown, answer = html.split("<details>")
    table = shown[shown.index("<table>") :]
    for text in (str(view["rows"]).replace("'registered': True", ""), table, repr(asked)):
        assert not any(word in text for word in TELLING)
    assert WITHOUT_WIDGETS in shown
    assert "what it is" not in shown
    assert "2 stayed behind: mean on cpu and heads[0].weight on cpu" in answer
    assert "cuda:0" in answer
    assert "what it is" in answer


def test_a_tensor_is_picked_and_put_back_and_a_module_is_none(asked):
    asked.pick("self.mean")
    assert rows(asked)["self.mean"]["picked"] is True
    asked.pick("self.mean")
    asked.pick("self.layer")
    asked.pick("self.nothing")

    assert not any(row.get("picked") for row in rows(asked).values())
    assert "picked" not in rows(asked)["self.layer"]


@pytest.mark.parametrize(
    ("picked", "verdict"),
    [
        (STAY, "You predicted it right."),
        (STAY[:1], "You did not expect heads[0].weight to stay."),
        (
            ("self.layer.weight", *STAY),
            "You expected layer.weight to stay, but it moved.",
        ),
        (
            ("self.layer.weight", "self.layer.bias"),
            "You did not expect mean and heads[0].weight to stay. You expected layer.weight and "
            "layer.bias to stay, but they moved.",
        ),
    ],
)
def test_the_move_says_which_were_right(picked, verdict, asked):
    for path in picked:
        asked.pick(path)
    asked.move("cuda:0")

    assert asked.message.startswith(f"{verdict} 2 tensors moved to cuda:0. 2 stayed behind: ")
    surprises = {path for path, row in rows(asked).items() if "surprise" in row.get("change", "")}
    moved = {path for path in picked if path not in STAY}
    assert surprises == moved | {path for path in STAY if path not in picked}
    assert "not registered" in rows(asked)["self.mean"]["words"]
    assert view_data(asked)["devices"] == ("cuda:0", "cuda:1", "cpu")


def test_a_cell_that_moves_the_module_tells_as_well():
    module = Speech()
    asked = DeviceMap(module, predict=True)
    asked.pick("self.mean")

    module.added = torch.zeros(1)
    asked.look_again("cell 2")
    assert asked.guess is not None, "nothing has moved yet"

    module.layer.to("meta")
    asked.look_again("cell 3")
    assert asked.guess is None
    assert "You did not expect added and heads[0].weight to stay." in asked.message


def test_tied_weights_are_one_prediction():
    tied = nn.ModuleDict({"embed": nn.Embedding(5, 3), "predict": nn.Linear(3, 5, bias=False)})
    tied["predict"].weight = tied["embed"].weight
    asked = DeviceMap(tied, predict=True)

    asked.move("cuda:0")

    assert asked.message.startswith("You predicted it right.")
