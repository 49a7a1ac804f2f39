"""`grader batch --cluster`: the same results as on one machine, whatever becomes of the others."""

import subprocess
import sys
import time
from importlib.util import find_spec

import psutil
import pytest
from handing_in import NORMALIZER, hand_in, solution, wrong

from grader.classroom.grading.shard import Shard, ShardSubmission, grade_shard
from grader.classroom.grading.versions import rubric_version
from grader.classroom.results.ledger import latest, read_ledger
from grader.course.catalog import starter
from grader.course.rubrics import load_rubric
from grader.probe.containment.sandbox import Level

SUBMISSIONS, PATIENCE = 12, 300
KINDS = [
    solution(),
    wrong(),
    starter(NORMALIZER),
    f"{solution()}\nraise SystemExit\n",
    "import torch\nclass Normalizer(:\n",
]
needs_ray = pytest.mark.skipif(
    not find_spec("ray"), reason="needs Ray, which is no dependency of the tests: [cluster]"
)


@pytest.fixture
def school(tmp_path):
    files = {
        f"learner {i:02}/{NORMALIZER}.py": f"{KINDS[i % len(KINDS)]}\n# by {i}\n"
        for i in range(SUBMISSIONS)
    }
    return hand_in(tmp_path / "in", files)


def brief(folder):
    """What must be the same wherever it was graded: the inputs are drawn anew each time."""
    return {
        key: (
            entry.submission,
            entry.device,
            entry.report.verdict,
            [(check.name, check.points) for check in entry.report.checks],
            [(finding.code, finding.where, finding.line) for finding in entry.report.findings],
        )
        for key, entry in latest(read_ledger(folder)).items()
    }


def shards_below(process):
    """The processes of the grader that a machine of the cluster has started."""
    found = []
    for child in process.children(recursive=True):
        try:
            if "grader.classroom.grading.shard" in child.cmdline():
                found.append(child)
        except psutil.NoSuchProcess:
            continue
    return found


def runs(process):
    """Whether it is more than a line in a table, which somebody has to take out."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_for(what):
    deadline = time.monotonic() + PATIENCE
    while not (found := what()):
        assert time.monotonic() < deadline
        time.sleep(0.1)  # to look through all processes takes 20 ms
    return found


@pytest.fixture
def cluster(monkeypatch):
    """Two machines of one core, as far as Ray can tell."""
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    yield cluster
    cluster.shutdown()


@needs_ray
@pytest.mark.nightly
@pytest.mark.alone
def test_a_machine_that_is_lost_costs_no_result(school, tmp_path, cluster, grader):
    doomed = cluster.add_node(num_cpus=1)
    raylet = psutil.Process(doomed.all_processes["raylet"][0].process.pid)
    out = tmp_path / "out"
    command = [sys.executable, "-m", "grader.cli", "batch", str(school), "--out", str(out)]

    batch = subprocess.Popen(
        [*command, "--cluster", cluster.address], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    wait_for(lambda: any(read_ledger(out)) or batch.poll() is not None)
    assert batch.poll() is None, batch.communicate()[0].decode()
    lost = wait_for(lambda: shards_below(raylet))
    cluster.remove_node(doomed, allow_graceful=False)
    printed, _ = batch.communicate(timeout=PATIENCE)

    assert batch.returncode == 0, printed.decode()
    assert "raylet" not in printed.decode()
    wait_for(lambda: not any(map(runs, lost)))
    assert len(list(read_ledger(out))) == SUBMISSIONS
    grader("batch", school, "--out", tmp_path / "plain")
    assert brief(out) == brief(tmp_path / "plain")


def sent(*sources):
    return tuple(ShardSubmission(NORMALIZER, "ada.py", source.encode()) for source in sources)


def test_a_shard_is_marked_in_its_order():
    version = rubric_version(load_rubric(NORMALIZER))
    shard = Shard("simulated", Level.PROCESS, {NORMALIZER: version}, sent(wrong(), solution()))

    answered = grade_shard(shard)

    assert (answered.device, answered.refused) == ("cuda:0 (simulated)", "")
    reports = [marked.report for marked in answered.marked]
    assert [(report.verdict, report.source) for report in reports] == [
        ("failed", "ada.py"),
        ("passed", "ada.py"),
    ]


def test_a_machine_with_another_rubric_marks_nothing():
    shard = Shard("simulated", Level.PROCESS, {NORMALIZER: "of last year"}, sent(solution()))

    answered = grade_shard(shard)

    assert answered.marked == ()
    assert f"solution of {NORMALIZER}, is of another version" in answered.refused


def test_without_ray_it_says_what_to_install(school, tmp_path, grader, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)

    ended = grader("batch", school, "--out", tmp_path / "out", "--cluster", "head:6379")

    assert ended.status == 3
    assert "--cluster needs Ray" in ended.err
    assert "pip install" in ended.err
    assert not (tmp_path / "out").exists()


@pytest.fixture
def ray(monkeypatch):
    """A Ray that nobody is to get as far as: it has nothing in it."""
    monkeypatch.setitem(sys.modules, "ray", type(sys)("ray"))


@pytest.mark.usefixtures("ray")
@pytest.mark.parametrize(
    ("address", "message"),
    [("head", "is no address of a cluster"), ("127.0.0.1:9", "No cluster answers at 127.0.0.1:9")],
)
def test_an_address_where_nobody_is(school, tmp_path, grader, address, message):
    ended = grader("batch", school, "--out", tmp_path / "out", "--cluster", address)

    assert ended.status == 3
    assert message in ended.err


def test_the_cores_are_the_clusters(school, tmp_path, grader):
    ended = grader("batch", school, "--out", tmp_path, "--cluster", "auto", "--jobs", 2)

    assert ended.status == 2
    assert "leave --jobs out" in ended.err
