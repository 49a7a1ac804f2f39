"""The audit's own rules, from evidence written by hand."""

import pytest
from literal import EXPECTED, MEAN, MIXED, SIMULATED, WEIGHT, fact, named, output
from msgspec.structs import replace

from grader.judge.audit import judge_audit
from grader.schema import (
    Checkpoint,
    Evidence,
    HiddenModule,
    Holder,
    Location,
    Operand,
    Optimizer,
    Phase,
    Placed,
    Raised,
    RememberedDevice,
    Run,
    Skipped,
    Stage,
    Structure,
    TensorFact,
    Training,
)
from grader.schema.report import Finding, Report

ON_CUDA = (output("cuda:0"),)
OTHER = (output(numbers=(1.0, 3.0)),)
RUNS = (
    Run("cpu", None, EXPECTED, Phase.CPU),
    Run("cpu", None, EXPECTED, Phase.CPU_AGAIN),
    Run("cuda:0", None, ON_CUDA, Phase.MOVED),
    Run("cuda:1", None, (output("cuda:1"),), Phase.MOVED_ON),
    Run("cpu", None, EXPECTED, Phase.MOVED_BACK),
    Run("cuda:0", None, ON_CUDA, Phase.CUDA),
)


def evidence(*tensors: TensorFact, **changes: object) -> Evidence:
    """The audit of a module that holds `tensors` and does nothing wrong."""
    whole = Evidence(
        SIMULATED, "2.13.0", 7, structure=Structure(tensors or (WEIGHT, MEAN)), runs=RUNS
    )
    return replace(whole, **changes)


def audit(*tensors: TensorFact, **changes: object) -> Report:
    return judge_audit(evidence(*tensors, **changes), "Net")


def the_finding(*tensors: TensorFact, **changes: object) -> Finding:
    (found,) = audit(*tensors, **changes).findings
    return found


def on(name: str, raised: Raised | None = None, outputs=(), **changes: object) -> tuple[Run, ...]:
    """The runs of an audit, with another end to one."""
    phase = Phase(name)
    if phase not in [run.phase for run in RUNS]:
        return (*RUNS, Run("cuda:0", raised, outputs, phase, **changes))
    return tuple(
        replace(run, raised=raised, outputs=outputs, **changes) if run.phase is phase else run
        for run in RUNS
    )


def mixed(*operands: Operand, **changes: object) -> Raised:
    inputs = Operand("cuda:0", (8, 5), "input", "input 0")
    return replace(MIXED, operands=(inputs, *operands), **changes)


def test_what_does_nothing_wrong_passes():
    report = audit()

    assert (report.verdict, report.findings, report.message) == ("passed", (), "")
    assert report.title == "Audit of Net"


@pytest.mark.parametrize(
    ("operand", "code", "line"),
    [
        (Operand("cpu", (5,), "made", "torch.randn", 14), "made-in-forward", 14),
        (Operand("cpu", (5,), "made", "torch.ones", 9, earlier=True), "stale-device", 9),
        (Operand("cpu", (5,), "made", "torch.ones", 9, moved_line=11), "to-result-dropped", 11),
        (Operand("cpu", (5,), "made", "torch.ones", 9, site=named("'cpu'")),
         "hard-coded-device", 9),
        (Operand("cuda:1", (5,), "made", "torch.ones", 9), "hard-coded-device", 9),
        (Operand("cpu", (5,), "global", "MEAN", 3), "member-tensor", 3),
        (Operand("cpu", (5,), "global", "MEAN", 3, earlier=True), "stale-device", 3),
        (Operand("cpu", (5,), "made", "torch.rand", 8, is_parameter=True), "layer-in-forward", 8),
        (Operand("cpu", (5,), "attribute", "self.loss.weight", in_loss=True),
         "criterion-state", 30),
        (Operand("cpu", (5,), "attribute", "self.cached"), "stale-device", 0),
        (Operand("cpu", (5,), "input", "input 0[1]"), "input-transfer", 30),
    ],
)  # fmt: skip
def test_the_operand_that_stayed_behind_tells_the_cause(operand: Operand, code: str, line: int):
    found = the_finding(runs=on("cuda", mixed(operand)))

    assert (found.code, found.severity, found.line) == (code, "error", line)


