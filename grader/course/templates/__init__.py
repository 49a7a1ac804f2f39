"""The exercises of which variants can be drawn: one file for each, with one `draw` function."""

from grader.course.templates import containers, in_forward, roles
from grader.course.templates.variant import Template

TEMPLATES: dict[str, tuple[str, Template]] = {
    stem.split("_")[0]: (stem, draw)
    for stem, draw in (
        (roles.STEM, roles.draw),
        (containers.STEM, containers.draw),
        (in_forward.STEM, in_forward.draw),
    )
}
