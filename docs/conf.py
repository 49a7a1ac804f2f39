"""The site: each page and notebook where it lies, so that links work as in the repository."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))  # for course_site

project = "Where's My Tensor?"
author = "The Where's My Tensor? authors"
project_copyright = f"2026, {author}"

extensions = [
    "course_site",
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.doctest",
    "sphinx.ext.napoleon",
]
root_doc = "docs/index"
exclude_patterns = ["docs/changelog.d"]
include_patterns = ["docs/**.md", "notebooks/*.ipynb", "CONTRIBUTING.md", "CHANGELOG.md"]

# The stored outputs are what nbval holds the notebooks to: nothing runs here.
nb_execution_mode = "off"
nb_code_prompt_show = "Show what it does"
nb_code_prompt_hide = "Hide what it does"
# A widget is shown where there is a kernel; here its text form takes its place.
nb_mime_priority_overrides = [
    ("html", "application/vnd.jupyter.widget-view+json", None),
    ("html", "text/html", 0),
]
myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]
suppress_warnings = ["mystnb.unknown_mime_type"]

# An example's addresses, and this repository's own, which hold once it is published.
linkcheck_ignore = [r".*/OWNER/.*", r"https?://(HUB|localhost|127\.0\.0\.1)\b.*"]
linkcheck_timeout = 20

default_role = "code"  # docstrings quote code as Markdown does
autodoc_typehints = "description"
autodoc_member_order = "bysource"

html_theme = "furo"
html_title = project
html_extra_path = ["site"]
html_show_sphinx = False
html_copy_source = False
# The colours of the notebooks' widgets: tools/course_site/static/course.css.
html_theme_options = {
    "light_css_variables": {
        "font-stack": 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
        "color-brand-primary": "#1f2328",
        "color-brand-content": "#0b57d0",
        "color-brand-visited": "#6b2fa0",
    },
    "dark_css_variables": {
        "color-brand-primary": "#e6e6e6",
        "color-brand-content": "#8ab4f8",
        "color-brand-visited": "#d6b0ff",
        "color-background-primary": "#111111",
    },
}
