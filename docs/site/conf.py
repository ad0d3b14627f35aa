"""The site that `make docs` builds: README, docs/ and results/ as they lie in the repository, so that
links between them hold here and there, and the headers as Doxygen reads them."""
import os
import re

from sphinx.errors import ExtensionError

project = "wac"
extensions = ["myst_parser", "breathe"]
root_doc = "README"
include_patterns = ["README.md", "CHANGELOG.md", "docs/*.md", "docs/site/*.md", "results/*.md"]
myst_heading_anchors = 4
nitpicky = True
# C's own words, and the structures that headers only name
nitpick_ignore_regex = [("c:identifier", "u?int[0-9]+_t|size_t|bool|wac_(agent|run)")]
breathe_projects = {"wac": os.environ["WAC_DOXYGEN"]}
breathe_default_project = "wac"
breathe_domain_by_extension = {"h": "c"}
breathe_show_include = False
html_theme = "furo"
html_title = "wac"
html_static_path = ["wide.css"]
html_css_files = ["wide.css"]
highlight_language = "text"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False

PAGES = {
    "First steps": ["docs/tables", "docs/suite", "docs/choosing", "docs/settings", "docs/metrics", "docs/format", "docs/render",
                    "docs/watch", "docs/reading-runs"],
    "Worlds of one's own": ["docs/own-models", "docs/own-environments", "docs/gymnasium"],
    "Studies": ["docs/sweeps", "docs/experiments", "docs/statistics", "docs/results",
                "results/README"],
    "In use elsewhere": ["docs/shipping", "docs/lockstep", "docs/speed"],
    "Trust": ["docs/verify", "docs/deviations", "docs/trust"],
    "Inside": ["docs/architecture", "docs/site/api", "CHANGELOG"],
}
LINK = re.compile(r"\[([^][]*)\]\(([^()\s]+)\)")


def contents():
    """The table of contents; pages that it does not name come last."""
    named = {page for pages in PAGES.values() for page in pages}
    rest = sorted("docs/" + name[:-3] for name in os.listdir("docs")
                  if name.endswith(".md") and "docs/" + name[:-3] not in named)
    for caption, pages in {**PAGES, "More": rest}.items():
        if pages:
            yield f"```{{toctree}}\n:hidden:\n:caption: {caption}\n\n" + "\n".join(pages) + "\n```\n"


def prepare(app, name, source):
    """Links to what is no page (a folder, a program) become their words; README gets the contents."""
    def follow(link):
        path = os.path.join(os.path.dirname(name), link[2].split("#")[0])
        if link[2].startswith(("http", "#")) or path.endswith((".md", ".png", ".gif")):
            return link[0]
        if not os.path.exists(path):
            raise ExtensionError(f"{name}.md: there is no {path}")
        return link[1]

    source[0] = LINK.sub(follow, source[0])
    if name == root_doc:
        source[0] += "\n" + "\n".join(contents())


def setup(app):
    app.connect("source-read", prepare)
