"""How Sphinx builds the site: ``make docs``."""

from __future__ import annotations

import sys
from pathlib import Path

import condped

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE / "_extensions")]

from docs import gallery_settings  # noqa: E402

# Sphinx imports what it documents; these modules have their public names by attribute.
sys.modules |= {"condped.plot": condped.plot, "condped.baselines": condped.baselines}

project = "condped"
author = "The condped authors"
project_copyright = author
version = release = condped.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "myst_parser",
    "sphinx_click",
    "sphinx_copybutton",
    "sphinx_design",
    "commands",
    "signatures",
    "llms",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build"]
templates_path = ["_templates"]
smartquotes = False  # γ' is not a quotation
nitpicky = True

# Of Markdown. Formulas are written in Unicode: no script of another host has to set them.
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4

# Of the code: one page per public name, options with the values they take.
add_module_names = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autosummary_generate = True
# Not every system can have both Effects.html and effects.html.
autosummary_filename_map = {
    f"condped.{name}": f"condped.{name}-result"
    for name in condped.__all__
    if name != name.lower() and name.lower() in condped.__all__
}
numpydoc_show_class_members = False
numpydoc_xref_param_type = False
python_use_unqualified_type_names = True
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# Everything a page needs is beside it: no font, script or style of another host.
html_theme = "pydata_sphinx_theme"
html_title = "condped"
html_static_path = ["_static"]
html_css_files = ["condped.css"]
html_favicon = "_static/favicon.svg"
html_copy_source = False
html_show_sourcelink = False
html_show_sphinx = False
html_last_updated_fmt = None
html_theme_options = {
    "logo": {
        "image_light": "_static/logo.svg",
        "image_dark": "_static/logo-dark.svg",
        "text": "condped",
        "alt_text": "condped, to the start page",
    },
    "navbar_align": "left",
    "navbar_start": ["navbar-logo", "release"],
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button-field"],
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "show_nav_level": 1,
    "navigation_with_keys": False,
    "footer_start": ["footer-release"],
    "footer_end": [],
    "secondary_sidebar_items": ["page-toc"],
}
_ALONE = ("index", "search", "changelog", "cite", "contributing")  # pages of no section
html_sidebars: dict[str, list[str]] = {page: [] for page in _ALONE}

# The gallery, and the pictures of understand/regimes.md: gallery_settings.py. Without executing the
# gallery: sphinx-build -D plot_gallery=0
extensions += ["sphinx_gallery.gen_gallery", "matplotlib.sphinxext.plot_directive"]
exclude_patterns += gallery_settings.EXCLUDED
sphinx_gallery_conf = gallery_settings.SETTINGS
html_css_files += ["gallery.css"]
html_theme_options["secondary_sidebar_items"] = {"**": ["page-toc"], **gallery_settings.WIDE}
plot_formats = [("png", 220)]
plot_html_show_formats = plot_html_show_source_link = False
