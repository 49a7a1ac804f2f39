"""What a reader did on the site: where it is summed up, taken along and forgotten."""

from __future__ import annotations

from course_site.mounting import mount, template
from markupsafe import Markup


def progress() -> Markup:
    return mount("progress", inside=template("progress.html"))
