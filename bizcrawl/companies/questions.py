"""What is asked of a collection: who competes with the known companies, works with them, may be bought."""

from __future__ import annotations

COMPETITORS = "competitors"
PARTNERS = "partners"
ACQUISITIONS = "acquisitions"


def question_of(command: str) -> str:
    """The question of a collection, from the command that made it: competitors, companies, partners or
    acquisitions. A plain crawl is read as a search for competitors.
    """
    head, _, asked = command.partition(" ")
    return asked if head == "discover" and asked else COMPETITORS
