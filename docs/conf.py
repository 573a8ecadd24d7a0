"""How the documentation site is built: python -m sphinx -W docs build/site (extra ``docs``; no network is needed)."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from salad_sim import __version__

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))
known = importlib.import_module("known_answers")

project = "salad-sim"
author = "the authors of salad-sim"
version = release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["examples/*"]
html_theme = "furo"
html_title = "salad-sim"
html_copy_source = False
html_extra_path: list[str] = []
default_role = "code"
myst_heading_anchors = 4
autodoc_typehints = "none"
napoleon_numpy_docstring = True
napoleon_google_docstring = False
napoleon_use_ivar = True
# links out of the documents into the repository; csv, which has no colours
suppress_warnings = ["myst.xref_missing", "misc.highlighting_failure"]


def setup(app: object) -> None:
    """Write the pages that are computed: what is known, and every public name."""
    (DOCS / "known.md").write_text(known.page(), encoding="utf-8")
    (DOCS / "api.md").write_text(known.api(), encoding="utf-8")
