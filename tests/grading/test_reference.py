"""What `forward` should have given, for the state and inputs that the evidence tells of."""

import pytest
from msgspec.structs import replace

from grader.course.catalog import find, solution_file
from grader.grading.reference import expected_outputs
from grader.judge.outputs import differences
from grader.probe.containment.supervisor import probe_in_child
from grader.probe.tasks import Exercise
from grader.schema import Evidence, State, Values


def probed(number: str, **changes: str) -> Evidence:
    """The evidence of an exercise's solution."""
    rubric = find(number)
    task = Exercise(solution_file(rubric.stem), rubric.class_name, 11, "simulated", rubric.recipe)
    return probe_in_child(task)


@pytest.fixture(scope="module")
def evidence():
    return probed("04")


def values(outputs):
    return [output.values.numbers().tolist() for output in outputs]


def test_the_solution_gives_what_a_right_answer_gave(evidence):
    expected = expected_outputs(find("04"), evidence)

    for run in evidence.runs:
        assert list(differences(run.outputs, expected)) == []


def test_it_follows_the_state_of_the_evidence(evidence):
    doubled = tuple(
        State(e.name, Values.of((2 * n for n in e.values.numbers()), e.values.shape))
        if e.name == "weight"
        else e
        for e in evidence.state
    )

    (before,) = values(expected_outputs(find("04"), evidence))
    (after,) = values(expected_outputs(find("04"), replace(evidence, state=doubled)))

    assert after == pytest.approx([2 * number for number in before])


def test_it_follows_the_seed_of_the_evidence(evidence):
    other = replace(evidence, seed=12)

    assert values(expected_outputs(find("04"), evidence)) != values(
        expected_outputs(find("04"), other)
    )


def test_where_names_are_free_they_are_paired_by_shape():
    evidence = probed("05")
    renamed = tuple(State(f"net.{i}", e.values) for i, e in enumerate(evidence.state))

    expected = expected_outputs(find("05"), replace(evidence, state=renamed))

    assert list(differences(evidence.runs[0].outputs, expected)) == []


def test_where_names_matter_another_name_is_not_taken_for_the_right_one(evidence):
    renamed = tuple(replace(e, name=f"my_{e.name}") for e in evidence.state)
    structure = replace(
        evidence.structure,
        tensors=tuple(replace(t, path=f"self.my_{t.name}") for t in evidence.structure.tensors),
    )

    expected = expected_outputs(find("04"), replace(evidence, state=renamed, structure=structure))

    assert list(differences(evidence.runs[0].outputs, expected)) != []


def test_the_same_evidence_gives_the_same_outputs(evidence):
    assert expected_outputs(find("04"), evidence) == expected_outputs(find("04"), evidence)
