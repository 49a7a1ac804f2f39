"""Each rule, from evidence written by hand: code, place, line, and a fix that can be typed."""

import pytest
from literal import EXPECTED, MEAN, MIXED, RUBRIC, WEIGHT, evidence, fact, output, replace

from grader.course.rubrics import load_rubric
from grader.judge.verdict import judge
from grader.schema import (
    SUPER_INIT,
    Evidence,
    Holder,
    Location,
    Operand,
    Placed,
    Raised,
    Run,
)
from grader.schema.report import Finding


def findings(*tensors, rubric=RUBRIC, **changes) -> tuple[Finding, ...]:
    return judge(evidence(*tensors, **changes), rubric, EXPECTED).findings


def the_finding(*tensors, **changes) -> Finding:
    (found,) = findings(*tensors, **changes)
    return found


def raised_on_cuda(raised: Raised) -> tuple[Run, ...]:
    return (Run("cpu", None, EXPECTED), Run("cuda", raised))


def test_a_right_answer_has_no_finding():
    assert findings() == ()


def test_a_plain_tensor_on_the_module():
    mean = fact("running_mean", name="", line=12)

    found = the_finding(WEIGHT, mean)

    assert (found.code, found.where, found.line) == ("member-tensor", "self.running_mean", 12)
    assert found.fix.startswith("Register it in `__init__`")
    assert found.edits == ()


def test_a_plain_tensor_that_an_override_of_apply_moves_is_no_fault():
    plain = fact("table", name="")
    moved = (replace(plain, device="cuda:0"), replace(WEIGHT, device="cuda:0"))
    moves = (Placed(".cuda()", None, moved), Placed('.to("cuda")', None, moved))

    report = judge(evidence(WEIGHT, MEAN, plain, movements=moves), RUBRIC, EXPECTED)

    assert report.findings == ()


def test_a_buffer_that_the_constructor_puts_on_cuda_is_told():
    mean = replace(MEAN, device="cuda:0", value="torch.zeros(features).cuda()")

    report = judge(evidence(WEIGHT, mean), RUBRIC, EXPECTED)

    assert report.verdict == "failed"  # as it is built, no call works
    assert [(finding.code, finding.severity) for finding in report.findings] == [
        ("hard-coded-device", "warning")
    ]


def test_a_plain_tensor_is_told_with_the_line_that_trips_over_it():
    mean = fact("running_mean", name="")
    operands = (
        Operand("cuda:0", (8, 5), "input", "input 0"),
        Operand("cpu", (5,), "attribute", "self.running_mean", 12),
    )

    found = the_finding(WEIGHT, mean, runs=raised_on_cuda(replace(MIXED, operands=operands)))

    assert found.code == "member-tensor"
    assert "line 30" in found.message
    assert "`sub`" in found.message


def test_one_tensor_under_two_names_is_told_once_and_not_at_all_if_registered():
    hidden = fact("running_mean", name="")
    alias = replace(hidden, path="self.centre")
    known = replace(MEAN, path="self.centre", name="", role="plain")

    assert [finding.where for finding in findings(WEIGHT, hidden, alias)] == ["self.running_mean"]
    assert findings(WEIGHT, MEAN, known) == ()


def test_a_parameter_moved_before_it_was_assigned():
    moved = fact("weight", name="", requires_grad=True, is_leaf=False, device="cuda:0")

    found = the_finding(moved, MEAN)

    assert (found.code, found.where) == ("moved-before-registration", "self.weight")
    assert found.fix.startswith("Move first, wrap last")


def test_a_tensor_made_on_one_device_for_good():
    found = the_finding(WEIGHT, MEAN, fact("mask", name="", device="cuda:0", line=14))

    assert (found.code, found.where, found.line) == ("hard-coded-device", "self.mask", 14)
    assert "cuda:0" in found.message


@pytest.mark.parametrize(
    ("holder", "path", "fix"),
    [
        ("list", "self.layers[0].weight", "`nn.ModuleList`"),
        ("dict", 'self.layers["age"].weight', "`nn.ModuleDict`"),
        ("tuple", "self.layers[0].weight", "`nn.ModuleList`"),
        ("list", "self.layers[0]", "`nn.ParameterList`"),
        ("OrderedDict", 'self.layers["age"]', "`nn.ParameterDict`"),
    ],
)
def test_parameters_in_a_python_container(holder, path, fix):
    hidden = fact("layers", name="", path=path, is_parameter=True, requires_grad=True)

    found = the_finding(WEIGHT, MEAN, replace(hidden, holder=Holder(holder, "self.layers")))

    assert (found.code, found.where) == ("python-container", "self.layers")
    assert fix in found.fix


