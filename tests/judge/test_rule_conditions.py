"""The conditions of the rules that search by themselves, from evidence written by hand."""

import pytest
from literal import EXPECTED, MEAN, MIXED, RUBRIC, SIMULATED, WEIGHT, fact, output, replace
from literal import evidence as of_exercise

from grader.judge.diagnosis import blame_default_device, sightings
from grader.judge.findings.base import Cause, Code
from grader.judge.findings.python_container import container_fix
from grader.judge.fixes import SourceFile, Sources
from grader.judge.fixes.fix import Fault
from grader.schema import (
    Checkpoint,
    Evidence,
    HiddenModule,
    Holder,
    Location,
    Optimizer,
    Phase,
    Placed,
    Raised,
    Run,
    Structure,
)

ON_CUDA = (output("cuda:0"),)
OTHER = (output(numbers=(1.0, 3.0)),)
OVERRIDDEN = Structure((WEIGHT, MEAN), overrides=(Location("self.effect.to", 17),))
SPAN = replace(MIXED, line=12)


def audited(*runs, structure=None, **changes):
    """What the rules find in an audit, as pairs of a code and a message."""
    structure = structure or Structure((WEIGHT, MEAN))
    seen = Evidence(SIMULATED, "2.13.0", 7, structure=structure, runs=runs, **changes)
    return [(sighting.finding.code, sighting.finding.message) for sighting in sightings(seen)]


def alone(raised=None, outputs=ON_CUDA):
    return Run("cuda:0", raised, outputs, Phase.CUDA)


def child(raised=None, outputs=ON_CUDA):
    return Run("cuda:0", raised, outputs, Phase.PART_OF_ANOTHER)


def back(raised=None):
    return Run("cpu", raised, EXPECTED, Phase.MOVED_BACK)


def overridden(*runs):
    found = audited(*runs, structure=OVERRIDDEN)
    return [message for code, message in found if code == "to-override"]


def test_a_child_that_is_left_behind():
    (raised,) = overridden(alone(), child(SPAN, ()))
    (elsewhere,) = overridden(alone(), child(None, EXPECTED))
    (both,) = overridden(alone(), child(SPAN, EXPECTED), back(SPAN))
    (still,) = overridden(alone(), child(SPAN, ON_CUDA))

    assert raised.startswith("`to` is overridden, and moves what PyTorch would not. But a parent's")
    assert "left behind: RuntimeError in line 12: Expected" in raised
    assert elsewhere.endswith("this one is left behind")
    assert "left behind: RuntimeError" in both
    assert "left behind: RuntimeError" in still


def test_what_is_left_behind_on_the_way_back():
    (message,) = overridden(alone(), child(), back(SPAN))

    assert "and leave something behind: RuntimeError in line 12" in message
    assert overridden(alone(), child(), back()) == []
    assert overridden(alone(), child()) == []


def test_an_override_that_does_not_work_alone_is_not_to_blame():
    assert overridden(alone(SPAN, ()), child(SPAN, ()), back(SPAN)) == []
    assert overridden(child(SPAN, ()), back(SPAN)) == []
    assert overridden(alone(), back(SPAN)) == []


def asked(*tensors, rubric=RUBRIC, **changes):
    """What the rules find in an exercise, as pairs of a code and a message."""
    seen = of_exercise(*tensors, **changes)
    return [
        (sighting.finding.code, sighting.finding.message) for sighting in sightings(seen, rubric)
    ]


def test_in_an_exercise_it_is_told_by_what_it_moves():
    plain = fact("scale", name="", role="plain")
    structure = replace(OVERRIDDEN, tensors=(WEIGHT, MEAN, plain))
    moved = tuple(replace(fact, device="cuda:0") for fact in (WEIGHT, MEAN, plain))
    forgot = (moved[0], MEAN, plain)

    def messages(tensors, **changes):
        movements = (Placed(".cuda()", None, tensors),)
        found = asked(structure=structure, movements=movements, **changes)
        return [message for code, message in found if code == "to-override"]

    assert messages(forgot)[0].startswith(
        "`to` is overridden, and leaves `self.running_mean` on the CPU"
    )
    assert messages(moved)[0].startswith(
        "`to` is overridden, and moves `self.scale`, which PyTorch"
    )
    assert messages((*moved[:2], plain)) == []
    assert messages(forgot, is_audited=True) == []


