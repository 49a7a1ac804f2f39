from types import MappingProxyType
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.probe.containment.guard import dict_fingerprint
from grader.probe.containment.guard.dict_fingerprint import fingerprints

NAMES = st.text("abcdefgh", min_size=1, max_size=2)
WAYS = {"by version": (True, True), "by addresses": (True, False), "not at all": (False, False)}


@pytest.fixture(params=WAYS.values(), ids=WAYS)
def is_readable(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether this Python tells what did not change; it is played through for all of them."""
    readable, version = request.param
    monkeypatch.setattr(dict_fingerprint, "IS_READABLE", readable and dict_fingerprint.IS_READABLE)
    monkeypatch.setattr(dict_fingerprint, "HAS_VERSION", version and dict_fingerprint.HAS_VERSION)
    return dict_fingerprint.IS_READABLE


class Layer:
    size = 3

    def forward(self) -> int:
        return self.size


def test_what_was_left_alone_holds(is_readable: bool) -> None:
    names: dict[str, Any] = {"torch": object(), "nn": object()}
    taken = fingerprints([names, vars(Layer)])

    _ = names["torch"], names.get("absent"), list(names.items()), Layer().forward()

    assert list(taken.changed()) == ([] if is_readable else [0, 1])


def test_the_class_that_was_given_another_method_is_named(is_readable: bool) -> None:
    taken = fingerprints([{}, vars(Layer)])
    genuine = Layer.forward
    Layer.forward = lambda self: 4  # type: ignore[method-assign]
    try:
        assert 1 in taken.changed()
    finally:
        Layer.forward = genuine  # type: ignore[method-assign]


def test_what_was_taken_again_holds_again(is_readable: bool) -> None:
    names = {"weight": 1}
    taken = fingerprints([names])
    names.update((f"name {i}", i) for i in range(100))  # more than fit where they were

    taken.renew(taken.changed())

    assert list(taken.changed()) == ([] if is_readable else [0])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(
    before=st.dictionaries(NAMES, st.integers(), max_size=30),
    changes=st.lists(st.tuples(NAMES, st.none() | st.integers()), max_size=30),
)
def test_no_change_goes_unseen(
    is_readable: bool, before: dict[str, int], changes: list[tuple[str, int | None]]
) -> None:
    names = dict(before)
    taken = fingerprints([MappingProxyType(names)])

    for name, value in changes:
        if value is None:
            names.pop(name, None)
        else:
            names[name] = value

    if names != before:
        assert list(taken.changed()) == [0]


def test_this_python_lays_out_its_dicts_as_expected() -> None:
    assert dict_fingerprint.IS_READABLE
