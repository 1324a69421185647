"""Names of companies as stock exchanges and securities lists print them.

Such lists cut names short and add the share class, the par value and the currency: ``MASCO CORP.  DL 1``,
``STELLANTIS NV STELLANTIS NV ORD``, ``Trelleborg AB Class B``. Those are read off before names are compared;
what is left is a name like any other.
"""

from __future__ import annotations

import re

_CURRENCIES = frozenset(
    (
        "DL",
        "EO",
        "E0",
        "LS",
        "SK",
        "NK",
        "DK",
        "HD",
        "RP",
        "YC",
        "YN",
        "BA",
        "IS",
        "SF",
        "CD",
        "AD",
        "ND",
        "RB",
        "RC",
        "ZY",
        "TN",
        "KC",
        "UF",
        "PP",
        "SD",
        "MR",
        "TB",
        "CZ",
    )
)
"""Codes that German lists put before a par value."""
_PAR_VALUE = re.compile(
    rf"\s*(?<![^\W\d_]{{3}})(?:{'|'.join(sorted(_CURRENCIES))})\s*-?\s*[,.]?\s*\d[\d,./]*\s*$"
)
_BARE_PAR = re.compile(r"\s+-?[,.]\d{1,6}\s*$|\s*-,\s*\d+\s*$")
_SHARE_CLASS = re.compile(
    r"""(?xi) [\s.,(/-]+ (?:
        o\.?\s?n\.? | inh(?:aber)?\.? | vna | v?na(?:m(?:en)?)?\.? | nam\. | vz(?:o)?\.? | st\.? | port\.?
      | act\.(?:\s?nouv\.)? | bearer | npv | shs | \(?fria\)? | \(?publ\)? | each(?:\s+rep.*)?
      | (?:un)?(?:sp(?:on)?s?(?:ored)?\.?\s*)?(?:adr|ads|gdr|nvdr)s?\)?(?:\s*/\s*[\d,./]+)?(?:\s+\w)?
      | ord(?:inary)?\.?(?:\s+(?:shs?|shares?|npv|regd?))* | common\s+(?:stock|shares?)
      | pref(?:erred|erence)?(?:\s+shares?)? | cl(?:as)?s?\.?\s?[a-d] | class\s+[a-d] | ser(?:ies)?\.?\s?[a-d]
      | reg(?:istered)?\.?\s*s?(?:hs)?(?:\s+\d)? | sub\.(?:\s?vtg)? | subordinate\s+voting\s+shares?
      | dep(?:ositary)?\s+rec(?:eipt)?s?\)?
    ) \s* $"""
)


def without_share_class(text: str) -> str:
    """Take share class, par value and a cut-off repetition off the end of a name; never leaves it empty."""
    name = " ".join(text.split())
    changed = True
    while changed:
        changed = False
        for pattern in (_PAR_VALUE, _BARE_PAR, _SHARE_CLASS):
            shorter = pattern.sub("", name).rstrip(" ,-/(")
            if shorter != name and sum(map(str.isalnum, shorter)) >= 2:
                name, changed = shorter, True
    return _without_repetition(name)


def _without_repetition(name: str) -> str:
    """``BUZZI UNICEM SPA BUZZI UNICEM S`` is one name and the beginning of the same once more."""
    words = name.split()
    for size in range(1, len(words) // 2 + 2):
        first, again = " ".join(words[:size]), " ".join(words[size:])
        if len(again) >= 4 and (first.startswith(again) or first == again):
            return first
    return name
