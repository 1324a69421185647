"""URLs that were dealt with, in 16 to 32 bytes each.

A crawl never forgets what it has fetched. Kept as text in a set, a URL takes two hundred bytes, and after
some million pages that is most of what the crawl holds. Only whether a URL is among them is ever asked, and
for that 64 bits of it are enough.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable


class SeenUrls:
    """A set of URLs that can't be listed.

    It holds the hash with which Python's own dictionaries look for a string: SipHash, with a secret that is
    new for every process, so nobody can make up URLs that collide. That of ten million URLs any two do has a
    chance of one in 370,000.
    """

    def __init__(self, urls: Iterable[str] = ()) -> None:
        self._size = 0
        self._table = array("q", bytes(8 * 1024))
        """Open addressing; 0 is a free place. At most half are taken."""
        self.update(urls)

    def __contains__(self, url: str) -> bool:
        table = self._table
        wanted, mask = hash(url) or 1, len(table) - 1
        place = wanted & mask
        while found := table[place]:
            if found == wanted:
                return True
            place = (place + 1) & mask
        return False

    def __len__(self) -> int:
        return self._size

    def add(self, url: str) -> None:
        """Put in a URL."""
        if self._put(hash(url) or 1):
            self._size += 1
            if 2 * self._size > len(self._table):
                self._grow()

    def update(self, urls: Iterable[str]) -> None:
        """Put in many."""
        for url in urls:
            self.add(url)

    def _put(self, number: int) -> bool:
        """Find a place for a hash; False if it has one."""
        table, mask = self._table, len(self._table) - 1
        place = number & mask
        while found := table[place]:
            if found == number:
                return False
            place = (place + 1) & mask
        table[place] = number
        return True

    def _grow(self) -> None:
        before = self._table
        self._table = array("q", bytes(16 * len(before)))
        for number in filter(None, before):
            self._put(number)
