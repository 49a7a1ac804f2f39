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

TEMPLATES: dict[str, tuple[str, Template]] = {
    stem.split("_")[0]: (stem, draw)
    for stem, draw in (
        (roles.STEM, roles.draw),
        (containers.STEM, containers.draw),
        (in_forward.STEM, in_forward.draw),
        *(
            (template.FRAME.stem, template.draw)
            for template in (measured, batches, leaves, gathered, machines)
        ),
    )
}
