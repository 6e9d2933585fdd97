"""The documentation as a site: `make docs`."""

import os

project = "petrio"
author = "petrio"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["notebooks/*.py"]
root_doc = "index"
html_theme = "furo"
html_title = "petrio"
html_static_path: list[str] = []
# Headings that links of the pages name.
myst_heading_anchors = 4
myst_enable_extensions = ["colon_fence"]
# A notebook that fails fails the site.
nb_execution_mode = os.environ.get("PETRIO_NOTEBOOKS", "auto")
nb_execution_timeout = 600
nb_execution_raise_on_error = True
autodoc_member_order = "bysource"
# Scenarios are TOML; transcripts of shells and sketches are nothing that could be coloured.
highlight_language = "text"
suppress_warnings = ["misc.highlighting_failure", "myst.xref_missing", "myst.header"]
