"""`grader exam` in a terminal, from the first module to a verified result."""

import json

from grader.course.exam.drawing import draw, to_fix
from grader.course.exam.pool import fixed_source

SEED = "ada"


def right_answers(modules):
    return [line for module in modules for line in (module.question().right, "certain")]


def test_an_exam_from_the_first_module_to_the_result(course, grader, type_in):
    drawn, three = draw(SEED), to_fix(SEED)
    type_in(*right_answers(drawn[:4]), "q")
    begun = grader("exam", "--seed", SEED)
    assert begun.out.count("What happens?") == 5
    assert "raises on line 17 " not in begun.out.partition("A. It works")[0]
    assert "Stopped. Go on with: grader exam --seed ada" in begun.out

    type_in(*right_answers(drawn[4:]))
    answered = grader("exam")
    assert answered.out.startswith("Exam ada.")
    assert "Module 5 of 10" in answered.out
    assert all(f"exam-ada/{module.name}.py" in answered.out for module in three)

    for module in three:
        (course / "exam-ada" / f"{module.name}.py").write_text(fixed_source(module))
    done = grader("exam")
    assert "13 of 13 points" in done.out
    assert done.status == 0

    file = "exam-ada/result.json"
    assert grader("exam", "--verify", file, "--seed", SEED).out.startswith("✓ ")
    assert grader("exam", "--verify", file, "--seed", "bob").status == 1
    claimed = json.loads((course / file).read_text())
    claimed["answers"][drawn[0].name]["outcome"] = "nothing"
    (course / file).write_text(json.dumps(claimed))
    verified = grader("exam", "--verify", file)
    assert "scored again: 9" in verified.out
    assert verified.status == 1


def test_an_answer_is_shown_only_with_the_result(course, grader, type_in):
    drawn = draw(SEED)
    type_in(*right_answers(drawn[:1]), "q")
    text = " ".join(grader("exam", "--seed", SEED).out.split())

    whys = [module.truth.why for module in drawn if module.truth.why]
    assert not any(why in text for why in whys)
    assert "✓" not in text
