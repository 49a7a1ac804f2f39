"""What every template shares: a task and a module as text with gaps, and how a draw fills them.

A template is data: a `Frame`, its stories, and one `draw` function that chooses among them. The
frame fills the gaps twice, as the starter and as the solution, and makes both rubrics.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import fill, indent
from typing import Any

from grader.course.rubrics import load_rubric
from grader.course.templates.stories import Story
from grader.course.templates.variant import CHECKED_HERE, Variant, for_learners
from grader.schema import Expected, Rubric

# `{name}`; alone on its line, it may take several. A brace around anything else is Python's.
GAP = re.compile(r"(?:^( +))?\{([a-z_]+)\}", re.MULTILINE)
TASK = '''"""Exercise {number}, a variant: {headline}.

{opening}

{parts}

{now}

Your task: {ask}

'''
IMPORTS = "import torch\nfrom torch import nn\n"


@dataclass(frozen=True)
class DrawnLine:
    """One drawn line of code, as the solution has it and as the starter does."""

    right: str
    wrong: str

    @property
    def as_right(self) -> DrawnLine:
        """The same line, which is right in the starter already."""
        return replace(self, wrong=self.right)


@dataclass(frozen=True)
class Asked:
    """What a rubric says of a variant: its tensors, and what differs from the course's recipe."""

    tensors: tuple[Expected, ...]
    recipe: dict[str, Any]
    random_outputs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Frame:
    """An exercise as text with gaps.

    Attributes:
        headline: the first line of the task, after the number.
        opening: what follows what the module does, and announces the list of its parts.
        now: what is wrong with it today.
        ask: what the learner shall change, and what has to stay.
        source: the class, with `{names}` for the gaps.
        imports: what stands above it.
        copy_is_thorough: whether the learner's copy sees the fault only if it looks thoroughly.
    """

    stem: str
    headline: str
    opening: str
    now: str
    ask: str
    source: str
    imports: str = IMPORTS
    copy_is_thorough: bool = False

    def variant(
        self,
        story: Story,
        parts: Sequence[str],
        asked: Callable[[int], Asked],
        choices: Mapping[str, Sequence[DrawnLine]],
        **words: str,
    ) -> Variant:
        """The variant of one draw.

        Args:
            story: of its stories, the one drawn.
            parts: what the task lists, a sentence each.
            asked: what the rubric says, for sizes that are so much larger. The learner's copy
                builds the module larger by 2.
            choices: by their gap, the lines that the starter has wrong.
            words: for the gaps that are the same in both.
        """
        words = {**story.words, **words, "class_name": story.class_name}
        words["title"] = story.does[0].upper() + story.does[1:]
        right = {gap: [line.right for line in lines] for gap, lines in choices.items()}
        wrong = {gap: [line.wrong for line in lines] for gap, lines in choices.items()}
        answer = f'"""One good answer to a variant of exercise {self._number}."""\n\n{self.imports}'
        task = self._task(story, parts, words)
        rubric = self._rubric(story, asked(0))
        return Variant(
            rubric=rubric,
            learners=for_learners(self._rubric(story, asked(2)), thorough=self.copy_is_thorough),
            starter=f"{task}\n{self.imports}{self._code(words, wrong)}",
            solution=f"{answer}{self._code(words, right)}",
        )

    @property
    def _number(self) -> str:
        return self.stem.split("_")[0]

    def _task(self, story: Story, parts: Sequence[str], words: Mapping[str, str]) -> str:
        ends = ";" * (len(parts) - 1) + "."
        listed = [f"- {_filled(part, words)}{end}" for part, end in zip(parts, ends, strict=True)]
        opening = f"`{story.class_name}` {story.does}. {self.opening}"
        head = TASK.format(
            number=self._number,
            headline=self.headline,
            opening=fill(_filled(opening, words), 99),
            parts="\n".join(fill(part, 99, subsequent_indent="  ") for part in listed),
            now=fill(_filled(self.now, words), 99),
            ask=fill(_filled(self.ask, words), 99, initial_indent=" " * 11).lstrip(),
        )
        return head + CHECKED_HERE.format(stem=self.stem)

    def _code(self, words: Mapping[str, str], lines: Mapping[str, Sequence[str]]) -> str:
        return _filled(self.source, {**words, **{gap: "\n".join(lines[gap]) for gap in lines}})

    def _rubric(self, story: Story, asked: Asked) -> Rubric:
        """That of the course's exercise for this module: as many points for the same checks."""
        course = load_rubric(self.stem)
        return replace(
            course,
            class_name=story.class_name,
            recipe=replace(course.recipe, **{"other_arguments": None, **asked.recipe}),
            faults=(),
            tensors=asked.tensors,
            random_outputs=asked.random_outputs,
            names_matter=True,
        )


def one_right(lines: Sequence[DrawnLine], rng: random.Random) -> list[DrawnLine]:
    """The same lines, of which one may be right already, as a distractor."""
    right = rng.choice([None, *lines])
    return [line.as_right if line is right else line for line in lines]


def _filled(text: str, words: Mapping[str, str]) -> str:
    """The text without gaps; what fills one may have gaps itself."""
    return GAP.sub(lambda gap: indent(_filled(words[gap[2]], words), gap[1] or ""), text)