@pytest.mark.parametrize(
    ("operand", "advice"),
    [
        (
            Operand("cpu", (5,), "attribute", "self.mean", moved_line=11),
            "under the name that is used later",
        ),
        (Operand("cpu", (5,), "made", "torch.ones", 9, moved_line=11), "in a new list"),
        (Operand("cpu", (5,), "input", "input 0"), "Move it before it is used"),
        (Operand("cpu", (5,), "input", "input 0[1]"), "every leaf"),
    ],
)  # fmt: skip
def test_the_advice_fits_what_was_moved(operand: Operand, advice: str):
    assert advice in the_finding(runs=on("cuda", mixed(operand))).fix


@pytest.mark.parametrize(
    ("table", "advice"),
    [
        (Operand("cpu", (5,), "attribute", "self.table"), "make it a buffer"),
        (Operand("cpu", (5,), "made", "torch.zeros", 9), "on the input's device in line 9"),
    ],
)
def test_a_table_is_moved_where_it_comes_from(table: Operand, advice: str):
    message = "indices should be either on cpu or on the same device as the indexed tensor (cpu)"
    operands = (table, Operand("cuda:0", (5,), "input", "input 0"))
    raised = Raised("RuntimeError", message, 30, "return y", "index", operands)

    assert advice in the_finding(runs=on("cuda", raised)).fix


def test_a_remembered_device_is_named():
    operand = Operand("cpu", (5,), "made", "torch.ones", 9, site=named("self.device"))
    remembered = Structure((WEIGHT,), devices=(RememberedDevice("self.device", 4, "cpu"),))

    found = the_finding(structure=remembered, runs=on("cuda", mixed(operand)))

    assert (found.code, found.where) == ("stale-device", "self.device")
    assert "`self.device` still says cpu" in found.message


def test_a_second_name_for_a_buffer_is_told_as_such():
    alias = replace(MEAN, path="self.centre", name="", role="plain")
    operand = Operand("cpu", (5,), "attribute", "self.centre", 12)

    found = the_finding(WEIGHT, MEAN, alias, runs=on("moved", mixed(operand)))

    assert (found.code, found.where) == ("member-tensor", "self.centre")
    assert "second name for `self.running_mean`" in found.message


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("can't convert cuda:0 device type tensor to numpy.", "host-round-trip"),
        ("Expected a 'cuda' device type for generator but found 'cpu'", "generator-device"),
        ("indices should be either on cpu or on the same device as the indexed tensor (cpu)",
         "index-device"),
        ("'lengths' argument should be a 1D CPU int64 tensor, but got 1D cuda:0 Long tensor",
         "index-device"),
        ("cannot assign 'torch.FloatTensor' as parameter 'scale' (torch.nn.Parameter or None "
         "expected)", "parameter-overwritten"),
    ],
)  # fmt: skip
def test_some_messages_tell_the_cause(message: str, code: str):
    raised = Raised("RuntimeError", message, 30, "return y")

    found = the_finding(runs=on("cuda", raised))

    assert (found.code, found.line) == (code, 30)


def test_what_no_rule_explains_cannot_be_graded():
    report = audit(runs=on("cuda", Raised("RuntimeError", "no kernel", 30)))

    assert report.verdict == "cannot_grade"
    assert "no kernel" in report.message


def test_a_result_that_stays_on_the_cpu_is_an_error():
    made = output("cpu", made_by="torch.zeros", line=22, code="y = torch.zeros(2)")

    found = the_finding(runs=on("cuda", outputs=(made,)))

    assert (found.code, found.where, found.line) == ("made-in-forward", "torch.zeros", 22)


@pytest.mark.parametrize(
    "made",
    [
        output("cpu", made_by="torch.Tensor.cpu", line=22, code="return y.cpu()"),
        output("cpu", made_by="torch.zeros", line=22, code='torch.zeros(2, device="cpu")'),
    ],
)
def test_a_result_that_is_brought_to_the_cpu_is_not(made):
    assert audit(runs=on("cuda", outputs=(made,))).findings == ()


def test_nor_is_a_number_that_stays_there():
    number = output("cpu", numbers=(1.0,), shape=())

    assert audit(runs=tuple(replace(run, outputs=(number,)) for run in RUNS)).findings == ()


def test_a_move_that_changes_the_numbers_is_an_error():
    found = the_finding(runs=on("back", outputs=OTHER))

    assert (found.code, found.severity) == ("stale-device", "error")


