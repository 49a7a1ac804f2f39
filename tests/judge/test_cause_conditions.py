"""Each condition by which an operand, a result or a held tensor gets its cause."""

import pytest
from literal import MEAN, MIXED, RUBRIC, SIMULATED, WEIGHT, fact, named, output
from literal import evidence as of_exercise
from msgspec.structs import replace

from grader.judge.attribution import How, Shown, causes_in_audit, causes_in_exercise
from grader.judge.attribution.operands import misplaced_operand
from grader.judge.codes import Code
from grader.judge.diagnosis import sightings
from grader.judge.lookups import enclosing_paths
from grader.schema import (
    Evidence,
    Holder,
    Location,
    Operand,
    Optimizer,
    Phase,
    Placed,
    Raised,
    RememberedDevice,
    Run,
    Structure,
    Training,
)

CUDA = Operand("cuda:0", (5,), "input", "x")
CPU = Operand("cpu", (5,), "unknown", line=30)
SCALE = fact("scale", name="", line=12)
WHERE = RememberedDevice("self.where", 11, "cpu")


def seen(*runs, tensors=(), **changes):
    structure = {k: changes.pop(k) for k in ("devices", "overrides", "generators") if k in changes}
    held = Structure((WEIGHT, *tensors), **structure)
    return Evidence(SIMULATED, "2.13.0", 7, structure=held, runs=runs, **changes)


def met(*operands, phase=Phase.CUDA, device="cuda:0", **changes):
    return Run(device, replace(MIXED, operands=operands, **changes), phase=phase)


def the_cause(operand, *tensors, phase=Phase.CUDA, **changes):
    """The first cause of a call that met this operand."""
    causes = causes_in_audit(seen(met(CUDA, operand, phase=phase), tensors=tensors, **changes))
    return next(causes, None)


@pytest.mark.parametrize(
    ("operands", "name"),
    [
        ((), None),
        ((CUDA, CUDA), None),
        ((CPU,), None),
        ((replace(CPU, name="a"), replace(CPU, name="b")), None),
        ((CUDA, replace(CPU, name="a")), "a"),
        ((CUDA, replace(CPU, name="a", shape=()), replace(CPU, name="b")), "b"),
        ((CUDA, replace(CPU, name="a", shape=(2, 3)), replace(CPU, name="b")), "a"),
        ((CUDA, replace(CPU, name="a"), replace(CPU, name="b")), "a"),
    ],
)
def test_of_several_operands_the_largest_on_another_device_is_misplaced(operands, name):
    found = misplaced_operand(replace(MIXED, operands=operands), "cuda:0")

    assert (found and found.name) == name


def test_an_operand_that_an_optimizer_brought_is_the_optimizers():
    raised = (Optimizer("self.o", 9, raised=replace(MIXED)),)
    there = replace(CPU, line=9, source="made")

    def code(operand, optimizers):
        return the_cause(operand, optimizers=optimizers).code

    # What is left says only that devices met; the optimizer's own finding says more.
    assert code(there, raised) is Code.DEVICE_MISMATCH
    assert code(replace(there, line=10), raised) is Code.MADE_IN_FORWARD
    assert code(there, (replace(raised[0], raised=None),)) is Code.MADE_IN_FORWARD
    assert code(replace(there, line=0), (replace(raised[0], line=0),)) is Code.MADE_IN_FORWARD


@pytest.mark.parametrize(
    ("operand", "code", "path", "line"),
    [
        (replace(CPU, source="made", name="a"), Code.MADE_IN_FORWARD, "a", 30),
        (replace(CPU, source="made", code="f(x)"), Code.MADE_IN_FORWARD, "f(x)", 30),
        (replace(CPU, source="made"), Code.MADE_IN_FORWARD, MIXED.code, 30),
        (replace(CPU, source="made", line=0, name="a"), Code.MADE_IN_FORWARD, "a", 30),
        (
            replace(CPU, source="made", code='f("cpu")', name="a", site=named("'cpu'")),
            Code.HARD_CODED_DEVICE,
            'f("cpu")',
            30,
        ),
        (
            replace(CPU, device="cuda:1", source="made", code="f(1)"),
            Code.HARD_CODED_DEVICE,
            "f(1)",
            30,
        ),
        (replace(CPU, name="a", moved_line=7), Code.TO_RESULT_DROPPED, "a", 7),
        (replace(CPU, moved_line=7), Code.TO_RESULT_DROPPED, MIXED.code, 7),
        (
            replace(CPU, name="a", moved_line=7, moved_in_place=True),
            Code.HARD_CODED_DEVICE,
            "a",
            7,
        ),
        (replace(CPU, source="input", name="x", line=3), Code.INPUT_TRANSFER, "x", 30),
        (replace(CPU, is_parameter=True, line=8), Code.LAYER_IN_FORWARD, "line 8", 8),
        (replace(CPU, earlier=True, code="f()", line=8), Code.STALE_DEVICE, "f()", 8),
        (replace(CPU, earlier=True, line=8), Code.STALE_DEVICE, "a cache", 8),
    ],
)
def test_how_an_operand_got_there(operand, code, path, line):
    cause = the_cause(operand)

    assert (cause.code, cause.path, cause.line) == (code, path, line)
    assert (cause.device, cause.expected) == (operand.device, "cuda:0")


