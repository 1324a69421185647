"""First pages that say, in words, that their company has moved or has another name now."""

from __future__ import annotations

import re

from bizcrawl.companies.facts import PageFacts

MAX_WORDS = 80
"""A page with more words is more than a notice."""
MAX_INNER_LINKS = 1

_MOVED = re.compile(
    r"(?<![^\W_])(?:(?:has|have|we['’]ve) (?:now )?moved|moved to|(?:is|are) now(?! (?:available|open))"
    r"|(?:has|have) been (?:renamed|acquired|merged)|(?:has|have) changed (?:its|our|the) name"
    r"|(?:our|a|its) new name"
    r"|now part of|our new (?:web )?(?:address|home)|umgezogen|umbenannt|umfirmiert|hei(?:ß|ss)t jetzt"
    r"|hei(?:ß|ss)en jetzt|(?:ist|sind) jetzt|unser(?:en?)? neuer? (?:adresse|name)|neuen namen"
    r"|a déménagé|avons déménagé|changé de nom|change de nom|est devenue?|nouvelle adresse|notre nouveau nom"
    r"|hemos mudado|se ha mudado|cambiado de nombre|ahora (?:es|somos)|nuestra nueva dirección"
    r"|ci siamo trasferiti|si è trasferit[ao]|cambiato nome|è diventata|nuovo indirizzo"
    r"|verhuisd|nieuwe naam|heten (?:nu|voortaan)|heet (?:nu|voortaan)|mudamos|mudou de nome|novo endereço"
    r"|har flyttat|har bytt namn|er flyttet|nowy adres|zmieniliśmy nazwę|новый адрес|переехали|переименован)"
    r"(?![^\W_])",
    re.IGNORECASE,
)
_NOT_YET = re.compile(r"coming soon|under construction|launch|in kürze|im aufbau|próximamente", re.IGNORECASE)


def says_moved(page: PageFacts) -> bool:
    """Whether a page is a notice, with hardly anything else on it, that its company is elsewhere now."""
    if page.words > MAX_WORDS or len(page.inner) > MAX_INNER_LINKS:
        return False
    text = f"{page.title}\n{page.opening}"
    return _MOVED.search(text) is not None and not _NOT_YET.search(text)