def test_in_an_exercise_an_apply_is_told_by_what_it_forgets_or_replaces():
    structure = Structure((WEIGHT, MEAN), own_apply=(Location("self._apply", 20),))
    there = tuple(replace(fact, device="cuda:0") for fact in (WEIGHT, MEAN))

    def messages(tensors, *replaced):
        movements = (Placed(".cuda()", None, tensors, replaced),)
        return [message for _, message in asked(structure=structure, movements=movements)]

    assert messages((there[0], MEAN)) == [
        "`_apply` is overridden, and leaves `self.running_mean` on the CPU, which PyTorch's own "
        "would move."
    ]
    assert "new Parameters in the place of `self.weight`" in messages(there, "self.weight")[0]
    assert messages(there) == []


def test_a_setattr_is_told_by_what_it_does_not_register():
    unsorted = replace(WEIGHT, role="plain", name="", is_parameter=True, is_leaf=True)
    own = (Location("self.__setattr__", 20),)

    def found(tensor, **changes):
        stayed = (Placed(".cuda()", None, (tensor,)),)
        seen = asked(structure=Structure((tensor,), **changes), movements=stayed)
        return [code for code, _ in seen]

    assert found(unsorted, own_setattr=own) == ["to-override"]
    assert found(unsorted) == ["member-tensor"]
    assert found(replace(unsorted, is_parameter=False), own_setattr=own) == ["to-override"]
    assert found(unsorted, own_setattr=(Location("self.part.__setattr__", 20),)) == [
        "member-tensor"
    ]


@pytest.mark.parametrize(
    ("method", "line", "is_told"),
    [("self._apply", 0, True), ("self.to", 0, True), ("self.cpu", 0, False), ("self.to", 7, False)],
)
def test_a_move_that_gives_no_module(method, line, is_told):
    none = Raised("AttributeError", "'NoneType' object has no attribute 'eval'", line)
    structure = Structure((WEIGHT, MEAN), own_apply=(Location(method, 20),))

    found = asked(structure=structure, runs=(Run("cuda", none),))

    assert [code for code, message in found if "returns nothing" in message] == is_told * [
        "to-override"
    ]


BUFFER = replace(WEIGHT, role="buffer", requires_grad=False)
FROZEN = replace(WEIGHT, requires_grad=False)
TRAINED_MEAN = replace(MEAN, role="parameter", requires_grad=True)
LITERAL = replace(RUBRIC, tensors=(RUBRIC.tensors[0], replace(RUBRIC.tensors[1], role="buffer")))
ROLE = "parameter-or-buffer"


@pytest.mark.parametrize(
    ("tensors", "expected"),
    [
        ((WEIGHT, MEAN), None),
        ((BUFFER, MEAN), "`self.weight` is a buffer, so no optimizer will ever change it"),
        ((FROZEN, MEAN), "is a Parameter with requires_grad=False"),
        ((WEIGHT, TRAINED_MEAN), "is a Parameter, so an optimizer will change it"),
        ((WEIGHT, replace(TRAINED_MEAN, requires_grad=False)), None),
        ((WEIGHT, replace(MEAN, requires_grad=True)), "is a buffer that requires a gradient"),
        (
            (WEIGHT, replace(MEAN, identity=WEIGHT.identity)),
            "`self.running_mean` is a second name for `self.weight`",
        ),
    ],
)
def test_an_exercise_says_which_role_a_tensor_has(tensors, expected):
    found = [message for code, message in asked(*tensors) if code == ROLE]

    assert len(found) == bool(expected)
    assert (expected or "") in "".join(found)


FREE = replace(RUBRIC, names_matter=False)
NAMED_FREELY = replace(TRAINED_MEAN, path="self.kept", name="kept")
BY_SHAPE = replace(
    FREE, tensors=(FREE.tensors[0], replace(FREE.tensors[1], shape=(3,), why="it is counted"))
)


