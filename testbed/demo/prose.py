"""Sentences for the pages of the demo web, drawn from the words of a business."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from testbed.demo.names import Business, Company

_SPECIFIC = (
    "{brand} makes {p1} and {p2} for {c1}.",
    "Our {p1} are built in {town} and shipped to {c1} and {c2} all over the world.",
    "{name} has been at home in {trade} for three generations.",
    "From {p1} to {p2}: {brand} is your partner for {trade}.",
    "New in our range: {p1} with touch control.",
    "We repair and overhaul {p1} of every make.",
    "{p1}, {p2} and {p3} are available from stock.",
    "Ask for our catalogue of {p1}.",
    "Every year more than two hundred {c1} choose our {p1}.",
)
_PLAIN = (
    "Quality and service come first with us.",
    "Our house is certified according to ISO 9001.",
    "A family firm with sixty people and one dog.",
    "The office is closed on public holidays.",
    "Ask for a quotation, we answer within two working days.",
    "All prices are without VAT and ex works.",
    "Spare parts leave our stores on the day of your order.",
    "Visitors are welcome; please make an appointment.",
    "This site is best viewed at 800 by 600.",
    "Read our terms of delivery before you order.",
    "We are looking for apprentices for the coming year.",
    "Training takes place on our premises or at your works.",
)
_CHATTER = (
    "Last weekend it rained and I stayed at home with a good book.",
    "Comments are closed, but you can write to me.",
    "Thanks to everybody who sent pictures.",
    "More on this next month, if time permits.",
    "I wrote about this before and still think the same.",
    "The train was late, the cake was good.",
    "Nobody pays me for what I say here.",
    "My neighbour disagrees with nearly all of it.",
)
_LOCAL = {
    "Germany": "Willkommen bei {brand} in {town}. Wir liefern weltweit und beraten Sie gern.",
    "Austria": "Grüß Gott bei {brand} in {town}! Über uns und unsere Geschäfte.",
    "France": "Bienvenue chez {brand} à {town}. Qualité et savoir-faire depuis trois générations.",
    "Italy": "Benvenuti da {brand}, {town}. La qualità è la nostra passione.",
    "Spain": "Bienvenidos a {brand}, {town}. Más de treinta años de experiencia.",
    "Poland": "Witamy w {brand}, {town}. Jakość i obsługa.",
    "Turkey": "{brand}, {town}. Kalite ve güvenilir hizmet, müşteri memnuniyeti.",
    "Russia": "Добро пожаловать на сайт {brand}. Мы работаем с {town} и всей страной.",
    "Japan": "{brand}へようこそ。品質とサービスを大切にしています。",
    "China": "欢迎访问{brand}。我们的产品销往世界各地。",
}


def about_company(rng: Random, company: Company, business: Business, number: int) -> list[str]:
    """Sentences of a company about itself, in the words of its business."""
    return [
        _SPECIFIC[i].format(
            **_words(rng, business), brand=company.brand, name=company.name, town=company.town
        )
        for i in rng.sample(range(len(_SPECIFIC)), min(number, len(_SPECIFIC)))
    ]


def description(rng: Random, business: Business) -> str:
    """What a directory says of a company."""
    words = _words(rng, business)
    return rng.choice(
        (
            f"Makers of {words['p1']} and {words['p2']}.",
            f"Offers {words['p1']} for {words['c1']}.",
            f"Supplier in {words['trade']}. Includes {words['p1']}, contact and news.",
        )
    )


def plain(rng: Random, number: int) -> list[str]:
    """Sentences that any company could write."""
    return rng.sample(_PLAIN, number)


def chatter(rng: Random, number: int) -> list[str]:
    """Sentences that anybody could write."""
    return rng.sample(_CHATTER, number)


def welcome(company: Company) -> str:
    """A greeting in the language of the country; "" where that is English."""
    return _LOCAL.get(company.country, "").format(brand=company.brand, town=company.town)


def listed(words: Sequence[str]) -> str:
    """Words as a sentence lists them: ``a, b and c``."""
    return " and ".join((", ".join(words[:-1]), words[-1])) if len(words) > 1 else "".join(words)


def _words(rng: Random, business: Business) -> dict[str, str]:
    p1, p2, p3 = rng.sample(business.products, 3)
    c1, c2 = rng.sample(business.customers, 2)
    return {"p1": p1, "p2": p2, "p3": p3, "c1": c1, "c2": c2, "trade": rng.choice(business.trades)}
