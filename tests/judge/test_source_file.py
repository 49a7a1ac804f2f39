"""A learner's file as text and as a tree; fixes of containers, which read it closely."""

import ast

import pytest
from fixed_code import HEAD, ask
from literal import MEAN, WEIGHT, evidence, fact
from msgspec.structs import replace

from grader.judge.fixes.containers import use_torch_container
from grader.judge.fixes.expressions import device_here, moves_only, names_device, without_devices
from grader.judge.fixes.source_file import SourceFile, apply_edits, is_block
from grader.schema import Holder
from grader.schema.report import Edit

TEXT = """\
import torch
import torch.nn as layers
from torch import nn as other, optim

class A(Base, Mixin):
    def forward(self, x):
        if (x > 0 and
                x.any()):
            y = "é", x.cuda()
        else:
            y = 1
        try:
            z = 2
        except ValueError:
            z = 3
        finally:
            z = 4
        match z:
            case 2:
                z = 5
        for i in x: print(i)

class Base(Root):
    pass

class Mixin:
    pass

class Root(Base, Unknown):
    pass
"""
CODE = SourceFile(TEXT)


def text_at(line):
    site = CODE.site(line)
    return site and ast.unparse(site.statement).splitlines()[0]


def test_lines_are_counted_from_one_and_others_are_empty():
    assert CODE.line(1) == "import torch"
    assert CODE.line(6) == "def forward(self, x):"
    assert CODE.line(0) == CODE.line(-1) == CODE.line(len(CODE.lines) + 1) == ""
    assert SourceFile("a = '\x0c \u2028'\nb = 2").line(2) == "b = 2"  # Python splits at no others


@pytest.mark.parametrize(
    ("line", "statement"),
    [
        (4, None),
        (8, "if x > 0 and x.any():"),
        (9, "y = ('é', x.cuda())"),
        (11, "y = 1"),
        (13, "z = 2"),
        (15, "z = 3"),
        (17, "z = 4"),
        (20, "z = 5"),
        (25, None),
        (99, None),
    ],
)
def test_a_line_belongs_to_its_innermost_statement(line, statement):
    assert text_at(line) == statement


def test_a_statement_knows_its_function_and_its_class():
    site = CODE.site(9)

    assert (site.function.name, site.owner.name) == ("forward", "A")
    assert CODE.site(24).function is None
    assert CODE.site(24).owner.name == "Base"
    assert (CODE.site(1).function, CODE.site(1).owner) == (None, None)


def test_statements_can_be_asked_for_within_a_node():
    inner = [site.statement.lineno for site in CODE.sites(CODE.site(12).statement)]

    assert inner == [12, 13, 17, 15]
    assert len(list(CODE.sites())) > 15


def test_the_nearest_bases_come_first_and_each_once():
    assert [owner.name for owner in CODE.chain("A")] == ["A", "Base", "Mixin", "Root"]
    assert CODE.chain("Unknown") == []


@pytest.mark.parametrize(
    ("module", "name"),
    [("torch", "torch"), ("torch.nn", "layers"), ("torch.optim", "optim"), ("numpy", "numpy")],
)
def test_a_module_has_the_name_that_the_file_gives_it(module, name):
    assert CODE.name_of(module) == name


def test_the_last_form_of_an_import_counts_for_its_own_module_only():
    code = SourceFile("import numpy\nfrom torch import nn\nimport torch as t\n")

    assert (code.name_of("torch.nn"), code.name_of("torch"), code.name_of("numpy")) == (
        "nn",
        "t",
        "numpy",
    )
    assert SourceFile("from torch import nn as layers").name_of("torch.nn") == "layers"


def test_an_edit_holds_the_head_of_a_compound_statement():
    site = CODE.site(7)
    name = next(node for node in ast.walk(site.statement.test) if isinstance(node, ast.Name))
    edit = CODE.edit_spans(site, [(CODE.span(name), "w")])

    assert edit == Edit(
        7, "if (x > 0 and\n                x.any()):", "if (w > 0 and\n                x.any()):"
    )
    assert CODE.edit_statement(CODE.site(18), "match w:").before == "match z:"
    (loop,) = (site for site in CODE.sites() if isinstance(site.statement, ast.For))
    assert CODE.edit_statement(loop, "pass").before == "for i in x: print(i)"
    assert apply_edits(TEXT, [edit]).count("w > 0") == 1


