"""Where the two tidiers are known to differ: html5lib 1.1 follows the standard of 2020, lexbor that of today.

Each construct is looked for in lexbor's tree while it is walked. A page that has one takes html5lib's road.
"""

from __future__ import annotations

import re

import numpy as np

from contexts.guard.deep_formatting import closes_from_deep_within
from contexts.guard.foreign import FOREIGN_NAMESAKES, leaves_foreign_otherwise
from contexts.guard.forgotten import may_close_another
from contexts.guard.selects import selects_differ
from contexts.guard.space import reopens_on_space
from contexts.guard.tables import tables_differ
from contexts.guard.templates import templates_are_plain
from contexts.guard.young_blocks import ends_beyond_young_block
from contexts.listed import Listed
from contexts.markup import YOUNG

_DOUBTFUL_TAGS = """
    isindex menuitem frameset search rb rtc command dialog math:annotation-xml mglyph malignmark foreignobject
"""
DOUBTFUL = FOREIGN_NAMESAKES.union(_DOUBTFUL_TAGS.split())
"""Tags that only one of them knows, or treats in its own way."""


def may_differ(listed: Listed, source: bytes) -> bool:
    """Whether a page has a construct of which html5lib may make another tree."""
    present = frozenset(listed.names.values())
    return (
        not DOUBTFUL.isdisjoint(present)
        or ("select" in present and selects_differ(listed, source))
        or reopens_on_space(listed, source)
        or ("template" in present and not templates_are_plain(listed, source.decode()))
        or leaves_foreign_otherwise(listed, source)
        or closes_from_deep_within(listed, source)
        or may_close_another(listed)
        or (not YOUNG.isdisjoint(present) and ends_beyond_young_block(listed, source))
        or ("table" in present and tables_differ(listed, source))
        or ("br" in present and _may_have_frames(listed, source))
    )


_BODY_AND_BREAKS = frozenset({"body", "br"})
_FRAMESET = re.compile(rb"<(?i:frameset)(?=[\s/>])")


def _may_have_frames(listed: Listed, source: bytes) -> bool:
    """Whether a page begins with a line break and has frames: html5lib takes them after ``</br>`` too."""
    n_leaves = np.searchsorted(listed.leaves, listed.find(_BODY_AND_BREAKS)[:2])
    return bool((n_leaves == n_leaves[0]).all()) and _FRAMESET.search(source) is not None
