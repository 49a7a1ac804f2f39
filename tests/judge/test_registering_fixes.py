"""Fixes that register a tensor, or register it in another role."""

import pytest
from fixed_code import HEAD, ask, edited
from literal import RUBRIC, WEIGHT, fact, replace

from grader.course.rubrics import load_rubric
from grader.judge.fixes.containers import register_copy
from grader.judge.fixes.registering import register, register_parameter, wrap_last
from grader.judge.fixes.roles import change_role, save_in_buffer, save_with_model

FREE = replace(RUBRIC, names_matter=False)
TABLES = load_rubric("03b_causal_block")


def net(*statements, more="", arguments="", before=""):
    """A module whose constructor has these statements."""
    body = "".join(f"        {statement}\n" for statement in statements)
    head = f"{HEAD}{before}class Net(nn.Module):\n    def __init__(self{arguments}):\n"
    return f"{head}        super().__init__()\n{body}{more}"


def plain(name, **changes):
    return fact(name, **{"name": "", "role": "plain", "line": 6, **changes})


def changed(fixer, source, where, at, *tensors, **changes):
    """The statements of the constructor after the fix; [] where none is written."""
    fix = ask(fixer, source, where, at, *tensors, **changes)
    if fix is None or not fix.edits:
        return []
    return [
        line.strip() for line in edited(fix, source).split("super().__init__()\n")[1].splitlines()
    ]


PAIR = net("self.a, self.b = torch.zeros(2), 3")
BOTH = net("self.a, self.b = torch.zeros(2), torch.ones(2)")


def test_a_pair_is_registered_line_by_line_and_what_is_no_tensor_stays():
    first, second = plain("a", identity=1), plain("b", identity=2)
    registered = replace(second, role="parameter")

    assert changed(register, PAIR, "self.a", "self.a", first) == [
        'self.register_buffer("a", torch.zeros(2), persistent=False)',
        "self.b = 3",
    ]
    assert changed(register, BOTH, "self.a", "self.a", first, second) == [
        'self.register_buffer("a", torch.zeros(2), persistent=False)',
        'self.register_buffer("b", torch.ones(2), persistent=False)',
    ]
    assert changed(register, BOTH, "self.a", "self.a", first, registered)[1] == (
        "self.b = torch.ones(2)"
    )


@pytest.mark.parametrize(
    "statement",
    [
        "self.a, self.b = self.c = torch.zeros(2), 3",
        "self.a, self.b = pair",
        "self.a, *self.b = torch.zeros(2), 3, 4",
        "[self.a, self.b] = torch.zeros(2), 3",
        "self.a: torch.Tensor",
        "print(self.a)",
    ],
)
def test_other_statements_are_fixed_in_words(statement):
    assert ask(register, net(statement), "self.a", statement, plain("a")) is None


def test_a_pair_is_registered_in_a_constructor_and_for_an_attribute_only():
    outside = f"{HEAD}\n\n\nself.a, self.b = torch.zeros(2), 3\n"
    nested = plain("a", path="self.box.a")

    assert ask(register, outside, "self.a", "self.a", plain("a")) is None
    assert ask(register, PAIR, "self.box.a", "self.a", nested) is None
    assert ask(register, PAIR, "self.a", "self.a", plain("a", line=99)) is None


def test_what_is_registered_needs_no_registration():
    source = net("self.a = nn.Parameter(torch.zeros(2))")

    assert ask(register, source, "self.a", "self.a", fact("a", role="parameter")) is None
    assert ask(register, source, "self.other", "self.a", plain("a")) is None


def test_a_second_name_for_a_registered_tensor_gets_a_tensor_of_its_own_if_the_exercise_asks():
    source = net("self.weight = nn.Parameter(torch.ones(5))", "self.running_mean = self.weight")
    second = plain("running_mean", identity=WEIGHT.identity, line=7)
    asked = ask(
        register, source, "self.running_mean", "self.running_mean", WEIGHT, second, rubric=RUBRIC
    )
    free = ask(register, source, "self.running_mean", "self.running_mean", WEIGHT, second)

    assert asked.words == "Give it a tensor of its own, and register that"
    assert asked.edits == ()
    assert [edit.after for edit in free.edits] == [""]  # nothing reads it


