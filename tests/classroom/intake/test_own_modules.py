"""A check and a batch give one verdict, also on answers that import the learner's own files."""

import json

import pytest
from handing_in import NORMALIZER, hand_in, notebook, solution, zipped

from grader.classroom.results.ledger import latest, read_ledger

IMPORT = "from torch import nn\n"
HELPER = "def standardized(x, mean, std):\n    return (x - mean) / std\n"
EXPORT = """\
#!/usr/bin/env python
# coding: utf-8

# # My homework

# In[1]:


get_ipython().run_line_magic('pip', 'install tqdm')
files = get_ipython().getoutput('ls')
{answer}

# In[7]:


print(files)
model = Normalizer(1 / 0)
"""


ANSWER = (
    solution()
    .replace("(x - self.mean) / self.std", "standardized(x, self.mean, self.std)")
    .replace(IMPORT, f"{IMPORT}from my_layers import standardized\n")
)
FOLDERS = {
    "a module": {"my_layers.py": HELPER},
    "a module of a module": {
        "my_layers.py": "from inner import standardized\n",
        "inner.py": HELPER,
    },
    "a package": {
        "my_layers/__init__.py": "from my_layers.scaling import standardized\n",
        "my_layers/scaling.py": HELPER,
    },
    "in latin-1": {"my_layers.py": f"# coding: latin-1\n# \xe9\n{HELPER}".encode("latin-1")},
}


@pytest.fixture
def verdicts(tmp_path, grader, monkeypatch):
    """What a check of the file says, and a batch of the folder it is in; and the batch's entry."""

    def run(files, name=f"{NORMALIZER}.py"):
        mine = hand_in(tmp_path / "mine", files)
        ended = grader("check", mine / name, "--format", "json")
        checked = json.loads(ended.out)
        entry = batch({f"ada/{file}": content for file, content in files.items()})
        return (checked["verdict"], checked["score"]), entry

    def batch(files):
        grader("batch", hand_in(tmp_path / "in", files), "--out", tmp_path / "out", "--jobs", 1)
        return latest(read_ledger(tmp_path / "out"))["ada", "03"]

    run.batch = batch
    return run


def said(entry):
    return entry.report.verdict, entry.report.score


@pytest.mark.parametrize("kind", FOLDERS)
def test_the_modules_of_a_learner_lie_next_to_the_answer(verdicts, kind):
    files = {f"{NORMALIZER}.py": ANSWER, "unused.py": "1 / 0"}
    files.update(FOLDERS[kind])

    checked, entry = verdicts(files)

    assert checked == said(entry) == ("passed", 6)
    assert entry.report.flags == ()
    assert sorted(entry.modules) == sorted(FOLDERS[kind])


def test_a_notebook_may_import_them_too(verdicts):
    cells = notebook("import torch\n" + IMPORT, ANSWER)
    files = {f"{NORMALIZER}.ipynb": cells, "my_layers.py": HELPER}

    checked, entry = verdicts(files, f"{NORMALIZER}.ipynb")

    assert checked == said(entry) == ("passed", 6)


def test_in_a_zip_and_in_moodles_folder(verdicts, tmp_path):
    inner = zipped(tmp_path / "w.zip", {f"a/{NORMALIZER}.py": ANSWER, "a/my_layers.py": HELPER})

    assert said(verdicts.batch({"ada/work.zip": inner.read_bytes()})) == ("passed", 6)


def test_a_module_that_is_wrong_is_wrong_and_named(verdicts):
    files = {f"{NORMALIZER}.py": ANSWER, "my_layers.py": "import torch\nraise ValueError('no')\n"}

    checked, entry = verdicts(files)

    assert checked == said(entry)
    assert entry.report.verdict == "not_defined"
    shown = f"{entry.report.message} {entry.report.checks}"
    assert "grader-" not in shown


def test_who_imports_another_learners_module_gets_nothing_of_it(verdicts):
    entry = verdicts.batch({f"ada/{NORMALIZER}.py": ANSWER, "bo/my_layers.py": HELPER})

    assert entry.report.score == 0
    assert entry.modules == {}


def test_what_nobody_needs_is_flagged_in_a_module_too(verdicts):
    files = {f"{NORMALIZER}.py": ANSWER, "my_layers.py": f"import ctypes\n{HELPER}"}

    _, entry = verdicts(files)

    (flag,) = entry.report.flags
    assert (flag.kind, flag.line) == ("import", 0)
    assert "`my_layers.py`, line 1: imports `ctypes`" in flag.text


def test_a_changed_module_is_graded_again_and_kept_by_merge_and_regrade(verdicts, tmp_path, grader):
    files = {f"ada/{NORMALIZER}.py": ANSWER, "ada/my_layers.py": HELPER}
    right = verdicts.batch(files)
    wrong = verdicts.batch({**files, "ada/my_layers.py": HELPER.replace("- mean", "+ mean")})

    grader("merge", tmp_path / "out", "--out", tmp_path / "all")

    assert right.report.score == 6 > wrong.report.score
    merged = latest(read_ledger(tmp_path / "all"))["ada", "03"]
    stored = {path.stem for path in (tmp_path / "all" / "submissions").iterdir()}
    assert {merged.submission, *merged.modules.values()} == stored


def test_a_notebook_exported_by_jupyter_is_graded_as_the_notebook(verdicts):
    export = EXPORT.format(answer=solution())

    checked, entry = verdicts({f"{NORMALIZER}.py": export})

    assert checked == said(entry) == ("passed", 6)
    assert entry.report.flags == ()


def test_of_an_export_the_lines_are_those_of_the_file(verdicts):
    broken = solution().replace("self.register_buffer", "self.register_bufer", 1)
    export = EXPORT.format(answer=broken)
    line = next(i for i, text in enumerate(export.splitlines(), 1) if "register_bufer" in text)

    _, entry = verdicts({f"{NORMALIZER}.py": export})

    assert f"line {line}" in f"{entry.report.message} {entry.report.checks}"
