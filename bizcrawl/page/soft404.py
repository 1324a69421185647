"""Pages that say "not found" with status 200. They are marked, not turned away: the words may be wrong."""

from __future__ import annotations

import re
from typing import Final

MAX_TEXT_CHARS: Final = 1_500
"""A page with more text than this says more than that something is missing."""
_FEW_CHARS: Final = 300

_PHRASES: Final = re.compile(
    r"(?:page|file|document|url|article|item|product|seite|site|página|pagina|sida|side|strona|stránka)"
    r"\W+(?:\w+\W+){0,4}?"
    r"(?:not (?:be )?found|(?:can|could)(?: ?not|n?['’]t) be found|does(?: not|n.t) exist"
    r"|no longer (?:exists|available)|missing|nicht (?:mehr )?gefunden|existiert (?:\w+ )?nicht|introuvable"
    r"|n.existe (?:pas|plus)|n.a pas été trouvée?|no (?:fue |ha sido |se )?encontr(?:ada|ó)"
    r"|(?:no|não|non) existe|não (?:foi )?encontrada|non (?:è stata )?trovata|non esiste"
    r"|niet gevonden|bestaat niet|hittades inte|finns inte|(?:ikke|blev ikke) fundet|findes ikke"
    r"|nie (?:została )?znaleziona|nie znaleziono|nie istnieje|nenalezena|nebyla nalezena|neexistuje)"
    r"|(?:страниц[аы]|сторінк[аиу])\W+(?:\w+\W+){0,4}?(?:не (?:был[ао] )?"
    r"(?:найден|существует|знайден|існує|намерена)|удалена|видалена)"
    r"|такой страницы (?:не существует|нет)|такої сторінки не існує|sayfa bulunamadı|az oldal nem található"
    r"|η σελίδα δεν (?:βρέθηκε|υπάρχει)|الصفحة (?:\w+ ){0,4}?غير موجودة|لم يتم العثور على (?:هذه )?الصفحة"
    r"|(?:הדף|העמוד) (?:\w+ ){0,4}?(?:לא נמצא|אינו קיים)"
    r"|ページ(?:は|が)(?:見つかりません|みつかりません|見当たりません|存在しません|ありません|削除され)"
    r"|(?:页面|网页|頁面|網頁)[^\w。]{0,3}\w{0,8}(?:不存在|未找到|找不到|没有找到|已(?:被)?删除|已(?:被)?刪除)"
    r"|(?:找不到|无法找到|未找到)\w{0,8}(?:页面|网页|頁面|網頁)|페이지(?:를|가)? (?:찾을 수 없|존재하지 않)"
    r"|(?:can|could)(?: ?not|n?['’]t) find (?:(?:the|that|this|your) )?(?:page|file|product|article)"
    r"|(?:error|fehler|erreur|erro|errore|ошибка|помилка)\W*404|404\W+(?:not found|error|fehler|page)"
    r"|^\W*not found\W*$",
    re.IGNORECASE | re.MULTILINE,
)


def says_missing(title: str, heading: str, text: str) -> bool:
    """Whether an HTML page is an error page in disguise, by its title, first heading and whole text.

    Both must hold: a phrase such as "page not found" in the title or the heading (anywhere in a page of few
    words), and little text besides. An article about such errors is long, so it is not taken for one.
    """
    if len(text) > MAX_TEXT_CHARS:
        return False
    if _PHRASES.search(title) or _PHRASES.search(heading):
        return True
    return len(text) <= _FEW_CHARS and _PHRASES.search(text) is not None
