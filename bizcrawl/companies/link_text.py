"""The name of a company in the text of a link to it: without the words by which pages say that it is a link.

``Visit Acorn's website``, ``Acorn logo``, ``3. Acorn`` and ``Acorn (opens in a new tab)`` all name Acorn.
"""

from __future__ import annotations

import re

_SITE = r"(?:official\s+|offizielle[nr]?\s+)?(?:web\s?site|web\s?seite|home\s?page|internetseite|site|logo)"
_OF = r"(?:of|von|der|des|de|du|di|del|della|voor|van)"
_BEFORE = re.compile(
    rf"""(?xi)^(?:
        [#(]?\d{{1,3}}[.):]\s+ | \#\d{{1,3}}\s+
      | (?:external\s+link|externer\s+link|lien\s+externe)\s*[:–-]?\s+
      | (?:visit|go\s+to|link\s+to|open|view|zum?r?|besuchen\s+sie|visiter?|visita|bezoek)\s+
        (?:the\s+|die\s+|le\s+|il\s+)?{_SITE}\s+{_OF}\s+(?:the\s+)?
      | (?:visit|go\s+to|link\s+to)\s+
      | {_SITE}\s+{_OF}\s+
      | (?:sitio|p[áa]gina|site|sito)\s+(?:web\s+|internet\s+)?{_OF}\s+
      | (?:company\s+|firmen)?logo\s*[:–-]?\s+
    )"""
)
_AFTER = re.compile(
    r"""(?xi)(?:
        \s*[(\[–-]?\s*(?:(?:external\s+link|externer\s+link)\s*[,;:–-]?\s*)?
        (?:(?:this\s+link\s+)?(?:will\s+)?opens?|öffnet|s[’']ouvre|se\s+abre|si\s+apre)\s.{0,30}
        (?:window|tab|fenster|fenêtre|onglet|ventana|pestaña|finestra|scheda)\s*[)\]]?
      | \s*[(\[]\s*(?:external\s+link|externer\s+link|lien\s+externe)\s*[)\]]
      | (?:[’']s)?\s+[–-]?\s*(?:official\s+)?(?:company\s+)?(?:web\s?site|home\s?page|logo(?:type)?)
      | [\s»›→↗⧉>]+
    )$"""
)
_MAX_TAKEN = 4
"""So many of these words stand around one name."""


def name_in(text: str) -> str:
    """The text of a link without what is around the name; as it is where nothing would be left."""
    name = " ".join(text.split())
    for _ in range(_MAX_TAKEN):
        bare = _AFTER.sub("", _BEFORE.sub("", name))
        if bare == name or not re.search(r"\w", bare):
            break
        name = bare
    return f"{name}»" if name.count("«") > name.count("»") else name