@pytest.mark.parametrize(
    ("tensors", "rubric", "expected"),
    [
        ((WEIGHT, NAMED_FREELY), FREE, "`self.kept` is a Parameter, so an optimizer will change"),
        ((WEIGHT, replace(NAMED_FREELY, role="buffer")), FREE, "a buffer that requires a gradient"),
        ((WEIGHT, replace(NAMED_FREELY, requires_grad=False)), FREE, None),
        ((NAMED_FREELY,), FREE, None),  # a Parameter of that shape is missing too
        ((WEIGHT, replace(NAMED_FREELY, shape=(3,))), BY_SHAPE, "but it is counted"),
        ((replace(NAMED_FREELY, role="buffer"),), BY_SHAPE, "`self.kept` is a buffer, so no"),
        ((WEIGHT, NAMED_FREELY), RUBRIC, None),
        ((WEIGHT, replace(MEAN, identity=WEIGHT.identity)), FREE, None),
    ],
)
def test_where_names_are_free_a_role_is_told_by_the_shape(tensors, rubric, expected):
    found = [message for code, message in asked(*tensors, rubric=rubric) if code == ROLE]

    assert len(found) == bool(expected)
    assert (expected or "") in "".join(found)


def test_where_a_buffer_is_meant_literally_no_parameter_will_do():
    frozen = replace(TRAINED_MEAN, requires_grad=False)
    found = dict(asked(WEIGHT, frozen, rubric=LITERAL))

    assert "is a Parameter, which is for what is trained" in found[ROLE]
    assert ROLE in dict(asked(WEIGHT, TRAINED_MEAN, rubric=LITERAL))
    assert ROLE not in dict(asked(WEIGHT, MEAN, rubric=LITERAL))


@pytest.mark.parametrize(
    ("tensor", "is_told"),
    [
        (replace(MEAN, requires_grad=True), True),
        (replace(MEAN, requires_grad=True, is_leaf=False), False),
        (replace(FROZEN, value="nn.Parameter(x, requires_grad=False)"), True),
        (replace(FROZEN, value="nn.Parameter(x)"), False),
        (replace(WEIGHT, value="nn.Parameter(x, requires_grad=False)"), False),
        (replace(WEIGHT, value="nn.Parameter(x)", fixed=True), True),
        (replace(WEIGHT, fixed=True), False),
        (replace(MEAN, value="nn.Parameter(x)", fixed=True), False),
    ],
)
def test_in_an_audit_a_role_is_told_by_looks(tensor, is_told):
    found = [code for code, _ in audited(structure=Structure((tensor,)))]

    assert (ROLE in found) is is_told


LOST = "lost-from-checkpoint"


@pytest.mark.parametrize(
    ("mean", "is_told"),
    [
        (MEAN, False),
        (replace(MEAN, persistent=False), True),
        (replace(MEAN, persistent=False, role="parameter"), False),
        (replace(MEAN, persistent=False, identity=WEIGHT.identity), False),
    ],
)
def test_a_buffer_that_the_exercise_wants_saved_is(mean, is_told):
    assert (LOST in [code for code, _ in asked(WEIGHT, mean)]) is is_told
    weight = replace(WEIGHT, role="buffer", persistent=False)
    assert LOST not in [code for code, _ in asked(weight, MEAN)]


def test_what_a_checkpoint_loses_is_named_if_it_is_known():
    lost = Checkpoint(before=EXPECTED, after=OTHER)
    named = replace(lost, unsaved=(Location("self.a", 3), Location("self.b", 4)))

    assert "`state_dict()` changed in training" in audited(reloaded=lost)[0][1]
    assert "`self.a` changed in training" in audited(reloaded=named)[0][1]
    assert audited() == []


@pytest.mark.parametrize(
    ("optimizer", "code", "expected"),
    [
        (Optimizer("self.o", 9), None, ""),
        (Optimizer("self.o", 9, strangers=2), "stale-optimizer", "updates 2 tensors that the"),
        (Optimizer("self.o", 9, raised=SPAN), "stale-optimizer", "module: RuntimeError in line 12"),
        (Optimizer("self.o", 9, 2, raised=SPAN), "stale-optimizer", "updates 2 tensors"),
        (Optimizer("self.o", 9, 2, ("loss.a",)), "stale-optimizer", "updates 2 tensors"),
        (Optimizer("self.o", 9, 0, ("loss.a",), SPAN), "stale-optimizer", "keeps a state"),
        (Optimizer("self.o", 9, 0, ("a", "loss.a", "loss.b")), "criterion-state", "`self.loss.a`"),
        (Optimizer("self.o", 9, 0, ("criterion.a",)), "criterion-state", "`self.criterion.a`"),
        (Optimizer("self.o", 9, 0, ("a",)), None, ""),
    ],
)
def test_an_optimizer_has_what_the_module_trains(optimizer, code, expected):
    found = audited(optimizers=(optimizer,))

    assert [found_code for found_code, _ in found] == ([code] if code else [])
    assert expected in "".join(message for _, message in found)
    assert not {"stale-optimizer", "criterion-state"} & {
        found_code for found_code, _ in asked(optimizers=(optimizer,))
    }


