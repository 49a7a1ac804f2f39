"""`grader exam` in a terminal, from the first module to the result."""

from grader.course.items.drawing import draw, to_fix

SEED = "ada"


def right_answers(modules):
    return [line for module in modules for line in (module.right, "sure")]


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
    assert all(f"exam-ada/{module.key}.py" in answered.out for module in three)

    for module in three:
        (course / "exam-ada" / f"{module.key}.py").write_text(module.fixed)
    done = grader("exam")
    assert "10 of 10 read right, 3 of 3 fixed" in done.out
    assert done.status == 0


def test_an_answer_is_shown_only_with_the_result(course, grader, type_in):
    drawn = draw(SEED)
    type_in(*right_answers(drawn[:1]), "q")
    text = " ".join(grader("exam", "--seed", SEED).out.split())

    whys = [module.why for module in drawn]
    assert not any(why in text for why in whys)
    assert "✓" not in text
