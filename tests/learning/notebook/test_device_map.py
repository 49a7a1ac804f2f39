"""`device_map(module)`: what it shows, moves and follows, without a browser."""

import gc
import threading
from itertools import pairwise
from pathlib import Path

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from IPython.core.interactiveshell import InteractiveShell
from torch import nn

from grader import device_map, simulated_cuda
from grader.learning.notebook.device_map import DeviceMap
from grader.learning.notebook.device_map.html import to_html
from grader.learning.notebook.device_map.lines import to_text
from grader.learning.notebook.device_map.picture import picture_of
from grader.learning.notebook.device_map.session import follow, unreachable

ROOT = Path(__file__).resolve().parents[3]


class SpectrumClassifier(nn.Module):
    """Its window is a plain attribute, its ramp a buffer that no checkpoint holds."""

    def __init__(self, bins=8, classes=3):
        super().__init__()
        self.window = torch.hann_window(bins)
        self.register_buffer("ramp", torch.arange(bins), persistent=False)
        self.norm = nn.BatchNorm1d(bins)
        self.linear = nn.Linear(bins, classes)


class Translator(nn.Module):
    """Embeds and predicts words with one matrix; its adapters are in a list."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5, 3)
        self.predict = nn.Linear(3, 5, bias=False)
        self.predict.weight = self.embed.weight
        self.encoder = nn.LSTM(3, 3)
        self.decoder = self.encoder
        self.adapters = [nn.Linear(3, 3)]
        self.cache = {"keys": torch.zeros(2, 3)}
        self.rows = self.embed.weight.data


def leaves(module):
    return {leaf.path: leaf for leaf in picture_of(module).leaves}


def devices(shown):
    return {leaf.path: leaf.device for leaf in shown.picture.leaves}


class TestPicture:
    def test_each_tensor_is_told_by_what_it_is_to_its_module(self):
        seen = leaves(SpectrumClassifier())

        assert {path: (leaf.kind, leaf.registered) for path, leaf in seen.items()} == {
            "self.ramp": ("non-persistent buffer", True),
            "self.window": ("plain tensor", False),
            "self.norm.weight": ("Parameter", True),
            "self.norm.bias": ("Parameter", True),
            "self.norm.running_mean": ("buffer", True),
            "self.norm.running_var": ("buffer", True),
            "self.norm.num_batches_tracked": ("buffer", True),
            "self.linear.weight": ("Parameter", True),
            "self.linear.bias": ("Parameter", True),
        }
        assert (seen["self.ramp"].shape, seen["self.ramp"].dtype) == ("(8,)", "int64")

    def test_what_a_list_and_a_dict_hold_is_not_registered(self):
        module = Translator()
        module.scales = [nn.Parameter(torch.ones(2))]
        seen = leaves(module)

        assert not seen["self.adapters[0].weight"].registered
        assert seen["self.cache['keys']"].kind == "plain tensor in dict cache"
        assert seen["self.scales[0]"].kind == "Parameter in list scales"

    def test_ties_and_aliases_name_each_other(self):
        seen = leaves(Translator())
        tied = [seen[f"self.{name}.weight"] for name in ("embed", "predict")]
        rows = {row.path: row for row in picture_of(Translator()).rows}

        assert [leaf.note for leaf in tied] == [
            "the same tensor as predict.weight",
            "the same tensor as embed.weight",
        ]
        assert seen["self.rows"].note == "shares memory with embed.weight"
        assert rows["self.decoder"].note == "the same module as encoder"

    def test_what_a_layer_of_pytorch_lists_twice_is_shown_once(self):
        assert not [path for path in leaves(nn.LSTM(2, 2)) if "_flat_weights" in path]

    def test_a_parent_reference_ends(self):
        module = SpectrumClassifier()
        module.norm.owner = module
        rows = {row.path: row for row in picture_of(module).rows}

        assert rows["self.norm.owner"].note == "the same module as the root: a cycle"

    def test_a_lazy_layer_has_no_shape_yet(self):
        assert leaves(nn.LazyLinear(3))["self.weight"].shape == "not known yet"

    @pytest.mark.filterwarnings("ignore:The PyTorch API of nested tensors")
    def test_tensors_of_every_kind_have_a_row(self):
        module = nn.Module()
        module.register_buffer("graph", torch.eye(3).to_sparse())
        module.register_buffer("empty", torch.ones(0))
        module.rows = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
        seen = {leaf.path: leaf for leaf in DeviceMap(module).picture.leaves}

        assert seen["self.rows"].shape == "ragged"
        assert [seen["self.graph"].shape, seen["self.empty"].shape] == ["(3, 3)", "(0,)"]

    def test_what_is_held_without_any_tensor_is_left_out(self):
        module = nn.Linear(1, 1)
        module.steps = [nn.Dropout()]

        assert [row.path for row in picture_of(module).rows] == ["self", "self.weight", "self.bias"]

    def test_a_module_without_tensors_has_a_picture(self):
        assert to_text(picture_of(nn.ReLU())).startswith("ReLU: no tensors\n")

    @given(st.recursive(st.just(nn.ReLU), lambda inner: st.lists(inner, max_size=4), max_leaves=12))
    @settings(max_examples=30)
    def test_every_module_is_a_row_below_its_parent(self, shape):
        def build(part):
            return part() if part is nn.ReLU else nn.Sequential(*map(build, part), nn.Linear(1, 1))

        module = build([shape])
        rows = picture_of(module).rows

        assert len(rows) == len(list(module.modules())) + len(list(module.parameters()))
        assert all(now.level <= before.level + 1 for before, now in pairwise(rows))


class TestStaticForms:
    def test_text(self, golden):
        golden("device_map", to_text(picture_of(Translator())) + "\n")

    def test_html_says_all_that_the_text_says(self):
        picture = picture_of(Translator())
        page = to_html(picture)

        for leaf in picture.leaves:
            for words in (leaf.device, leaf.dtype, leaf.note):
                assert words in page
        assert page.count("<tr") == to_text(picture).count("\n")

    def test_what_a_learner_names_is_escaped(self):
        module = nn.Module()
        module.cache = {"<script>alert(1)</script>": torch.ones(1)}

        assert "<script>" not in to_html(picture_of(module))

    def test_a_huge_module_is_folded_and_what_is_left_out_is_counted(self):
        layers = nn.ModuleDict({"stem": nn.Linear(1, 1)})
        layers["blocks"] = nn.ModuleList(nn.Linear(1, 1) for _ in range(2_000))

        text = to_text(picture_of(layers))

        assert len(text.splitlines()) < 10
        assert '["blocks"]: ModuleList, 4,000 tensors on cpu' in text
        assert "Not listed one by one, to save room: 4,002 on cpu." in text

    def test_a_long_flat_module_is_cut_off_and_says_so(self):
        text = to_text(picture_of(nn.ParameterList(torch.ones(1) for _ in range(10_000))))

        assert "The last 9,920 rows are left out." in text
        assert len(text.splitlines()) < 100

    def test_it_reads_the_same_on_a_simulated_gpu(self):
        with simulated_cuda():
            text = to_text(picture_of(nn.Linear(2, 1).cuda()))

        assert "● weight  cuda:0  (1, 2)  float32  Parameter" in text
        assert "simulated" not in text


class TestMoves:
    def test_a_move_takes_what_is_registered_and_leaves_the_module_alone(self):
        module = SpectrumClassifier()
        shown = DeviceMap(module)

        shown.move("cuda:0")

        assert {path for path, device in devices(shown).items() if device == "cpu"} == {
            "self.window"
        }
        assert {str(parameter.device) for parameter in module.parameters()} == {"cpu"}
        assert shown.message == (
            "8 tensors moved to cuda:0. 1 stayed behind: window on cpu; it is not registered."
        )
        assert shown.step.changes["self.norm.bias"] == "moved from cpu"
        assert shown.step.changes["self.window"] == "stayed"
        assert not simulated_cuda.is_enabled()

    def test_moves_go_on_from_where_the_copy_is(self):
        shown = DeviceMap(SpectrumClassifier())
        for device in ("cuda:1", "cpu", "cpu"):
            shown.move(device)

        assert shown.message == "No tensor moved to cpu. 9 were there already."

    def test_ties_stay_and_a_tensor_with_two_names_counts_once(self):
        shown = DeviceMap(Translator())
        shown.move("cuda:0")
        seen = {leaf.path: leaf for leaf in shown.picture.leaves}

        assert shown.message.startswith("5 tensors moved to cuda:0. 4 stayed behind")
        assert seen["self.embed.weight"].note == "the same tensor as predict.weight"
        assert seen["self.rows"].note == ""  # the memory it shared was left behind

    def test_starting_over_forgets_the_copy(self):
        shown = DeviceMap(SpectrumClassifier())
        shown.move("cuda:0")
        shown.start_over()
        assert set(devices(shown).values()) == {"cpu"}
        shown.move("cpu")
        assert shown.message == "No tensor moved to cpu. 9 were there already."

    def test_what_the_last_call_left_behind_does_not_hinder_a_copy(self):
        module = nn.Linear(2, 2)
        module.last = module(torch.ones(1, 2))  # deepcopy refuses what has a grad_fn
        shown = DeviceMap(module)
        shown.move("cuda:0")

        assert devices(shown)["self.last"] == "cpu"
        assert devices(shown)["self.weight"] == "cuda:0"

    def test_a_module_that_nobody_keeps_can_still_be_moved(self):
        shown = DeviceMap(nn.Linear(2, 2))
        gc.collect()
        shown.move("cuda:0")

        assert shown.message == "2 tensors moved to cuda:0."

    def test_what_cannot_be_copied_is_said(self):
        module = SpectrumClassifier()
        module.lock = threading.Lock()
        shown = DeviceMap(module)
        shown.move("cuda:0")

        assert shown.message.startswith("The module cannot be copied: TypeError")
        assert shown.step.changes == {}

    def test_a_copy_that_shares_its_parameters_is_not_moved(self):
        class Shared(SpectrumClassifier):
            def __deepcopy__(self, memo):
                return self

        module = Shared()
        shown = DeviceMap(module)
        shown.move("cuda:0")

        assert str(module.linear.weight.device) == "cpu"
        assert "its copy has the same Parameters" in shown.message

    @pytest.mark.parametrize(
        ("make", "message"),
        [
            (lambda: nn.Linear(2, 2, device="meta"), "raised NotImplementedError: Cannot copy out"),
            (lambda: _holding_itself(), "raised RecursionError: the module holds itself"),
        ],
    )
    def test_a_move_that_raises_is_a_step_of_its_own(self, make, message):
        module = make()
        shown = DeviceMap(module)
        shown.move("cuda:0")

        assert message in shown.message
        assert shown.step.message == shown.message

    def test_a_device_that_is_not_there_is_said(self, monkeypatch):
        monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)

        assert unreachable("cuda:1") == "There is no cuda:1 here: this machine has one GPU."
        assert unreachable("cuda:0") == unreachable("cpu") == ""


def _holding_itself():
    module = SpectrumClassifier()
    module.norm.owner = module
    return module


class TestFollowing:
    def test_it_sees_what_a_cell_did_to_the_module(self):
        module = SpectrumClassifier()
        shown = DeviceMap(module)
        shown.move("cuda:0")
        with simulated_cuda():
            module.cuda()
        shown.look_again("cell 7")

        assert "8 tensors moved: ramp, norm.weight, norm.bias and 5 more." in shown.message

    def test_a_tensor_that_became_a_buffer(self):
        module = SpectrumClassifier()
        shown = DeviceMap(module)
        shown.look_again("cell 1")
        assert shown.step.changes == {}, "it changed nothing"
        window = module.window
        del module.window
        module.register_buffer("window", window)
        shown.look_again("cell 2")

        assert shown.message.endswith("1 tensor otherwise changed: window.")
        assert shown.step.changes == {"self.window": "was a plain tensor"}

    def test_it_does_not_keep_the_module_alive(self):
        module = SpectrumClassifier()
        shown = DeviceMap(module)
        del module
        gc.collect()

        assert not shown.is_followed

    def test_it_looks_again_after_each_cell(self):
        shell = InteractiveShell()
        shell.user_ns["module"] = module = SpectrumClassifier()
        shown = DeviceMap(module)
        follow(shown, shell)
        shell.run_cell("module.scale = __import__('torch').ones(3)", store_history=True)

        assert shown.step.changes == {"self.scale": "new"}

    def test_the_module_saves_and_copies_as_before(self, tmp_path):
        module = SpectrumClassifier()
        DeviceMap(module)

        torch.save(module, tmp_path / "module.pt")
        assert vars(module).keys() == vars(SpectrumClassifier()).keys()


class TestCall:
    def test_without_a_notebook_it_is_printed(self, capsys):
        shown = device_map(SpectrumClassifier())

        assert capsys.readouterr().out == f"{shown}\n"

    @pytest.mark.parametrize(
        ("given", "message"),
        [(SpectrumClassifier, "is a class. Make a module of it"), ({}, "this is a dict")],
    )
    def test_what_is_no_module_is_said(self, given, message):
        with pytest.raises(TypeError, match=message):
            device_map(given)

    def test_without_a_notebook_there_is_no_widget(self, capsys):
        shell = InteractiveShell()
        shell.user_ns["shown"] = shown = DeviceMap(SpectrumClassifier())
        shell.run_cell("shown")

        assert capsys.readouterr().out.endswith(f"{shown}\n")


def test_the_page_in_the_docs_shows_the_map_as_it_is():
    module = SpectrumClassifier()
    del module.ramp
    with simulated_cuda():
        text = to_text(picture_of(module.cuda()))

    assert text in (ROOT / "docs" / "device_map.md").read_text(encoding="utf-8")
