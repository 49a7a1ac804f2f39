"""Evidence crosses from process to process as JSON, so nothing may be lost on the way."""

import math

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

from grader.schema import Evidence, Output, Run, State, Values


def through_json(evidence):
    return msgspec.json.decode(msgspec.json.encode(evidence), type=Evidence)


# An audit's evidence is large, and an exercise's holds that of an audit.
@pytest.mark.search
@pytest.mark.parametrize("seed", range(8))
def test_any_evidence_is_the_same_after_a_trip_through_json(seed):
    @seeded(seed)
    @settings(max_examples=4, suppress_health_check=list(HealthCheck), database=None)
    @given(st.from_type(Evidence))
    def comes_back(evidence):
        assert through_json(evidence) == evidence

    comes_back()


@given(st.lists(st.floats(), max_size=20))
def test_every_number_comes_back_bit_by_bit(numbers):
    evidence = Evidence("cpu", "2.13.0", 0, state=(State("running_mean", Values.of(numbers)),))

    back = through_json(evidence).state[0].values

    assert back.numbers().tobytes() == Values.of(numbers).data
    assert back.shape == (len(numbers),)


def classes_of_facts(base=msgspec.Struct):
    for cls in base.__subclasses__():
        if cls.__module__.startswith("grader.schema.evidence"):
            yield cls
            yield from classes_of_facts(cls)


# A class of evidence whose `__init__` a learner replaced would write each fact.
@pytest.mark.parametrize("cls", [*classes_of_facts()])
def test_no_function_that_a_program_can_rewrite_makes_a_fact(cls):
    assert cls.__struct_config__.frozen
    assert not {"__init__", "__new__", "__post_init__"} & vars(cls).keys()


def test_nan_and_infinities_are_numbers_like_any_other():
    written = Values.of([math.nan, math.inf, -math.inf, -0.0, 5e-324])
    output = Output("output", "Tensor", "cuda:0", "float32", (5,), written)
    evidence = Evidence("cuda:0 (simulated)", "2.13.0", 1, runs=(Run("cuda", None, (output,)),))

    numbers = through_json(evidence).runs[0].outputs[0].values.numbers()

    assert math.isnan(numbers[0])
    assert list(numbers[1:]) == [math.inf, -math.inf, 0.0, 5e-324]
    assert math.copysign(1, numbers[3]) == -1


def test_a_scalar_has_one_number_and_no_dimension():
    assert Values.of([2.5], shape=()) == Values((), Values.of([2.5]).data)


def test_half_a_number_is_no_number():
    with pytest.raises(ValueError, match="multiple of item size"):
        Values((1,), b"1234").numbers()


@pytest.mark.parametrize(
    "text",
    [
        b"[]",
        b'{"device": "cpu"}',
        b'{"device": "cpu", "torch": "2.13.0", "seed": "seven"}',
        b'{"device": "cpu", "torch": "2.13.0", "seed": 7, "ending": "passed"}',
        b'{"device": "cpu", "torch": "2.13.0", "seed": 7, "runs": [{"device": 3}]}',
    ],
)
def test_json_of_another_shape_is_refused(text):
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=Evidence)


@pytest.mark.parametrize("text", [b"", b"{", b"Traceback (most recent call last):", b"\xff\xfe"])
def test_what_is_not_json_is_refused(text):
    with pytest.raises(msgspec.DecodeError):
        msgspec.json.decode(text, type=Evidence)
