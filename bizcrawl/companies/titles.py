"""What a page says of itself at its top: title, heading, language, meta elements, first paragraph."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from contexts.tagtree import TagTree
from contexts.text import is_unspaced

MAX_TITLE_CHARS = 300
MIN_LEAD_CHARS, MAX_LEAD_CHARS = 60, 400
MAX_LEAD_LINKS = 2
"""A paragraph with more links leads elsewhere; it does not say what the site is."""
LEAD_PARAGRAPHS = 30
"""So many are looked at for the first that says something."""
_NOTICE = re.compile(
    r"\bcookies?\b.{0,200}?\b(?:accept|agree|allow|browser|consent|manage|polic|preferenc|privacy|setting|"
    r"experience|akzept|datenschutz|einwillig|einverstanden|verwend|accord|politique|préférenc|utilis|acept|"
    r"polític|privacidad|utiliz|accett|informativa|gebruik|toestemming|samtyck|använd)"
    r"|\b(?:accept|consent|use|uses|using|verwenden?|utilis\w+|utiliz\w+|usa(?:mos)?)\b.{0,60}?\bcookies\b",
    re.IGNORECASE | re.DOTALL,
)
"""What a page says of cookies to whoever opens it, which says nothing of its company."""


def metas_of(tree: TagTree) -> dict[str, str]:
    """Contents of meta elements by name or property, lower case; the first of each."""
    found: dict[str, str] = {}
    for node in tree.nodes_named("meta"):
        attributes = tree.attributes.get(int(node))
        if not attributes or "content" not in attributes:
            continue
        name = attributes.get("property") or attributes.get("name") or ""
        if name:
            found.setdefault(name.strip().lower(), " ".join(attributes["content"].split()))
    return found


def title_of(tree: TagTree) -> str:
    """Text of the title element, white space folded."""
    return _first_text(tree, ("title",))[:MAX_TITLE_CHARS]


def heading_of(tree: TagTree) -> str:
    """Text of the first h1 or, without one, the first h2; white space folded."""
    return _first_text(tree, ("h1", "h2"))[:MAX_TITLE_CHARS]


def language_of(tree: TagTree) -> str:
    """Primary subtag of the page's language as its html element says it; "" if it says none."""
    attributes = tree.attributes.get(0) or {}
    tag = (attributes.get("lang") or attributes.get("xml:lang") or "").strip().lower()
    primary = re.split(r"[-_]", tag)[0]
    return primary if primary.isalpha() and len(primary) in (2, 3) else ""


def lead_of(tree: TagTree) -> str:
    """Text of the first paragraph that is long enough, has few links and is no notice on cookies."""
    anchors = tree.nodes_named("a")
    for node in tree.nodes_named("p")[:LEAD_PARAGRAPHS].tolist():
        text = " ".join(tree.text_below(node).split())
        below = np.searchsorted(anchors, [node, tree.end[node]])
        if _says_enough(text) and below[1] - below[0] <= MAX_LEAD_LINKS:
            text = text[:MAX_LEAD_CHARS]
            if not _NOTICE.search(text):
                return text
    return ""


def _says_enough(text: str) -> bool:
    """Whether a paragraph is long enough; without spaces between words a character says as much as two."""
    return 2 * len(text) >= MIN_LEAD_CHARS and len(text) + sum(map(is_unspaced, text)) >= MIN_LEAD_CHARS


def _first_text(tree: TagTree, names: Sequence[str]) -> str:
    """Text of the first element with text among the first kind of element that the page has."""
    for name in names:
        for node in tree.nodes_named(name)[:5]:
            if text := tree.text_below(int(node)):
                return " ".join(text.split())
    return ""