@pytest.mark.parametrize(
    "source",
    [
        "if x:\n    a = 1\n    b = 2\n",
        "match x:\n    case 1:\n        a = 1\n    case 2:\n        b = 2\n",
        "for a in (\n    x\n):\n    b = 2\n    c = 3\n",
    ],
)
def test_a_head_ends_where_the_first_statement_begins(source):
    code = SourceFile(source)
    head, _, _ = source.partition(":\n")

    assert code.edit_statement(code.site(1), "pass").before == f"{head}:"


def test_several_changes_of_one_statement_keep_their_places():
    site = CODE.site(9)
    first, second = site.statement.value.elts
    edit = CODE.edit_spans(site, [(CODE.span(first), "'ö'"), (CODE.span(second), "x")])

    assert edit.after == "y = 'ö', x"


def test_the_first_statement_of_a_file_is_changed_alike():
    code = SourceFile("x = f(a, b)\n")
    first, second = code.site(1).statement.value.args
    edit = code.edit_spans(code.site(1), [(code.span(first), "1"), (code.span(second), "2")])

    assert edit == Edit(1, "x = f(a, b)", "x = f(1, 2)")


def test_what_contains_statements_is_a_block():
    assert is_block(CODE.site(7).statement)
    assert is_block(CODE.site(5).statement)
    assert is_block(CODE.site(6).statement)
    assert not is_block(CODE.site(9).statement)


def test_an_edit_begins_on_its_line():
    source = "a = 1\nb = a = 1\n    a = 1\n"

    assert apply_edits(source, [Edit(2, "a = 1", "a = 2")]) == "a = 1\nb = a = 2\n    a = 1\n"
    assert apply_edits(source, [Edit(3, "a = 1", "c\nd")]).endswith("    c\n    d\n")
    with pytest.raises(ValueError, match="line 1 is not `b = a`"):
        apply_edits(source, [Edit(1, "b = a", "")])


@pytest.mark.parametrize(
    ("expression", "result"),
    [
        ("torch.ones(2).cuda()", "torch.ones(2)"),
        ("torch.ones(2).cpu().cuda()", "torch.ones(2)"),
        ("torch.ones(2).to('cuda')", "torch.ones(2)"),
        ("torch.ones(2).to(device='cuda')", "torch.ones(2)"),
        ("torch.ones(2).to(torch.device('cuda'))", "torch.ones(2)"),
        ("torch.ones(2).to(self.device)", "torch.ones(2)"),
        ("torch.ones(2).to('cuda' if on else 'cpu')", "torch.ones(2)"),
        ("torch.ones(2).to(torch.float16)", "torch.ones(2).to(torch.float16)"),
        ("torch.ones(2).to(3)", "torch.ones(2).to(3)"),
        ("torch.ones(2).to('cuda', torch.half)", "torch.ones(2).to('cuda', torch.half)"),
        ("torch.ones(2, device='cuda')", "torch.ones(2)"),
        ("torch.ones(2, device='cuda', dtype=d)", "torch.ones(2, dtype=d)"),
        ("torch.ones(size=n, device='cuda')", "torch.ones(size=n)"),
        ("torch.ones(2, device=where)", "torch.ones(2, device=where)"),
        ("torch.ones(2).to(device=where)", "torch.ones(2).to(device=where)"),
        ("torch.ones(2).cuda(where)", "torch.ones(2).cuda(where)"),
        ("f('ä', device='cuda').cuda()", "f('ä')"),
    ],
)
def test_devices_are_left_out_of_an_expression(expression, result):
    source = f"def f(self, where):\n    x = {expression}\n"
    code = SourceFile(source)
    site = code.site(2)

    assert without_devices(code, site.statement.value, site.function) == result


def test_without_a_function_every_device_is_left_out():
    code = SourceFile("x = torch.ones(2, device=where).cuda(where)\n")

    assert without_devices(code, code.site(1).statement.value) == "torch.ones(2)"


@pytest.mark.parametrize(
    ("text", "is_move"),
    [("x.cuda()", True), ("cuda()", False), ("x.to()", False), ("x", False), ("x.half()", False)],
)
def test_what_only_moves(text, is_move):
    assert moves_only(ast.parse(text, mode="eval").body) is is_move


