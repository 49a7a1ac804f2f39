"""Causes that a call in another situation shows, from evidence written by hand."""

import pytest
from literal import EXPECTED, MIXED, SIMULATED, WEIGHT, fact, named
from msgspec.structs import replace

from grader.judge.audit import judge_audit
from grader.schema import (
    Evidence,
    Location,
    Materialised,
    Operand,
    Optimizer,
    Phase,
    Placed,
    Raised,
    RememberedDevice,
    Run,
    Structure,
    Trained,
    Training,
)

FILE = "net.py"
INPUT = Operand("cuda:0", (8, 5), "input", "input 0")
TABLE = fact("part.table", role="buffer", used=True, line=12)
PLAIN = fact("part.table", name="", used=True, line=12)
OVERRIDE = Location("self.part.to", 40, file=FILE)
APPLY = Location("self.part._apply", 50, file=FILE)


def on_cpu(path, **changes):
    operand = replace(Operand("cpu", (5,), "attribute", path, line=12, file=FILE), **changes)
    return replace(MIXED, operands=(INPUT, operand), file=FILE)


def findings(*tensors, runs=(), moved=None, **changes):
    tensors = (WEIGHT, *tensors)
    after = tuple(replace(f, device="cuda:0") for f in tensors) if moved is None else moved
    structure = Structure(tensors, **changes.pop("structure", {}))
    evidence = Evidence(
        SIMULATED,
        "2.13.0",
        seed=7,
        structure=structure,
        movements=(Placed(".cuda()", None, after),),
        runs=(Run("cpu", None, EXPECTED, Phase.CPU), *runs),
    )
    report = judge_audit(replace(evidence, **changes), "Example")
    return [(finding.code, finding.where, finding.line) for finding in report.findings]


REFUSED = Run("cuda:0", on_cpu("self.part.table"), (), Phase.CUDA)
WORKS = Run("cuda:0", None, EXPECTED, Phase.CHILDREN_MOVED)


def test_an_apply_that_forgets_a_registered_tensor_is_blamed():
    forgot = {"moved": (TABLE,), "structure": {"own_apply": (APPLY,)}}

    assert findings(TABLE, runs=(REFUSED,), **forgot) == [
        ("to-override", "self.part._apply", 50),
    ]


def test_one_of_another_module_is_not():
    forgot = {"moved": (TABLE,), "structure": {"own_apply": (Location("self.other._apply", 50),)}}

    assert "to-override" not in [code for code, _, _ in findings(TABLE, runs=(REFUSED,), **forgot)]


def test_a_childs_to_is_blamed_if_it_would_have_moved_the_tensor():
    structure = {"overrides": (OVERRIDE,)}
    fails = replace(WORKS, raised=on_cpu("self.part.table"))

    assert findings(PLAIN, runs=(REFUSED, WORKS), structure=structure, moved=(PLAIN,)) == [
        ("to-override", "self.part.to", 40)
    ]
    for runs in [(REFUSED,), (REFUSED, fails)]:
        (found,) = findings(PLAIN, runs=runs, structure=structure, moved=(PLAIN,))
        assert found[0] == "member-tensor"


def test_a_buffer_that_a_second_name_brings_back_is_told_by_that_name():
    alias = replace(PLAIN, path="self.original", identity=TABLE.identity, line=13)
    raised = replace(REFUSED, raised=on_cpu("self.part.table", constructed=True, earlier=True))
    cached = replace(REFUSED, raised=on_cpu("self.part.table", earlier=True))

    assert findings(TABLE, alias, runs=(raised,))[0] == ("member-tensor", "self.original", 13)
    assert findings(TABLE, alias, runs=(cached,))[0][0] == "stale-device"
    assert findings(TABLE, runs=(raised,))[0][0] == "stale-device"


def test_a_move_to_a_remembered_device_is_told_by_that():
    moved = {"moved_line": 30, "moved_file": FILE, "moved_in_place": True}
    remembered = RememberedDevice("self.device", 9, "cpu", file=FILE)
    raised = on_cpu("self.part.table", moved_at=named("self.device"), **moved)
    by_name = on_cpu("self.part.table", moved_at=named("'cpu'"), **moved)

    for what, code in [(raised, "stale-device"), (by_name, "hard-coded-device")]:
        run, devices = replace(REFUSED, raised=what), {"devices": (remembered,)}
        assert findings(TABLE, runs=(run,), structure=devices)[0][0] == code


