"""How the crawler names itself."""

from __future__ import annotations

from bizcrawl import __version__


def user_agent_of(user_agent: str = "", contact: str = "") -> str:
    """The User-Agent field: the name that robots.txt may use, the version, and where to complain."""
    name = user_agent or f"bizcrawl/{__version__}"
    return f"{name} (+{contact})" if contact else name


def product_token(user_agent: str) -> str:
    """The name by which robots.txt speaks of a crawler: first token of its User-Agent, without version."""
    return user_agent.strip().partition(" ")[0].partition("/")[0].lower()
