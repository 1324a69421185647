"""What a site may be: a company, or one of the many things that are found beside companies."""

from __future__ import annotations

from enum import StrEnum


class SiteKind(StrEnum):
    """What a site is held to be; the values stand in `hosts.verdict` and `companies.kind`."""

    COMPANY = "company"
    UNSEEN = "unseen"
    """Known from links alone: probably a company if lists name it, to be verified."""
    UNKNOWN = "unknown"
    """Visited, and says too little of itself."""
    DIRECTORY = "directory"
    ASSOCIATION = "association"
    EVENT = "event"
    """A trade fair, a conference."""
    MEDIA = "media"
    EXCHANGE = "exchange"
    """A stock exchange."""
    PERSONAL = "personal"
    PUBLIC = "public"
    """An authority, a university, a school."""
    SOCIAL = "social"
    """A network or a forum."""
    MARKETPLACE = "marketplace"
    PLATFORM = "platform"
    """A host of other people's sites."""
    FARM = "farm"
    """It trades links."""
    PARKED = "parked"
    DEAD = "dead"
    """Nobody lives there."""

    @property
    def may_be_company(self) -> bool:
        """Whether such a site may be ranked as a company."""
        return self in {SiteKind.COMPANY, SiteKind.UNSEEN, SiteKind.UNKNOWN}

    @property
    def is_hub(self) -> bool:
        """Whether the lists of such a site name companies for a purpose of their own."""
        return self in {SiteKind.DIRECTORY, SiteKind.ASSOCIATION, SiteKind.EVENT, SiteKind.MEDIA}

    @property
    def lists_anybody(self) -> bool:
        """Whether the lists of such a site don't go by business."""
        return self in _LISTING_ANYBODY


_LISTING_ANYBODY = frozenset(
    {
        *(SiteKind.EXCHANGE, SiteKind.FARM, SiteKind.PARKED, SiteKind.SOCIAL),
        *(SiteKind.MARKETPLACE, SiteKind.PERSONAL, SiteKind.PUBLIC),
    }
)