@pytest.mark.parametrize(
    ("value", "made"),
    [
        ("nn.Parameter(torch.ones(2).cuda(), requires_grad=False)", "torch.ones(2)"),
        ("nn.Buffer(torch.ones(2), persistent=False).cuda()", "torch.ones(2)"),
        ("nn.Parameter()", "nn.Parameter()"),
        ("nn.Parameter(torch.ones(2)).data", "torch.ones(2)"),
        ("nn.Parameter(torch.ones(2)).detach().clone()", "torch.ones(2)"),
        ("torch.ones(2).clone()", "torch.ones(2).clone()"),
        ("torch.zeros(nn.Parameter(x).shape)", "torch.zeros(nn.Parameter(x).shape)"),
        ("torch.ones(2).requires_grad_()", "torch.ones(2)"),
        ('torch.ones(2).to("cuda").cpu()', "torch.ones(2)"),
        ("torch.ones(2, device=device)", "torch.ones(2, device=device)"),
        ("nn.Parameter(torch.ones(2)).data.to(device)", "torch.ones(2).to(device)"),
        ("nn.Parameter(torch.ones(2)).to(device=device)", "torch.ones(2).to(device=device)"),
    ],
)
def test_the_tensor_itself_is_registered(value, made):
    source = net(f"self.a = {value}", arguments=", size, device")

    fix = ask(register, source, "self.a", "self.a", plain("a"))

    assert fix.words.startswith("Register it as a buffer")
    assert edited(fix, source) == source.replace(
        f"self.a = {value}", f'self.register_buffer("a", {made}, persistent=False)'
    )


NOISY = replace(RUBRIC, random_outputs=("output",))
COUNTED = replace(RUBRIC.tensors[1], dtypes=("int64", "int32"))


@pytest.mark.parametrize(
    ("name", "value", "rubric", "words"),
    [
        ("a", "torch.randn(2)", NOISY, "Draw it in each call, on the device of what it meets"),
        ("a", "torch.ones(2)", RUBRIC, "the name that the exercise has: `running_mean`"),
        (
            "running_mean",
            "torch.zeros(2)",
            replace(RUBRIC, tensors=(COUNTED,)),
            "Register it as it is asked for: as a buffer of int64",
        ),
    ],
)
def test_what_the_exercise_has_not_in_this_form_is_fixed_in_words(name, value, rubric, words):
    source, path = (
        net(f"self.{name} = {value}", f"self.{name}, self.z = {value}, 3"),
        f"self.{name}",
    )
    alone = ask(register, source, path, f"{path} =", plain(name), rubric=rubric)
    paired = ask(register, source, path, f"{path}, ", plain(name, line=7), rubric=rubric)
    role = ask(change_role, source, path, path, fact(name, role="parameter"), rubric=rubric)

    for fix in (alone, paired, role):
        assert fix.edits == ()
        assert fix.words.endswith(words)


@pytest.mark.parametrize(
    ("statements", "result"),
    [
        (
            [
                "self.weight = nn.Parameter(x)",
                'self.register_parameter("weight", self.weight.to(device))',
            ],
            ["self.weight = nn.Parameter(x.to(device))", ""],
        ),
        (
            ["w = nn.Parameter(x)", 'self.register_parameter("weight", w.cuda())'],
            ["w = nn.Parameter(x)", 'self.register_parameter("weight", nn.Parameter(w.cuda()))'],
        ),
        (
            ["pass", 'self.register_parameter("weight", x)'],
            ["pass", 'self.register_parameter("weight", nn.Parameter(x))'],
        ),
        (["pass", 'self.register_parameter("running_mean", x)'], []),
        (["pass", "self.register_parameter(*x)"], []),
        (["pass", 'y = self.register_parameter("weight", x)'], []),
    ],
)
def test_what_is_registered_as_a_parameter_is_one(statements, result):
    source = net(*statements)
    found = changed(register_parameter, source, "", statements[1], rubric=RUBRIC)

    assert found == result
    assert changed(register_parameter, source, "", statements[1]) == []


def test_what_requires_a_gradient_becomes_a_parameter():
    source = net("self.a = torch.ones(2, requires_grad=True)")
    fix = ask(register, source, "self.a", "self.a", plain("a", requires_grad=True))

    assert str(fix) == "Register it as a Parameter: `self.a = nn.Parameter(torch.ones(2))`."


@pytest.mark.parametrize(
    ("method", "is_saved"),
    [
        ("self.a += 1", True),
        ("self.a[0] = 1", True),
        ("self.a = self.a * 2", True),
        ("self.a.mul_(2)", True),
        ("self.a //= 2", True),
        ("return self.a == 1", False),
        ("return self.a.mul(2)", False),
        ("self.ab = 1", False),
    ],
)
def test_an_audit_saves_what_a_method_changes(method, is_saved):
    source = net("self.a = torch.ones(2)", more=f"    def step(self):\n        {method}\n")
    fix = ask(register, source, "self.a", "self.a = torch", plain("a"))

    assert fix.words.endswith("computes it") is not is_saved
    assert ("persistent=False" in str(fix)) is not is_saved