SPLIT = (
    fact("first", role="parameter", device="cuda:0"),
    fact("second", role="buffer", device="cuda:1"),
)


@pytest.mark.parametrize(
    ("operands", "code"),
    [
        ((INPUT, Operand("cuda:1", (5,), "attribute", "self.second")), "device-mismatch"),
        ((INPUT, Operand("cpu", (5,), "attribute", "self.part.table")), "device-mismatch"),
        (
            (INPUT, Operand("cpu", (5,), "made", "torch.ones", line=33, file=FILE)),
            "made-in-forward",
        ),
    ],
)
def test_what_mixes_the_parts_of_a_split_module_is_told(operands, code):
    run = Run("cuda:0", replace(MIXED, operands=operands), (), Phase.IN_PLACE)

    ((found, _, _),) = findings(*SPLIT, TABLE, runs=(run,))

    assert found == code


def test_a_split_module_that_works_is_clean_and_one_that_fails_otherwise_is_not():
    assert findings(*SPLIT, runs=(Run("cuda:0", None, EXPECTED, Phase.IN_PLACE),)) == []
    evidence = Evidence(
        SIMULATED,
        "2.13.0",
        seed=7,
        structure=Structure(SPLIT),
        runs=(Run("cuda:0", Raised("KeyError", "x", 3), (), Phase.IN_PLACE),),
    )
    assert judge_audit(evidence, "Example").verdict == "cannot_grade"


def test_what_a_checkpoint_brought_is_told_as_loaded():
    shadow = replace(PLAIN, copy_of="weight")
    run = replace(REFUSED, phase=Phase.RESUMED)

    assert findings(TABLE, runs=(run,))[0][0] == "stale-device"
    assert findings(shadow, runs=(run,))[0][0] == "averaged-copy"


def test_an_optimizer_that_was_resumed_is_told_what_to_load_it_with():
    resumed = Optimizer("self.optimizer", 8, raised=MIXED, is_resumed=True)
    report = judge_audit(
        Evidence(SIMULATED, "2.13.0", 7, structure=Structure((WEIGHT,)), optimizers=(resumed,)), "N"
    )

    (found,) = report.findings
    assert (found.code, "`load_state_dict`" in found.fix) == ("stale-optimizer", True)


def trained(**changed):
    facts = (Trained(n, "buffer", False, False, c) for n, c in changed.items())
    return {"cpu_training": Training(None, tuple(facts))}


def test_buffers_that_share_memory_are_told_if_training_changes_both():
    one = fact("one", role="buffer", storage=5, line=20)
    two = fact("two", role="buffer", storage=5, line=21)
    parted = (one, replace(two, storage=6))

    def codes(**changed):
        return [code for code, _, _ in findings(one, two, moved=parted, **trained(**changed))]

    assert codes(one=True, two=True) == ["tied-weights"]
    assert codes(one=True) == ["tied-weights"]  # one tensor is listed once
    assert codes(one=True, two=False) == []
    assert codes() == []
    assert findings(one, two, moved=(one, two), **trained(one=True)) == []


def test_a_tie_that_to_empty_breaks_is_a_warning():
    loaded = Materialised(untied=(("self.weight", "self.part.table"),))

    assert findings(TABLE, materialised=loaded) == [("tied-weights", "self.part.table", 12)]


def test_a_parameter_that_is_no_leaf_is_an_error():
    result = fact("scale", role="parameter", requires_grad=True, is_leaf=False, line=22)

    assert findings(result) == [("moved-before-registration", "self.scale", 22)]
    assert findings(replace(result, is_leaf=True)) == []


def test_what_a_replica_makes_on_another_device_is_not_the_modules():
    made = Operand("cuda:0", (5,), "made", "torch.Tensor.to")
    raised = replace(MIXED, operands=(replace(INPUT, device="cpu"), made), file=FILE)

    ((code, where, _),) = findings(runs=(Run("cpu", raised, (), Phase.REPLICA),))

    assert (code, where) == ("replica", MIXED.code)


def test_a_replica_that_reaches_the_module_itself_is_told_the_attribute():
    reached = Operand("cuda:0", (5,), "attribute", "self.layers[0].weight")
    raised = replace(MIXED, operands=(replace(INPUT, device="cpu"), reached), file=FILE)
    run = Run("cpu", raised, (), Phase.REPLICA)

    assert findings(runs=(run,)) == [("replica", "self.layers", 30)]