CPU = Run("cpu", None, EXPECTED, Phase.CPU)
AGAIN = Run("cpu", None, EXPECTED, Phase.CPU_AGAIN)
REPLICA = Run("cpu", None, OTHER, Phase.REPLICA)
COUNTER = (Location("self.steps", 6),)


@pytest.mark.parametrize(
    ("runs", "changes", "expected"),
    [
        ((CPU, AGAIN, REPLICA), {}, "it gives other numbers"),
        ((CPU, AGAIN, REPLICA), {"random": True}, None),
        ((CPU, REPLICA), {}, None),
        ((CPU, replace(AGAIN, outputs=OTHER), REPLICA), {}, None),
        ((CPU, replace(AGAIN, raised=SPAN), REPLICA), {}, None),
        ((CPU, AGAIN, replace(REPLICA, outputs=EXPECTED)), {}, None),
        ((CPU, AGAIN, replace(REPLICA, raised=SPAN)), {}, "it raises RuntimeError in line 12"),
        ((CPU, AGAIN), {"counters": COUNTER}, None),
        ((AGAIN, REPLICA), {"counters": COUNTER}, None),
        ((replace(CPU, raised=SPAN), AGAIN, REPLICA), {"counters": COUNTER}, None),
        (
            (CPU, AGAIN, replace(REPLICA, outputs=EXPECTED)),
            {"counters": COUNTER},
            "the change of `self.steps` is lost",
        ),
    ],
)
def test_a_replica_does_what_the_module_does(runs, changes, expected):
    found = [message for code, message in audited(*runs, **changes) if code == "replica"]

    assert len(found) == bool(expected)
    assert (expected or "") in "".join(found)


def test_a_replica_that_gives_other_numbers_is_told_with_the_line_of_an_output():
    outputs = (replace(OTHER[0], path="output[0]"), replace(OTHER[0], path="output[1]", line=14))
    right = tuple(replace(output, line=0, values=EXPECTED[0].values) for output in outputs)
    runs = (
        Run("cpu", None, right, Phase.CPU),
        Run("cpu", None, right, Phase.CPU_AGAIN),
        Run("cpu", None, outputs, Phase.REPLICA),
    )
    seen = Evidence(SIMULATED, "2.13.0", 7, structure=Structure((WEIGHT,)), runs=runs)

    assert [sighting.finding.line for sighting in sightings(seen)] == [14]


@pytest.mark.parametrize(
    ("kind", "random", "is_told"),
    [
        ("Dropout", True, True),
        ("AlphaDropout", True, True),
        ("FeatureAlphaDropout", True, True),
        ("BatchNorm1d", True, False),
        ("Dropout", False, False),
    ],
)
def test_dropout_that_the_module_does_not_know(kind, random, is_told):
    hidden = Structure((WEIGHT,), always_training=(HiddenModule("self.drops[0][1]", 11, kind),))
    found = audited(structure=hidden, random=random)

    assert bool(found) is is_told
    assert asked(structure=replace(hidden, tensors=(WEIGHT, MEAN)), random=random) == []


HELD = replace(fact("layers"), name="", holder=Holder("list", "self.layers"), is_parameter=True)


@pytest.mark.parametrize(
    ("kind", "path", "changes", "message"),
    [
        ("list", "self.layers", {"path": "self.layers[0].weight"}, "`nn.ModuleList`, for it."),
        ("list", "self.layers", {"path": "self.layers[0]"}, "`nn.ParameterList`, for it."),
        ("dict", "self.layers", {"path": "self.layers['a']"}, "`nn.ParameterDict`, for it."),
        ("OrderedDict", "self.layers", {"path": "self.layers['a'].w"}, "`nn.ModuleDict`, for it."),
        ("list", "self.a[0]", {"path": "self.a[0][1].w"}, "and for every container around it."),
        ("list", "self.layers", {"value": "lambda x: x"}, "A function cannot be registered"),
        ("list", "self.layers", {"is_parameter": False}, "Register each tensor as a buffer"),
        (
            "list",
            "self.layers",
            {"path": "self.layers[0]", "is_parameter": False, "in_loss": True},
            "`nn.ParameterList`, for it.",
        ),
        ("list", "self.p.a", {"is_parameter": False}, "look at what they are given"),
        ("list", "self.p.a", {"is_parameter": False, "value": "x"}, "Register each tensor as"),
        ("list", "self.p.a", {"path": "self.p.a[0]"}, "`nn.ParameterList`, for it."),
    ],
)
def test_a_container_is_told_how_to_register_what_it_holds(kind, path, changes, message):
    cause = Cause(Code.PYTHON_CONTAINER, path, 0)
    assert message in container_fix(kind, cause, replace(HELD, **changes))