GIVEN = ", mean, weights, deviation=None, steps=8, dim=6, *, count: int = 3, config=None, **options"
SAVED = "; a checkpoint made before this change lacks it, and loads with `strict=False`"


@pytest.mark.parametrize(
    ("statements", "is_saved"),
    [
        (["self.a = mean"], True),
        (["self.a = torch.tensor(mean)"], True),
        (["self.a = 1 / torch.as_tensor(mean).view(1, -1, 1)"], True),
        (["scale = torch.tensor(mean)", "scale = scale.sqrt()", "self.a = scale.float()"], True),
        (["low, high = mean", "self.a = torch.linspace(low, high, steps)"], True),
        (["self.mean = mean", "self.a = torch.tensor(self.mean)"], True),
        (["x = torch.zeros(3)", "x.copy_(deviation)", "self.a = x"], True),
        (["rows = [row for row in mean]", "self.a = torch.stack(rows)"], True),
        (["u = []", "u.append(mean)", "self.a = torch.tensor(u)"], True),
        (["self.a = torch.full((steps,), config.fill)", "self.b = nn.Linear(config.n, 2)"], True),
        (["self.a = torch.full((2,), fill_value=mean)"], True),
        (['self.a = torch.tensor(options["mean"])'], True),
        (["self.a = torch.tensor(count)"], True),
        (["self.a = torch.randn(3)"], True),
        (["noise = torch.rand(3)", "self.a = noise * 2"], True),
        (["self.a = torch.hann_window(steps)"], False),
        (["self.a = torch.ones(mean).triu(1).bool()", "self.b = mean"], False),
        (["self.a = torch.zeros(len(mean), mean.shape[0])"], False),
        (["self.a = torch.zeros_like(mean).to(mean.dtype)"], False),
        (["self.a = 10000 ** (torch.arange(0, dim, 2) / dim)"], False),
        (["self.a = torch.linspace(-1, 1, weights)"], False),
        (["self.a = torch.ones(2, dtype=config.dtype).repeat(config.n)"], False),
        (
            ["self.a = table(weights)", "self.b = nn.Linear(in_features=weights, out_features=2)"],
            False,
        ),
        (["self.a = table(steps, count)"], False),
    ],
)
def test_an_audit_saves_what_the_caller_gives_and_what_is_drawn(statements, is_saved):
    source = net(*statements, arguments=GIVEN)
    fix = ask(register, source, "self.a", "self.a =", plain("a"))

    assert ("persistent=False" not in str(fix)) is is_saved
    assert fix.words.endswith(SAVED) is is_saved
    assert ("computes it" in fix.words) is not is_saved


def test_an_exercise_may_leave_out_what_the_caller_gives():
    source = net("self.a = mean", arguments=", mean")
    fix = ask(register, source, "self.a", "self.a =", plain("a"), rubric=TABLES)

    assert fix.words == "Register it as a buffer, which this exercise does not save"


def test_an_exercise_says_what_is_saved():
    source = net("self.a = torch.ones(2)")
    scored = {"parameters": 1, "state_dict": 1}

    def is_saved(rubric):
        fix = ask(register, source, "self.a", "self.a", plain("a"), rubric=rubric)
        return "persistent=False" not in str(fix)

    assert not is_saved(TABLES)
    assert is_saved(replace(TABLES, points={"parameters": 1}))
    assert is_saved(replace(FREE, points=scored))
    assert not is_saved(replace(TABLES, names_matter=False))
    asked = fact("running_mean", name="", role="plain", line=6)
    source = net("self.running_mean = torch.ones(2)")
    assert 'register_buffer("running_mean", torch.ones(2))' in str(
        ask(register, source, "self.running_mean", "self.running_mean", asked, rubric=RUBRIC)
    )


INTEGERS = "self.a = nn.Parameter(torch.arange(3))"


def test_a_parameter_of_integers_becomes_a_buffer():
    source = net(INTEGERS)

    def made(rubric):
        fix = ask(change_role, source, INTEGERS, "self.a", WEIGHT, rubric=rubric)
        assert fix.words == "What is not trained is a buffer"
        return fix.edits[0].after

    assert made(None) == 'self.register_buffer("a", torch.arange(3))'
    assert made(RUBRIC) == 'self.register_buffer("a", torch.arange(3), persistent=False)'


