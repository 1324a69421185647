"""Lists within an entry: web site, map and profiles of one company are its details, and no list of companies.

Directories often give each company a list or a table of its own, within its entry or under its name. Who is
listed together there are the companies, in the list that holds all of these.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np

from contexts.blocks import ALIKE
from contexts.links import Link
from contexts.lists import outer_lists
from contexts.tagtree import Ints, TagTree

USUAL_SHARE = 0.5
"""What is linked to in more of a page's lists is a service (a map, a network), and nobody's own site."""
DETAILED_SHARE = 0.6
"""Of the lists within one: so many must be of one company each, else they divide it, as by country."""
_TABLE_BODIES = frozenset({"tbody", "thead", "tfoot"})


def without_details(
    tree: TagTree, links: Sequence[Link], targets: Sequence[str], ids: Ints
) -> tuple[Ints, Ints]:
    """(k,) lists of k links, as `contexts.lists.list_ids` gives them; lists of one company's details are the
    list around them. And (k,) the node of the link's entry there, -1 for others.

    `targets`: what each link leads to, by which companies are told: another site, or a page of this one.
    """
    entries = np.full(len(ids), -1, np.int32)
    own = _own_targets(targets, ids)
    details = {place for place, found in own.items() if len(found) == 1}
    if len(details) < ALIKE:
        return ids, entries
    outer = outer_lists(tree, links, ids)
    within: dict[int, list[int]] = defaultdict(list)
    for place in own:
        if outer.get(place, -1) >= 0:
            within[outer[place]].append(place)
    found = ids.copy()
    for around, places in within.items():
        detailed = [place for place in places if place in details]
        named = {target for place in detailed for target in own[place]}
        if len(named) >= ALIKE and len(detailed) >= DETAILED_SHARE * len(places):
            for place in detailed:
                found[ids == place] = around
                entries[ids == place] = _entry_in(tree, around, place)
    return found, entries


def _entry_in(tree: TagTree, around: int, place: int) -> int:
    """The entry of a list in which another list stands: what is right below it or, in a table, the row."""
    entry = at = place
    while (at := int(tree.parent[at])) not in {around, -1}:
        if tree.tag(at) not in _TABLE_BODIES:
            entry = at
    return entry


def _own_targets(targets: Sequence[str], ids: Ints) -> Mapping[int, set[str]]:
    """What each list leads to, without that to which most lists do."""
    led_to: dict[int, set[str]] = defaultdict(set)
    for target, place in zip(targets, ids.tolist(), strict=True):
        if place >= 0:
            led_to[place].add(target)
    times = Counter(target for found in led_to.values() for target in found)
    usual = max(ALIKE - 1, USUAL_SHARE * len(led_to))
    return {place: {target for target in found if times[target] <= usual} for place, found in led_to.items()}