def test_a_buffer_that_no_checkpoint_may_hold_is_told_to_be_left_out():
    cause = Cause(Code.PYTHON_CONTAINER, "self.masks", 0, saved=False)
    assert "buffer with `persistent=False`" in container_fix(
        "list", cause, replace(HELD, is_parameter=False)
    )


def test_what_a_container_holds_is_counted():
    def messages(*facts):
        found = audited(structure=Structure((WEIGHT, *facts)))
        return "".join(message for code, message in found if code == "python-container")

    one = replace(HELD, path="self.layers[0]", identity=41, line=7, used=True)
    two = replace(one, path="self.layers[1]", identity=42)
    plain = [replace(fact, is_parameter=False) for fact in (one, two)]

    assert "the 1 Parameter in it is not in" in messages(one)
    assert "does not move it." in messages(one)
    assert "the 2 Parameters in it are not in" in messages(one, two)
    assert "does not move them." in messages(one, two)
    assert "the 2 tensors in it are not in" in messages(*plain)
    assert "the 1 Parameter in it is not in" in messages(one, plain[1])


def test_of_several_overrides_the_first_is_told():
    structure = replace(OVERRIDDEN, overrides=(*OVERRIDDEN.overrides, Location("self.cuda", 20)))
    found = audited(alone(), child(SPAN, ()), structure=structure)

    assert [message.split(" ")[0] for code, message in found if code == "to-override"] == ["`to`"]


def test_ties_are_told_if_both_weights_are_seen_after_the_move():
    first, second = (
        replace(WEIGHT, path=f"self.{n}", identity=i, storage=5, line=i)
        for i, n in enumerate("ab", 1)
    )
    parted = [replace(fact, storage=5 + fact.line) for fact in (first, second)]

    def messages(*after, before=(first, second), **changes):
        movement = (Placed(".cuda()", None, after),)
        found = audited(structure=Structure(before), movements=movement, **changes)
        return [message for code, message in found if code == "tied-weights"]

    assert messages(*parted)[0].startswith("`self.a` and `self.b` share memory")
    assert messages(parted[0]) == messages(parted[1]) == messages(first, second) == []
    assert messages(*parted, before=(replace(first, identity=2), second)) == []
    no_memory = [replace(fact, storage=0) for fact in (first, second)]
    assert messages(*parted, before=no_memory) == []
    plain = [replace(fact, is_parameter=False) for fact in (first, second)]
    assert messages(*parted, before=plain) == []


SETTING = """\
import torch
class Net(torch.nn.Module):
    def __init__(self):
        torch.set_default_device("cuda")
        torch.set_default_device("cpu")
    def forward(self, x):
        y = torch.ones(3)
        return y + torch.ones(3, device=x.device)
class Other:
    def forward(self, x):
        return torch.ones(3)
torch.set_default_device("cuda")
z = torch.ones(3)
"""


@pytest.mark.parametrize(
    ("line", "code", "blamed"),
    [
        (7, "made-in-forward", 4),
        (7, "hard-coded-device", 4),
        (7, "member-tensor", 7),
        (8, "made-in-forward", 8),
        (11, "made-in-forward", 11),
        (13, "made-in-forward", 13),
        (0, "made-in-forward", 0),
    ],
)
def test_the_default_device_is_blamed_for_what_its_own_class_makes(line, code, blamed):
    finding = Fault(code, "error", "torch.ones", line, "", "")

    (found,) = blame_default_device([finding], Sources(SourceFile(SETTING)))
    assert found.line == blamed
    assert list(blame_default_device([finding], Sources(SourceFile("z = 1\n")))) == [finding]