@pytest.mark.parametrize(
    "changes",
    [
        {"random": True},
        {
            "runs": tuple(
                replace(r, outputs=OTHER) if r.phase in (Phase.CPU_AGAIN, Phase.MOVED_BACK) else r
                for r in RUNS
            )
        },
    ],
)
def test_but_not_where_the_numbers_change_anyway(changes: dict):
    assert audit(**({"runs": on("back", outputs=OTHER)} | changes)).findings == ()


def test_nor_where_an_instance_that_stays_changes_them_as_well():
    same = Run("cpu", None, EXPECTED, Phase.CPU_AGAIN)
    changing = (same, same, replace(same, outputs=OTHER))

    assert audit(runs=on("back", outputs=OTHER), controls=changing).findings == ()
    assert the_finding(runs=on("back", outputs=OTHER), controls=(same,) * 3).code == "stale-device"


def test_a_module_that_refuses_many_calls_is_told_so_and_not_accused():
    full = Run("cpu", Raised("RuntimeError", "the queue is full"), (), Phase.CPU_AGAIN)

    report = audit(controls=(full,))

    assert report.findings == ()
    assert "It cannot be called often, even on the CPU" in report.notes[-1]
    assert "the queue is full" in report.notes[-1]


def test_nor_where_cuda_merely_computes_otherwise():
    other = (output("cuda:0", numbers=(1.0, 3.0)),)
    otherwise = tuple(
        replace(run, outputs=other) if run.phase in (Phase.MOVED, Phase.CUDA) else run
        for run in RUNS
    )
    back = tuple(
        replace(run, outputs=OTHER) if run.phase is Phase.MOVED_BACK else run for run in otherwise
    )

    assert audit(runs=otherwise).findings == ()
    assert the_finding(runs=back).message.startswith("The module gives other numbers on cpu")
    assert the_finding(runs=on("moved", outputs=other)).code == "stale-device"


def test_rounding_is_no_change():
    close = (output("cuda:0", numbers=(1.00001, 2.004)),)

    assert audit(runs=on("moved", outputs=close)).findings == ()


def test_an_overridden_move_that_a_parent_does_not_call():
    overridden = Structure((WEIGHT,), overrides=(Location("self.to", 17),))
    raised = mixed(Operand("cpu", (5,), "attribute", "self.effect"))

    found = the_finding(structure=overridden, runs=on("parent", raised))

    assert (found.code, found.where, found.line) == ("to-override", "self.to", 17)
    assert audit(structure=overridden, runs=on("parent", None, ON_CUDA)).findings == ()


def test_a_mover_that_does_not_look_inside_is_told_only_if_the_module_moves_its_inputs():
    raised = mixed(Operand("cpu", (5,), "input", "input 0[1]"))

    found = the_finding(runs=on("cpu_inputs", raised, moved_inputs=1))

    assert (found.code, found.where) == ("input-transfer", "input 0[1]")
    assert audit(runs=on("cpu_inputs", raised, moved_inputs=0)).findings == ()


def test_replicas_only_ever_warn():
    lost = Raised("StopIteration", "", 8, "next(self.parameters())")
    counter = (Location("self.steps", 6),)

    raising = the_finding(runs=on("replica", lost))
    counting = the_finding(runs=on("replica", None, EXPECTED), counters=counter)
    differing = the_finding(runs=on("replica", None, OTHER))

    assert {finding.code for finding in (raising, counting, differing)} == {"replica"}
    assert {finding.severity for finding in (raising, counting, differing)} == {"warning"}
    assert [raising.line, counting.where] == [8, "self.steps"]


def test_nobody_replicates_what_trains_nothing():
    counter = (Location("self.steps", 6),)

    assert audit(MEAN, runs=on("replica", None, OTHER), counters=counter).findings == ()


def test_a_parameter_that_every_call_replaces():
    replaced = Location("self.prototypes", 12, file="net.py")

    found = the_finding(cpu_training=Training(replaced=(replaced,)))

    assert (found.code, found.where, found.line) == ("parameter-overwritten", "self.prototypes", 12)


def test_what_is_held_and_read_without_harm_is_a_warning():
    read = fact("scale", name="", line=12, used=True)

    found = the_finding(WEIGHT, read)

    assert (found.code, found.severity) == ("member-tensor", "warning")
    assert "If that is meant, say so" in found.fix
    assert audit(WEIGHT, replace(read, used=False)).findings == ()


