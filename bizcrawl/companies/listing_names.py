"""Names of companies as stock exchanges and securities lists print them.

Such lists cut names short and add the share class, the par value and the currency: ``MASCO CORP.  DL 1``,
``STELLANTIS NV STELLANTIS NV ORD``, ``Trelleborg AB Class B``. Those are read off before names are compared;
what is left is a name like any other.
"""

from __future__ import annotations

import re

_CURRENCY = "DL|EO|E0|LS|SK|NK|DK|HD|RP|YC|YN|BA|IS|SF|CD|AD|ND|RB|RC|ZY|TN|KC|UF|PP|SD|MR|TB|CZ"
"""Codes that German lists put before a par value."""
_PAR_VALUE = re.compile(rf"\s*(?<![^\W\d_]{{3}})(?:{_CURRENCY})\s*-?\s*[,.]?\s*\d[\d,./]*\s*$")
_BARE_PAR = re.compile(r"\s+-?[,.]\d{1,6}\s*$|\s*-,\s*\d+\s*$")
_SHARE_CLASS = re.compile(  # of repeated words each is read in one way alone: else every one doubles the time
    r"""(?xi) (?<![\s.,(/-]) [\s.,(/-]++ (?:
        o\.?\s?n\.? | inh(?:aber)?\.? | vna | v?na(?:m(?:en)?)?\.? | nam\. | nom\. | vz(?:o)?\.? | st\.?
      | port\.? | act\.(?:\s?nouv\.)? | bearer | npv | shs? | \(?fria\)? | \(?publ\)? | each(?:\s+rep.*)?
      | \(?new\)? | regr | dssg | uns\.? | -?\s?foreign
      | (?:un)?(?:sp(?:on)?s?(?:ored)?\.?\s*)?(?:adr|ads|gdr|nvdr)s?\)?(?:\s*/?\s*[\d,./]+)?(?:\s+\w)?
      | ord(?:inary)?\.?(?:\s+(?:s|shs?|shares?|npv|regd?))* | common\s+(?:stock|shares?)
      | pref(?:erred|erence)?(?:\s+shares?)? | pfd(?:\s[a-h])? | cl(?:as)?s?\.?\s?[a-h] | class\s+[a-h]
      | ser(?:ies)?\.?\s?[a-h] | reg(?:istered)?\.?\s*s?(?:hs)?(?:\s+\d)? | sub(?:div)?\.(?:\s?vtg)?
      | subordinate\s+voting\s+shares? | dep(?:ositary)?\s+rec(?:eipt)?s?\)?
    ) \s* $"""
)
_CLASS_LETTER = re.compile(r"[\s.-]+[A-H]$")
_CUT_LEGAL_FORM = re.compile(
    r"\s(?:L|Li|Lim|Limi|Limit|Limite|I|In|Inc|Inco\w*|C|Co|Cor|Corp\w*)$", re.IGNORECASE
)
CUT_AT_CHARS = (28, 32)
"""Lists cut names at 30 characters or thereabouts."""


def without_share_class(text: str) -> str:
    """Take share class, par value and a cut-off repetition off the end of a name; never leaves it empty."""
    name = " ".join(text.split())
    if CUT_AT_CHARS[0] <= len(name) <= CUT_AT_CHARS[1]:
        name = _CUT_LEGAL_FORM.sub("", name)
    has_par = False
    changed = True
    while changed:
        changed = False
        patterns = [_PAR_VALUE, _BARE_PAR, _SHARE_CLASS, *([_CLASS_LETTER] if has_par else [])]
        for pattern in patterns:
            shorter = pattern.sub("", name).rstrip(" ,-/(")
            if shorter != name and sum(map(str.isalnum, shorter)) >= 2:
                has_par = has_par or pattern is _PAR_VALUE or pattern is _BARE_PAR
                name, changed = shorter, True
    return _without_repetition(name)


def _without_repetition(name: str) -> str:
    """``BUZZI UNICEM SPA BUZZI UNICEM S`` is one name and the beginning of the same once more."""
    words = name.split()
    if not words or len(words[0]) < 3:
        return name
    for at in range(1, len(words)):
        again = words[at] == words[0] or (at == len(words) - 1 and at > 1 and _begins(words[at], words[0]))
        if again and " ".join(words[at:])[:6] == name[: len(" ".join(words[at:]))][:6]:
            return " ".join(words[:at])
    return name


def _begins(word: str, whole: str) -> bool:
    return len(word) >= 4 and whole.startswith(word)
