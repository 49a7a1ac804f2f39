"""What a rubric says is also right is shown by an accepted answer, which `make verify` grades."""

import pytest

from grader.course.catalog import all_rubrics
from grader.loading import execute, read_source
from verify.variants import variants_file


@pytest.mark.parametrize("rubric", all_rubrics(), ids=lambda rubric: rubric.stem)
def test_each_sentence_has_an_answer_and_each_answer_a_sentence(rubric):
    path = variants_file(rubric.stem)
    declared = vars(execute(read_source(path), path))
    shown = declared["ALSO_RIGHT"]

    assert set(shown.values()) <= set(declared["ACCEPTED"])
    assert all(any(part in answer for part in shown) for answer in rubric.also_right)
    assert all(any(part in answer for answer in rubric.also_right) for part in shown)