def test_tensors_in_a_python_container_are_told_together_and_are_to_be_buffers():
    masks = [
        fact(f"m{i}", name="", path=f"self.masks[{i}]", holder=Holder("list", "self.masks"))
        for i in (0, 1)
    ]

    found = the_finding(WEIGHT, MEAN, *masks)

    assert found.code == "python-container"
    assert "2 tensors" in found.message
    assert found.fix.startswith("Register each tensor as a buffer")


def test_one_line_that_hides_several_tensors_in_one_object_is_told_once():
    hidden = [
        fact(
            f"p{i}",
            name="",
            path=f"self.grid[{i}]",
            holder=Holder("AnchorGrid", f"self.grid[{i}]"),
            line=9,
        )
        for i in range(8)
    ]

    found = the_finding(WEIGHT, MEAN, *hidden)

    assert (found.code, found.where) == ("opaque-holder", "self.grid[0]")
    assert "In `self.grid`, the same holds for `self.grid[1]`" in found.message
    assert "and 3 more" in found.message


def test_a_tensor_in_an_object_that_is_no_module():
    hidden = fact(
        "grid", name="", path="self.grid.points", holder=Holder("AnchorGrid", "self.grid")
    )

    found = the_finding(WEIGHT, MEAN, hidden)

    assert (found.code, found.where) == ("opaque-holder", "self.grid.points")
    assert "AnchorGrid" in found.message


@pytest.mark.parametrize(
    ("weight", "mean", "where", "fix"),
    [
        (fact("weight", role="buffer"), MEAN, "self.weight", "Make it a Parameter"),
        (replace(WEIGHT, requires_grad=False), MEAN, "self.weight", "Drop `requires_grad_(False)`"),
        (
            WEIGHT,
            replace(WEIGHT, path="self.running_mean", name="running_mean", identity=4),
            "self.running_mean",
            "Make it a buffer",
        ),
    ],
)
def test_a_tensor_in_the_other_role(weight, mean, where, fix):
    found = the_finding(weight, mean)

    assert (found.code, found.where, found.line) == ("parameter-or-buffer", where, 20)
    assert fix in found.fix


def test_a_plain_tensor_without_a_number_is_left_alone():
    cache = fact("cache", name="", shape=(0, 4))

    assert findings(WEIGHT, MEAN, cache) == ()
    assert the_finding(WEIGHT, MEAN, replace(cache, shape=(1, 4))).code == "member-tensor"


def test_a_role_is_told_with_the_reason_the_exercise_gives():
    found = the_finding(fact("weight", role="buffer"), MEAN)

    assert "it is learned by gradient descent" in found.message


def test_a_constant_may_be_frozen_but_not_trained():
    rubric = load_rubric("03_member_tensors")
    mean = fact("mean", role="parameter", is_parameter=True, shape=(3,))
    std = fact("std", role="buffer", shape=(3,))

    assert findings(mean, std, rubric=rubric) == ()
    trained = replace(mean, requires_grad=True)
    assert the_finding(trained, std, rubric=rubric).code == "parameter-or-buffer"


def test_a_buffer_that_is_not_saved():
    found = the_finding(WEIGHT, replace(MEAN, persistent=False))

    assert (found.code, found.where) == ("lost-from-checkpoint", "self.running_mean")


def test_a_buffer_that_an_assignment_emptied():
    given = evidence(WEIGHT)
    location = Location("self.running_mean", 17)
    structure = replace(given.structure, emptied=(location,))

    (found,) = judge(replace(given, structure=structure), RUBRIC, EXPECTED).findings

    assert (found.code, found.where, found.line) == (
        "registration-misuse",
        "self.running_mean",
        17,
    )
    assert "without assigning" in found.fix


def test_a_tensor_made_on_the_cpu_in_forward():
    operands = (
        Operand("cuda:0", (8, 5), "input", "input 0"),
        Operand("cpu", (8, 5), "made", "torch.randn", 28),
    )

    found = the_finding(runs=raised_on_cuda(replace(MIXED, operands=operands)))

    assert (found.code, found.line) == ("made-in-forward", 28)
    assert "torch.randn" in found.where
    assert "on the device of a tensor that is there" in found.fix