def test_parameters_that_come_with_the_first_call():
    found = the_finding(cpu_training=Training(newcomers=(Location("self.head", 21),)))

    assert (found.code, found.where, found.line) == ("layer-in-forward", "self.head", 21)


def test_a_gradient_that_no_optimizer_sees():
    held = replace(fact("layers", name="", is_parameter=True), path="self.layers[0].weight")
    held = replace(held, holder=Holder("list", "self.layers"))
    training = Training(unregistered=(Location("self.layers[0].weight"),))

    in_list = the_finding(WEIGHT, held, cpu_training=training)
    nowhere = the_finding(cpu_training=Training(unregistered=(Location("", 19),)))

    assert (in_list.code, in_list.where) == ("python-container", "self.layers")
    assert (nowhere.code, nowhere.line) == ("layer-in-forward", 19)


def test_memory_that_a_move_parts():
    tied = replace(WEIGHT, path="self.head.weight", identity=90, storage=5, line=33, used=True)
    embedded = replace(tied, path="self.embed.weight", identity=91, line=30)
    moved = (replace(tied, storage=6), replace(embedded, storage=7))

    found = the_finding(embedded, tied, movements=(Placed(".cuda()", None, moved),))

    assert (found.code, found.where, found.line) == ("tied-weights", "self.head.weight", 33)
    together = tuple(replace(tensor, storage=6) for tensor in moved)
    assert audit(embedded, tied, movements=(Placed(".cuda()", None, together),)).findings == ()


@pytest.mark.parametrize(
    ("optimizer", "code"),
    [
        (Optimizer("self.optimizer", 9, strangers=2), "stale-optimizer"),
        (Optimizer("self.optimizer", 9, raised=MIXED), "stale-optimizer"),
        (Optimizer("self.optimizer", 9, forgotten=("loss.centers",)), "criterion-state"),
    ],
)
def test_an_optimizer_that_trains_the_wrong_tensors(optimizer: Optimizer, code: str):
    assert the_finding(optimizers=(optimizer,)).code == code


def test_an_optimizer_may_leave_parameters_out():
    partial = Optimizer("self.optimizer", 9, forgotten=("backbone.weight",))

    assert audit(optimizers=(partial,)).findings == ()


def test_dropout_that_eval_does_not_reach():
    hidden = Structure((WEIGHT,), always_training=(HiddenModule("self.drops[0]", 11, "Dropout"),))

    found = the_finding(structure=hidden, random=True)

    assert (found.code, found.where) == ("python-container", "self.drops")
    assert audit(structure=hidden).findings == ()


def test_a_buffer_that_wants_gradients_and_a_constant_that_is_a_parameter():
    buffer = replace(MEAN, requires_grad=True)
    constant = replace(WEIGHT, fixed=True, value="nn.Parameter(torch.linspace(0, 1, 5))")

    trained, fixed = audit(buffer, constant).findings

    assert [trained.code, trained.severity] == ["parameter-or-buffer", "error"]
    assert [fixed.code, fixed.severity] == ["parameter-or-buffer", "warning"]


def test_what_a_reload_loses():
    lost = Checkpoint(before=EXPECTED, after=OTHER, unsaved=(Location("self.ready", 6),))

    found = the_finding(reloaded=lost)

    assert (found.code, found.where, found.line) == ("lost-from-checkpoint", "self.ready", 6)
    assert audit(reloaded=lost, random=True).findings == ()
    assert audit(reloaded=replace(lost, after=EXPECTED)).findings == ()


def test_keys_for_which_loading_raises_explain_other_numbers():
    lost = Checkpoint(before=EXPECTED, after=OTHER, unsaved=(Location("self.ready", 6),))
    late = replace(lost, late=(Location("self.scale", 7),), gone=(Location("self.start", 8),))

    first, second = audit(reloaded=late, random=True).findings

    assert (first.code, first.where, first.line) == ("lost-from-checkpoint", "self.scale", 7)
    assert (second.code, second.where, second.line) == ("lost-from-checkpoint", "self.start", 8)