def test_an_operand_of_unknown_origin_after_a_move_is_a_cache_unless_a_new_instance_fails_too():
    late = [the_cause(CPU, phase=phase) for phase in (Phase.MOVED, Phase.MOVED_ON)]
    at_once = the_cause(CPU, phase=Phase.CUDA)
    both = seen(met(CUDA, CPU, phase=Phase.MOVED), met(CUDA, CPU, phase=Phase.CUDA))
    known = the_cause(replace(CPU, source="made"), phase=Phase.MOVED)

    assert {cause.code for cause in late} == {Code.STALE_DEVICE}
    assert {at_once.code, known.code} == {Code.MADE_IN_FORWARD}
    assert next(causes_in_audit(both)).code is Code.MADE_IN_FORWARD


def test_what_a_remembered_device_explains():
    made = replace(CPU, source="made", line=14, site=named("self.where"))
    nameless = replace(made, line=0)
    given = replace(CPU, source="input", name="x")

    for operand, line in ((made, 14), (nameless, 11), (given, 11)):
        cause = the_cause(operand, devices=(WHERE,))
        assert (cause.code, cause.how, cause.path) == (
            Code.STALE_DEVICE,
            How.REMEMBERED,
            "self.where",
        )
        assert (cause.line, cause.device) == (line, "cpu")
    other = (replace(WHERE, device="cuda:1"),)
    assert the_cause(given, devices=other).code is Code.INPUT_TRANSFER
    assert the_cause(replace(made, site=named("self.whereabouts")), devices=(WHERE,)).code is (
        Code.MADE_IN_FORWARD
    )


ATTRIBUTE = replace(CPU, source="attribute", name="self.scale", line=0)


@pytest.mark.parametrize(
    ("changes", "tensor", "code", "path"),
    [
        ({}, SCALE, Code.MEMBER_TENSOR, "self.scale"),
        ({}, None, Code.STALE_DEVICE, "self.scale"),
        ({"line": 9}, None, Code.MADE_IN_FORWARD, "self.scale"),
        ({"line": 9, "earlier": True}, None, Code.STALE_DEVICE, "self.scale"),
        ({"line": 9, "site": named("d")}, None, Code.STALE_DEVICE, "self.scale"),
        ({"line": 9, "site": named("'cuda:1'")}, None, Code.MADE_IN_FORWARD, "self.scale"),
        (
            {"line": 9, "device": "cuda:1", "code": "f()"},
            None,
            Code.HARD_CODED_DEVICE,
            "self.scale",
        ),
        ({"line": 9}, replace(SCALE, role="buffer"), Code.MADE_IN_FORWARD, "self.scale"),
        ({"is_parameter": True}, None, Code.LAYER_IN_FORWARD, "self.scale"),
        (
            {"is_parameter": True, "name": "self.fc.weight"},
            None,
            Code.LAYER_IN_FORWARD,
            "self.fc",
        ),
        ({"is_parameter": True}, SCALE, Code.MEMBER_TENSOR, "self.scale"),
        ({}, replace(SCALE, device="cuda:1"), Code.HARD_CODED_DEVICE, "self.scale"),
        (
            {},
            replace(SCALE, device="cuda:1", requires_grad=True, is_leaf=False),
            Code.MOVED_BEFORE_REGISTRATION,
            "self.scale",
        ),
        (
            {},
            replace(SCALE, device="cuda:1", requires_grad=True, is_leaf=False, role="buffer"),
            Code.HARD_CODED_DEVICE,
            "self.scale",
        ),
        ({"in_loss": True}, None, Code.CRITERION_STATE, "self.scale"),
        (
            {"in_loss": True},
            replace(SCALE, holder=Holder("list", "self.all")),
            Code.CRITERION_STATE,
            "self.all",
        ),
        ({"source": "global", "name": "TABLE"}, None, Code.MEMBER_TENSOR, "TABLE"),
    ],
)
def test_what_an_attribute_or_a_global_holds(changes, tensor, code, path):
    cause = the_cause(replace(ATTRIBUTE, **changes), *filter(None, [tensor]))

    assert (cause.code, cause.path) == (code, path)