@pytest.mark.parametrize(
    "statement",
    [
        "self.a = self.b = nn.Parameter(torch.arange(3))",
        "a = nn.Parameter(torch.arange(3))",
        "self.a = torch.arange(3)",
        "self.a = integers",
        "self.register_parameter('a', nn.Parameter(torch.arange(3)))",
    ],
)
def test_other_integers_are_fixed_in_words(statement):
    assert ask(change_role, net(statement), statement, statement, WEIGHT) is None


def test_no_line_no_fix():
    source = net(INTEGERS) + "\n\n# the end\n"
    assert ask(change_role, source, INTEGERS, "# the end", WEIGHT) is None


def test_roles_are_changed_both_ways():
    parameter = net("self.a = nn.Parameter(torch.ones(2))")
    buffer = net('self.register_buffer("a", torch.ones(2))')
    to_buffer = ask(change_role, parameter, "self.a", "self.a", fact("a", role="parameter"))
    to_parameter = ask(change_role, buffer, "self.a", "self.reg", fact("a", role="buffer"))
    warned = ask(
        change_role, parameter, "self.a", "self.a", fact("a", role="parameter"), severity="warning"
    )

    assert str(to_buffer) == 'Make it a buffer: `self.register_buffer("a", torch.ones(2))`.'
    assert str(to_parameter) == "Make it a Parameter: `self.a = nn.Parameter(torch.ones(2))`."
    assert warned.words == "If nothing should train it, make it a buffer"


def test_an_exercise_says_which_role_a_tensor_has():
    source = net('self.register_buffer("running_mean", torch.ones(2))')
    mean = fact("running_mean", role="buffer")
    fix = ask(change_role, source, "self.running_mean", "self.reg", mean, rubric=RUBRIC)

    assert fix.words == "Give it a tensor that requires no gradient"


def test_the_role_of_one_of_two_names_is_not_changed():
    source = net("self.a = nn.Parameter(torch.ones(2))", "self.b = self.a")
    names = [fact(name, role="parameter", identity=3) for name in "ab"]

    assert ask(change_role, source, "self.b", "self.b", *names) is None


@pytest.mark.parametrize(
    "statement",
    [
        'self.register_buffer("a")',
        'self.register_buffer("b", torch.ones(2))',
        "self.register_buffer(name, torch.ones(2))",
        'value = self.register_buffer("a", torch.ones(2))',
    ],
)
def test_another_registration_is_fixed_in_words(statement):
    buffer = fact("a", role="buffer", persistent=False)

    assert ask(change_role, net(statement), "self.a", statement, buffer) is None
    assert ask(save_in_buffer, net(statement), "self.a", statement, buffer) is None


@pytest.mark.parametrize(
    ("option", "words"),
    [
        ("persistent=False", "Drop `persistent=False`"),
        ("persistent=bool(0)", "Register it so that it is saved"),
        ("False", "Register it so that it is saved"),
    ],
)
def test_a_buffer_that_no_checkpoint_holds_is_saved(option, words):
    source = net(f'self.register_buffer("a", torch.ones(2), {option})')
    buffer = fact("a", role="buffer", persistent=False)
    fix = ask(save_in_buffer, source, "self.a", "self.reg", buffer)

    assert str(fix) == f'{words}: `self.register_buffer("a", torch.ones(2))`.'


@pytest.mark.parametrize(
    ("given", "after"),
    [
        ("torch.ones(2), persistent=False", "torch.ones(2)"),
        ("tensor=torch.ones(2), persistent=False", "tensor=torch.ones(2)"),
        ("torch.ones(2)", None),
    ],
)
def test_a_buffer_is_saved_that_loading_would_leave_empty(given, after):
    source = net(f'self.register_buffer("table", {given})')
    made = changed(save_with_model, source, "self.layer.table", "self.register", fact("table"))

    assert made == ([f'self.register_buffer("table", {after})'] if after else [])
    assert changed(save_with_model, source, "self.other", "self.register", fact("other")) == []


@pytest.mark.parametrize(
    ("statement", "after"),
    [
        ('object.__setattr__(self, "ema", copy.deepcopy(net))',
         "self.ema = copy.deepcopy(net).requires_grad_(False)"),
        ('self.__dict__["ema"] = copy.deepcopy(net).requires_grad_(False)',
         "self.ema = copy.deepcopy(net).requires_grad_(False)"),
        ("self.ema = [p.clone() for p in weights]",
         "self.ema = nn.ParameterList([p.clone() for p in weights]).requires_grad_(False)"),
        ("self.ema = [copy.deepcopy(net)]",
         "self.ema = nn.ModuleList([copy.deepcopy(net)]).requires_grad_(False)"),
        ("self.ema = {n: p.clone() for n, p in net.named_parameters()}", None),
        ("object.__setattr__(self, name, copy.deepcopy(net))", None),
        ('object.__setattr__(self, "ema", net)', None),
        ('object.__setattr__(self, "ema", value=copy.deepcopy(net))', None),
    ],
)  # fmt: skip
def test_a_copy_of_parameters_is_registered_and_frozen(statement, after):
    first = "ema['a.b']" if "{n:" in statement else "ema[0].weight" if "[copy" in statement else ""
    copies = (plain(first or "ema[0]", copy_of="net.weight"),)

    assert changed(register_copy, net(statement), "self.ema", statement, *copies) == (
        [after] if after else []
    )