def test_a_training_step_that_mixes_devices_is_attributed_as_a_call_is():
    hook = mixed(Operand("cpu", (5,), "attribute", "self.mean", line=4), line=9)
    member = replace(MEAN, role="plain", name="", path="self.mean")

    (found,) = audit(WEIGHT, member, runs=on("trained", hook)).findings
    report = audit(runs=on("trained", Raised("RuntimeError", "hook: no cpu, but cuda:1")))

    assert (found.code, found.where) == ("member-tensor", "self.mean")
    assert [finding.code for finding in report.findings] == ["device-mismatch"]
    assert "A training step on cuda:0 raises RuntimeError: hook" in report.findings[0].message
    assert report.left_out == ()


def test_a_training_step_that_raises_for_another_reason_is_left_out():
    report = audit(runs=on("trained", Raised("KeyError", "no such key", 3)))

    assert (report.verdict, report.exit_code, report.findings) == ("passed", 3, ())
    assert report.left_out == (
        "a training step on CUDA: it raised KeyError in line 3: no such key",
    )


def test_devices_that_training_on_the_cpu_mixes_count_only_where_a_call_works():
    step = Training(mixed(Operand("cpu", (5,), "attribute", "self.mean", line=4), line=9))
    unable = on("cpu", Raised("ValueError", "not here"))

    (found,) = audit(cpu_training=step).findings
    assert found.severity == "error"
    assert audit(cpu_training=step, runs=unable).findings == ()


def test_a_training_step_may_meet_the_parameter_of_another_instance():
    """Which a store of the process lends it, as pyro's does; the step is told as left out."""
    on_cpu = Operand("cpu", (5,), "input", "x")
    lent = Operand("cuda:0", (5,), "attribute", "self.diagonal", is_parameter=True)
    put_there = replace(lent, line=30, source="made")

    def trained_with(operand: Operand) -> Report:
        return audit(cpu_training=Training(replace(MIXED, operands=(on_cpu, operand))))

    assert trained_with(lent).findings == ()
    assert any("in train mode, on the CPU" in step for step in trained_with(lent).left_out)
    assert [f.code for f in trained_with(put_there).findings] == ["layer-in-forward"]


def test_a_parameter_that_moved_before_it_was_registered():
    moved = fact("centers", name="", requires_grad=True, is_leaf=False, device="cuda:0")

    found = the_finding(on_device=Placed("there", None, (WEIGHT, moved)))

    assert (found.code, found.where) == ("moved-before-registration", "self.centers")


def test_what_follows_from_a_finding_is_not_told_again():
    operand = Operand("cpu", (5,), "made", "torch.randn", 14)
    lost = Checkpoint(before=EXPECTED, after=OTHER)

    report = audit(runs=on("cuda", mixed(operand)), reloaded=lost)

    assert [finding.code for finding in report.findings] == ["made-in-forward"]


def test_what_was_not_looked_into_is_said():
    structure = Structure((WEIGHT,), given_up=("self.words: 1,000,000 entries",))

    report = audit(
        structure=structure,
        skipped=(
            Skipped(
                Stage.TRAINING_AND_CHECKPOINT, "training and a checkpoint", "31 s were used up"
            ),
        ),
    )

    assert report.verdict == "passed"
    assert report.message == (
        "Not looked into: self.words: 1,000,000 entries; training and a checkpoint: 31 s were "
        "used up"
    )


@pytest.mark.parametrize(
    ("changes", "verdict", "message"),
    [
        ({"undefined": Raised("NameError", "no torch", 1)}, "not_defined", "NameError in line 1"),
        ({"construction": Raised("TypeError", "x")}, "cannot_grade", "The constructor raised"),
        ({"construction": Raised.problem("It cannot be copied.")}, "cannot_grade", "It cannot be"),
        ({"broken": Raised("KeyError", "k"), "stage": Stage.MOVE_TO_CUDA}, "cannot_grade",
         "During the"),
        ({"runs": (Run("cpu", Raised("ValueError", "3 != 4"), phase=Phase.CPU),)}, "cannot_grade",
         "Do the inputs fit"),
        ({"ending": "timeout", "stage": Stage.DEVICE_MOVES}, "timeout", "still running"),
    ],
)  # fmt: skip
def test_what_cannot_be_judged_is_told_why(changes: dict, verdict: str, message: str):
    report = audit(**changes)

    assert report.verdict == verdict
    assert message in report.message