def test_a_tensor_of_a_loss_has_the_line_that_is_known_best():
    lossy = replace(ATTRIBUTE, in_loss=True)
    hidden = replace(SCALE, holder=Holder("list", "self.all"))

    assert the_cause(lossy, SCALE).line == 12
    assert the_cause(lossy, replace(SCALE, line=0)).line == 30
    assert the_cause(replace(lossy, line=9)).line == 9
    assert the_cause(lossy, hidden).group == (hidden,)
    assert the_cause(lossy, SCALE).group == ()


TABLE = Raised("IndexError", "indices should be either on cpu or on the same", 30, "t[i]", "index")
LENGTHS = replace(TABLE, message="'lengths' argument should be a 1D CPU int64 tensor")


@pytest.mark.parametrize(
    ("raised", "operand", "code", "how", "path"),
    [
        (TABLE, None, Code.INDEX_DEVICE, How.HELD, "t[i]"),
        (TABLE, replace(CPU, source="made", name="f"), Code.INDEX_DEVICE, How.MADE, "t[i]"),
        (TABLE, ATTRIBUTE, Code.INDEX_DEVICE, How.HELD, "self.scale"),
        (TABLE, replace(CPU, name="t", moved_line=7), Code.TO_RESULT_DROPPED, How.MADE, "t"),
        (LENGTHS, CPU, Code.INDEX_DEVICE, How.LENGTHS, "t[i]"),
        (LENGTHS, None, Code.INDEX_DEVICE, How.LENGTHS, "t[i]"),
    ],
)
def test_an_index_and_its_table(raised, operand, code, how, path):
    operands = (CUDA, operand) if operand else ()
    run = Run("cuda:0", replace(raised, operands=operands), phase=Phase.CUDA)
    cause = next(causes_in_audit(seen(run)))

    assert (cause.code, cause.how, cause.path) == (code, how, path)


def test_a_generator_is_named_if_the_module_holds_it():
    raised = replace(TABLE, message="Expected a 'cuda' device type for generator", code="f(g)")
    run = Run("cuda:0", raised, phase=Phase.CUDA)
    free = next(causes_in_audit(seen(run)))
    held = next(causes_in_audit(seen(run, generators=(Location("self.g", 5), Location("h", 6)))))

    assert (free.code, free.path, free.line) == (Code.GENERATOR_DEVICE, "f(g)", 30)
    assert (held.path, held.line, held.used_line) == ("self.g", 5, 30)


def test_numpy_is_told_with_the_line_or_the_operation():
    raised = replace(TABLE, message="can't convert cuda:0 device type tensor to numpy")

    def path(**changes):
        run = Run("cuda:0", replace(raised, **changes), phase=Phase.CUDA)
        return next(causes_in_audit(seen(run))).path

    assert (path(), path(code="")) == ("t[i]", "index")


def result(*others, **changes):
    """The cause of a result on the CPU."""
    made = output(made_by="torch.zeros", line=22, code="f()")
    run = Run("cuda:0", None, (replace(made, **changes), *others), phase=Phase.CUDA)
    return next(causes_in_audit(seen(run, tensors=(SCALE,))), None)


def test_a_result_on_another_device_has_a_cause():
    assert result().code is Code.MADE_IN_FORWARD
    assert (result().path, result().line, result().result) == ("torch.zeros", 22, "output")
    assert result(device="cuda:1").code is Code.HARD_CODED_DEVICE
    assert result(device="cuda:1").path == "f()"
    assert result(device="cuda:1", code="").path == "output"
    assert result(held_at="self.scale").path == "self.scale"
    assert result(device="cuda:0") is None
    assert result(device="") is None
    assert result(shape=()) is None
    assert result(made_by="") is None
    assert result(code='f("cpu")') is None
    assert result(made_by="torch.Tensor.cpu") is None