@pytest.mark.parametrize(
    ("text", "is_device"),
    [
        ("'cpu'", True),
        ("0", False),
        ("device", True),
        ("x.device", True),
        ("dev", True),
        ("dtype", False),
        ("torch.device(d)", True),
        ("device if on else dtype", True),
        ("dtype if on else device", False),
    ],
)
def test_what_looks_like_a_device(text, is_device):
    assert names_device(ast.parse(text, mode="eval").body) is is_device


def test_a_device_is_asked_for_in_a_function_of_calls_only():
    code = SourceFile(
        "y = 1\nclass A:\n    def __init__(self, x: Tensor):\n        z = 2\n"
        "    def forward(me, x):\n        self.weight = 3\n"
    )

    for line in (1, 4, 6):
        assert device_here(code, code.site(line), evidence()) == ""


def held(*paths, kind="list", is_parameter=True):
    return [
        replace(
            fact(f"held{path}", name="", role="plain", identity=i),
            holder=Holder(kind, "self.held"),
            is_parameter=is_parameter,
        )
        for i, path in enumerate(paths)
    ]


def contained(value, facts):
    source = f"{HEAD}class Net(nn.Module):\n    def __init__(self):\n        self.held = {value}\n"
    fix = ask(use_torch_container, source, "self.held", "self.held", WEIGHT, MEAN, *facts)
    return fix and fix.edits[0].after.removeprefix("self.held = ")


@pytest.mark.parametrize(
    ("value", "kind", "paths", "result"),
    [
        ("[a, b]", "list", ("[0].weight", "[12].weight"), "nn.ModuleList([a, b])"),
        ("tuple(x)", "tuple", ("[0]", "[1]"), "nn.ParameterList(tuple(x))"),
        ("dict()", "dict", ("['a']",), "nn.ParameterDict()"),
        ("{k: f(k) for k in x}", "dict", ("['a'].w",), "nn.ModuleDict({k: f(k) for k in x})"),
        ("OrderedDict(x)", "OrderedDict", ("['a'].w",), "nn.ModuleDict(OrderedDict(x))"),
        ("made", "dict", ("['a'].w",), None),
        ("dict(x)", "dict", ("['a']", "['a.b']"), None),
        ("dict(x)", "dict", ("['a']", "[3]"), None),
        ("f(x)", "list", ("[0][1].w",), None),
        ("[Sequential(a)]", "list", ("[0][1].w",), "nn.ModuleList([Sequential(a)])"),
        ("[[a, b]]", "list", ("[0][1].w",), None),
        ("f(x)", "list", ("[0].w", "['a'].w"), None),
        ("{a}", "set", ("[0].w",), None),
        ("A()", "A", (".weight",), None),
    ],
)
def test_a_container_is_used_where_it_takes_what_is_held(value, kind, paths, result):
    assert contained(value, held(*paths, kind=kind)) == result


def test_modules_in_a_container_need_a_container_of_modules():
    mixed = held("[0]", "[1].weight")

    assert contained("[a, b]", mixed) == "nn.ModuleList([a, b])"
    assert contained("[a]", held("[0]", is_parameter=False)) is None
    assert contained("[a]", held("[0].weight", is_parameter=False)) == "nn.ModuleList([a])"
    assert contained("[a]", [replace(fact, role="parameter") for fact in held("[0]")]) == (
        "nn.ModuleList([a])"
    )


def test_a_function_in_a_container_is_no_module():
    by_lambda = [replace(fact, value="lambda x: a(x)") for fact in held("[0].weight")]

    assert contained("[lambda x: a(x)]", by_lambda) is None


def test_modules_without_tensors_need_a_list():
    assert contained("[nn.Dropout()]", []) == "nn.ModuleList([nn.Dropout()])"
    assert contained("[f(i) for i in x]", []) == "nn.ModuleList([f(i) for i in x])"
    assert contained("{'a': nn.Dropout()}", []) is None
    assert contained("f(x)", []) is None


def test_tensors_of_another_attribute_do_not_count():
    other = [replace(fact, path="self.held_too[0]") for fact in held("[0]")]

    assert contained("f(x)", other) is None
    assert contained("f(x)", held("[0]")) == "nn.ParameterList(f(x))"