def test_a_copy_whose_entries_are_assigned_again_is_not():
    statement = "self.ema = [p.clone() for p in net.parameters()]"
    source = net(statement, more="\n    def update(self):\n        self.ema[0] = 2 * self.ema[0]\n")

    assert changed(register_copy, source, "self.ema", statement, plain("ema[0]", copy_of="a")) == []


def test_a_buffer_that_is_saved_unless_a_method_leaves_it_out():
    source = net('self.register_buffer("a", torch.ones(2))')
    fix = ask(save_in_buffer, source, "self.a", "self.reg", fact("a", role="buffer"))

    assert (
        str(fix) == "It is a buffer, which PyTorch's own methods save and load: leave it to them."
    )
    parameter = fact("a", role="parameter")
    assert ask(save_in_buffer, source, "self.a", "self.reg", parameter) is None


COUNT = "    def step(self):\n        self.count = self.count + 1\n        self.other = 0\n"


@pytest.mark.parametrize("value", ["0", "0.5", "True"])
def test_a_number_is_kept_in_a_buffer(value):
    source = net(f"self.count = {value}", more=COUNT)
    fix = ask(save_in_buffer, source, "self.count", "self.count", WEIGHT)

    assert fix.words == "Keep it in a buffer, a tensor of one number"
    assert [edit.after for edit in fix.edits] == [
        f'self.register_buffer("count", torch.tensor({value}))',
        "self.count.fill_(self.count + 1)",
    ]


def test_what_is_no_number_of_the_constructor_is_not():
    words = net('self.count = "none"', more=COUNT)
    computed = net("self.count = size", more=COUNT)
    late = net("pass", more="    def step(self):\n        self.count = 0\n")
    alone = f"{HEAD}def __init__(self):\n    self.count = 0\n"

    for source in (words, computed, late, alone):
        assert ask(save_in_buffer, source, "self.count", "self.count = ", WEIGHT) is None


def test_an_exercise_says_whether_a_checkpoint_has_the_number():
    source = net("self.count = 0")

    def has_fix(name, rubric):
        whole = source.replace("count", name)
        return ask(save_in_buffer, whole, f"self.{name}", f"self.{name}", WEIGHT, rubric=rubric)

    assert has_fix("running_mean", RUBRIC)
    assert has_fix("count", FREE)
    assert not has_fix("count", RUBRIC)


@pytest.mark.parametrize(
    ("value", "arguments", "made"),
    [
        ('nn.Parameter(torch.ones(2)).to("cuda")', "", "self.weight = nn.Parameter(torch.ones(2))"),
        (
            'nn.Parameter(torch.ones(2)).to("cuda")',
            ", device",
            "self.weight = nn.Parameter(torch.ones(2).to(device))",
        ),
        (
            "nn.Parameter(torch.ones(2)).to(device)",
            ", device",
            "self.weight = nn.Parameter(torch.ones(2).to(device))",
        ),
        ("nn.Parameter(torch.ones(2)) * 2", "", "self.weight = nn.Parameter(torch.ones(2) * 2)"),
        ("nn.Parameter(torch.ones(2))", "", None),
        ("nn.Parameter(a) + nn.Parameter(b)", "", None),
        ("nn.Parameter().cuda()", "", None),
        ("torch.ones(2).cuda()", "", None),
    ],
)
def test_a_parameter_is_wrapped_last(value, arguments, made):
    source = net(f"self.weight = {value}", arguments=arguments)
    result = plain("weight", requires_grad=True, is_leaf=False)
    fix = ask(wrap_last, source, "self.weight", "self.weight", result)

    assert (fix and fix.edits[0].after) == made


def test_what_is_not_to_be_trained_becomes_a_buffer():
    source = net("self.running_mean = nn.Parameter(torch.ones(5)).cuda()")
    fix = ask(
        wrap_last, source, "self.running_mean", "self.run", plain("running_mean"), rubric=RUBRIC
    )

    assert fix.words == "It is not to be trained: register a buffer"
    assert fix.edits[0].after == 'self.register_buffer("running_mean", torch.ones(5))'