def test_a_number_on_the_cpu_is_not_to_blame():
    operands = (
        Operand("cpu", (), "made", "torch.tensor", 27),
        Operand("cuda:0", (8, 5), "input", "input 0"),
        Operand("cpu", (8, 5), "made", "torch.randn", 28),
    )

    found = the_finding(runs=raised_on_cuda(replace(MIXED, operands=operands)))

    assert found.line == 28


@pytest.mark.parametrize("devices", [("cpu", "cpu"), ("cuda:0", "cuda:0"), ("cuda:0",), ()])
def test_an_operation_that_mixes_no_devices_blames_no_device(devices):
    operands = tuple(Operand(device, (5,), "made", "torch.randn", 28) for device in devices)
    shapes = replace(MIXED, message="The size of tensor a (5) must match", operands=operands)

    assert findings(runs=raised_on_cuda(shapes)) == ()


def test_a_cuda_tensor_given_to_numpy():
    message = "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy"
    raised = Raised("TypeError", message, 31, "np.sort(x)", "torch.Tensor.numpy")

    found = the_finding(runs=raised_on_cuda(raised))

    assert (found.code, found.line) == ("host-round-trip", 31)
    assert "`detach()` and `cpu()`" in found.fix


@pytest.mark.parametrize(
    ("message", "code", "expected"),
    [
        (
            "cannot assign module before Module.__init__() call",
            "registration-misuse",
            "Make `super().__init__()` the first line of `__init__`.",
        ),
        (
            "'CenterScale' object has no attribute '_buffers'",
            "registration-misuse",
            "super().__init__()",
        ),
        ("attribute 'weight' already exists", "registration-misuse", "do not assign `self.weight`"),
        ("str is not a Module subclass", "registration-misuse", "in an `nn.ModuleDict`"),
        ("list is not a Module subclass", "registration-misuse", "a star before the list"),
        ("torch.FloatTensor is not a Module subclass", "registration-misuse", "nn.ParameterList"),
        (
            "ModuleList.__init__() takes from 1 to 2 positional arguments but 3 were given",
            "registration-misuse",
            "without a star",
        ),
        (
            'Module [ModuleList] is missing the required "forward" function',
            "registration-misuse",
            "in a loop",
        ),
        (
            "'list' object has no attribute 'detach'",
            "registration-misuse",
            "for several tensors there are `nn.ParameterList`",
        ),
        (
            "buffer name should be a string. Got list",
            "registration-misuse",
            "in quotes",
        ),
        (
            "'parameter name can\\'t contain \".\"'",
            "registration-misuse",
            "an underscore",
        ),
        ('module name can\'t contain ".", got: a.b', "registration-misuse", "underscore"),
        (
            "cannot assign 'list' object to buffer 'running_mean' (torch Tensor or None required)",
            "registration-misuse",
            "make a tensor of it first",
        ),
        (
            "Only Tensors of floating point and complex dtype can require gradients",
            "parameter-or-buffer",
            "a buffer: register it as one",
        ),
        (
            "cannot assign 'torch.FloatTensor' as parameter 'weight' (torch.nn.Parameter or None "
            "expected)",
            "parameter-overwritten",
            "with `copy_` under `torch.no_grad`",
        ),
        (
            "Cannot assign non-leaf Tensor to parameter 'weight'. Model parameters must be created "
            "explicitly.",
            "moved-before-registration",
            "Move first, wrap last",
        ),
    ],
)
def test_an_exception_whose_text_tells_the_mistake(message, code, expected):
    raised = Raised("TypeError", message, 15, "self.weight = weight")
    given = Evidence("cuda:0 (simulated)", "2.13.0", 7, construction=raised)

    (found,) = judge(given, RUBRIC, ()).findings

    assert (found.code, found.line) == (code, 15)
    assert expected in found.fix


def test_a_constructor_that_never_calls_that_of_its_base_class():
    problem = Raised.problem("It never does.", 15, SUPER_INIT)
    given = Evidence("cuda:0 (simulated)", "2.13.0", 7, construction=problem)

    (found,) = judge(given, RUBRIC, ()).findings

    assert (found.code, found.line) == ("registration-misuse", 15)
    assert "the first line of `__init__`" in found.fix


def test_findings_come_in_the_order_of_their_lines():
    late = fact("std", name="", line=40)
    early = fact("mean", name="", line=10)

    assert [finding.line for finding in findings(WEIGHT, MEAN, late, early)] == [10, 40]


def test_outputs_alone_make_no_finding():
    wrong = (Run("cpu", None, (output(numbers=(3.0, 4.0)),)),)

    assert findings(runs=wrong) == ()
