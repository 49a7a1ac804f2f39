"""A push runs an eighth of each search, another one for each commit."""

from types import SimpleNamespace

from sampling import OF, without_the_rest


def items_of(test, count, is_search=True):
    marker = {"search": object()} if is_search else {}
    return [
        SimpleNamespace(nodeid=f"{test}[{n}]", get_closest_marker=marker.get) for n in range(count)
    ]


def test_some_of_each_search_and_all_else():
    mutants, few = items_of("test_mutants", 40), items_of("test_few", 2)
    others = items_of("test_others", 5, is_search=False)

    drawn = without_the_rest([*mutants, *others, *few], "a commit")

    assert len([item for item in drawn if item in mutants]) == 40 // OF
    assert len([item for item in drawn if item in few]) == 1
    assert [item for item in drawn if item in others] == others
    assert without_the_rest([*mutants, *others, *few], "a commit") == drawn


def test_pushes_try_everything_in_time():
    mutants = items_of("test_mutants", 40)

    tried = [item.nodeid for n in range(60) for item in without_the_rest(mutants, f"commit {n}")]

    assert set(tried) == {item.nodeid for item in mutants}
