"""The exercises of which variants can be drawn: one file for each, with one `draw` function."""

from grader.course.templates import (
    batches,
    containers,
    gathered,
    in_forward,
    leaves,
    machines,
    measured,
    roles,
)
from grader.course.templates.variant import Template

ALL = (measured, roles, containers, in_forward, batches, leaves, gathered, machines)
TEMPLATES: dict[str, tuple[str, Template]] = {
    template.FRAME.stem.split("_")[0]: (template.FRAME.stem, template.draw) for template in ALL
}