def test_numbers_are_decoded_where_nothing_else_is_on_cuda():
    here, number = output("cuda:0", path="b"), output("", path="b", type="int")

    assert result(made_by="torch.tensor") is None
    assert result(number, made_by="torch.tensor") is None
    assert result(here, made_by="torch.tensor").code is Code.MADE_IN_FORWARD
    assert result(here).code is Code.MADE_IN_FORWARD


def test_a_result_on_a_remembered_device():
    made = output("cpu", made_by="torch.zeros", line=22, site=named("self.where"))
    run = Run("cuda:0", None, (made,), phase=Phase.CUDA)
    cause = next(causes_in_audit(seen(run, devices=(WHERE,))))

    assert (cause.code, cause.path, cause.line) == (Code.STALE_DEVICE, "self.where", 22)


@pytest.mark.parametrize(
    ("phase", "overrides", "is_told"),
    [
        (Phase.CUDA, (), True),
        (Phase.MOVED_BACK, (), True),
        (Phase.MOVED_BACK, (Location("self.to", 3),), False),
        (Phase.MOVED_ON, (Location("self.to", 3),), True),
        (Phase.EXERCISE, (), False),
        (Phase.PART_OF_ANOTHER, (), False),
        (Phase.CPU_INPUTS, (), False),
        (Phase.REPLICA, (), False),
    ],
)
def test_some_calls_of_an_audit_have_a_rule_of_their_own(phase, overrides, is_told):
    run = met(CUDA, replace(CPU, source="made", name="f"), phase=phase)

    assert bool(list(causes_in_audit(seen(run, overrides=overrides)))) is is_told


def test_only_what_a_call_read_does_harm_in_an_audit():
    inside = replace(SCALE, path="self.all[0]", holder=Holder("list", "self.all"), used=True)

    assert [cause.path for cause in causes_in_audit(seen(tensors=(inside,)))] == ["self.all"]
    assert list(causes_in_audit(seen(tensors=(SCALE,)))) == []


def held(*tensors, movements=()):
    """The causes in an exercise whose module holds these."""
    structure = Structure(tensors)
    whole = of_exercise(structure=structure, movements=movements, runs=())
    return [(cause.code, cause.path) for cause in causes_in_exercise(whole)]


def test_what_the_constructor_puts_on_cuda():
    there = replace(SCALE, device="cuda:0")

    assert held(there) == [(Code.HARD_CODED_DEVICE, "self.scale")]
    assert held(replace(there, device="meta")) == []
    assert held(replace(there, role="buffer")) == []
    assert held(replace(there, requires_grad=True, is_leaf=False)) == [
        (Code.MOVED_BEFORE_REGISTRATION, "self.scale")
    ]
    assert held(SCALE) == [(Code.MEMBER_TENSOR, "self.scale")]


def test_what_every_move_takes_along_is_not_told():
    there = (replace(SCALE, device="cuda:0"),)
    moves = [Placed(".cuda()", None, moved) for moved in (there, (SCALE,))]

    assert held(SCALE, movements=moves[:1]) == []
    assert held(SCALE, movements=tuple(moves)) == [(Code.MEMBER_TENSOR, "self.scale")]
    assert held(SCALE, movements=moves[1:]) == [(Code.MEMBER_TENSOR, "self.scale")]


def test_one_cause_for_each_holder():
    first = replace(SCALE, path="self.a[0]", holder=Holder("list", "self.a"), identity=1)
    second = replace(first, path="self.a[1]", identity=2)
    other = replace(first, path="self.b[0]", holder=Holder("list", "self.b"), identity=3)
    third = replace(first, path="self.a[2]", identity=4)
    again = replace(first, path="self.c[0]", holder=Holder("list", "self.c"))

    assert held(first, other, second, third, again) == [
        (Code.PYTHON_CONTAINER, "self.a"),
        (Code.PYTHON_CONTAINER, "self.b"),
    ]


VIEW = {"base": WEIGHT.identity, "is_leaf": False, "requires_grad": True}


@pytest.mark.parametrize("second", [{"identity": WEIGHT.identity}, VIEW])
def test_a_second_name_or_a_view_met_by_a_call_is_told_by_the_first(second):
    cause = the_cause(ATTRIBUTE, replace(SCALE, **second))

    told = (cause.code, cause.how, cause.original)
    assert told == (Code.MEMBER_TENSOR, How.ALIAS, "self.weight")


def test_what_an_override_forgot_is_not_told_twice():
    operand = replace(CPU, source="attribute", name="self.running_mean", line=0)
    moved = (replace(WEIGHT, device="cuda:0"), MEAN)
    run = Run("cuda", replace(MIXED, operands=(CUDA, operand)))

    def paths(overrides):
        structure = Structure((WEIGHT, MEAN), overrides=overrides)
        movements = (Placed(".cuda()", None, moved),)
        whole = of_exercise(structure=structure, movements=movements, runs=(run,))
        return [cause.path for cause in causes_in_exercise(whole)]

    assert paths((Location("self.to", 3),)) == []
    assert paths(()) == ["self.running_mean"]


def gradient(*tensors, newcomers=(), **location):
    at = Location(location.get("path", "self.scale"), location.get("line", 0))
    training = Training(unregistered=(at,), newcomers=newcomers)
    causes = causes_in_audit(seen(tensors=tensors, cpu_training=training))
    return [(cause.code, cause.path) for cause in causes if cause.shown is Shown.GRADIENT]


def test_what_gets_a_gradient_and_is_not_listed():
    inner = replace(SCALE, path="self.part.scale")
    in_list = replace(SCALE, path="self.all[0]", holder=Holder("list", "self.all"))
    result_of = replace(SCALE, requires_grad=True, is_leaf=False)

    assert gradient(SCALE) == [(Code.MEMBER_TENSOR, "self.scale")]
    assert gradient(inner, path="self.part.scale") == [(Code.PYTHON_CONTAINER, "self.part")]
    assert gradient(in_list, path="self.all[0]") == [(Code.PYTHON_CONTAINER, "self.all")]
    assert gradient(result_of, path="")[0] == (Code.MOVED_BEFORE_REGISTRATION, "self.scale")
    assert gradient(path="", line=9) == [(Code.LAYER_IN_FORWARD, "line 9")]
    assert gradient(path="") == []
    assert gradient(path="self.weight") == []
    assert gradient(path="", newcomers=(Location("self.head", 4),)) == [
        (Code.LAYER_IN_FORWARD, "self.head")
    ]


def asked(*tensors, **changes):
    found = sightings(of_exercise(*tensors, **changes), RUBRIC)
    return [sighting.finding for sighting in found]


@pytest.mark.parametrize(
    ("tensor", "is_told"),
    [
        (replace(MEAN, device="cuda:0", value='torch.ones(5, device="cuda")'), True),
        (replace(MEAN, device="cuda:0", value="torch.ones(5, device=device)"), False),
        (replace(MEAN, device="meta", value='torch.ones(5, device="cuda")'), False),
        (replace(MEAN, value='torch.ones(5, device="cuda")'), False),
    ],
)
def test_a_registered_tensor_that_is_put_on_cuda_by_name_is_a_warning(tensor, is_told):
    found = [finding for finding in asked(WEIGHT, tensor) if finding.code == "hard-coded-device"]

    assert [finding.severity for finding in found] == ["warning"] * is_told


def test_the_words_for_a_device_in_the_constructor_and_in_a_call():
    (held_there,) = (
        finding.message
        for finding in asked(WEIGHT, MEAN, replace(SCALE, device="cuda:0"))
        if finding.code == "hard-coded-device"
    )
    operand = replace(CPU, source="made", device="cuda:1", code="f(1)")
    met_there = next(sightings(seen(met(CUDA, operand))).__iter__()).finding.message

    assert "is made on cuda:0, whatever device the module is meant for" in held_there
    assert met_there.startswith("line 30 puts a tensor on cuda:1, although the module and its")


def test_a_dropped_result_of_an_attribute_is_told_to_be_registered():
    dropped = replace(ATTRIBUTE, moved_line=7)

    def fix(*tensors):
        return sightings(seen(met(CUDA, dropped), tensors=tensors))[0].finding.fix

    assert "Register it in `__init__` as a buffer, and leave line 7 out" in fix(SCALE)
    assert "in a new list" in fix(replace(SCALE, role="buffer"))
    assert "in a new list" in fix(replace(SCALE, holder=Holder("list", "self.scale")))
    assert "in a new list" in fix()


def test_paths_that_contain_a_path():
    assert list(enclosing_paths("self.a[0].b")) == ["self.a[0].b", "self", "self.a", "self.a[0]"]
