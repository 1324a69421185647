"""Where links may lead (``--scope``) and what is never fetched (``--exclude``): pure questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from bizcrawl.errors import WrongUse
from bizcrawl.reasons import ALLOWED, Reason, Ruling
from bizcrawl.text_files import spelled_out
from bizcrawl.urls import domain_of, host_of, key_of, parse

_COLUMNS = ("url", "host", "domain")
"""Those of a file of exclusions: whoever excludes a company must say which of its hosts."""
_NO_HOST = frozenset("/\\?#@")
"""Such an entry is more than a host's name: all of the host would be turned away for one page of it."""
_OUTSIDE = Ruling(Reason.OUT_OF_SCOPE, "its host is outside the scope")
"""Shared: most links of many pages lead outside."""
_ELSEWHERE = Ruling(Reason.OUT_OF_SCOPE, "its path is outside the section")


class Reach(StrEnum):
    """How far from its seeds a crawl may go."""

    ANY = "any"
    SITE = "site"
    """Hosts under the registrable domains of the seeds."""
    HOST = "host"
    """The very hosts of the seeds."""
    SECTION = "section"
    """The folders of the seeds and what is below them."""


@dataclass(frozen=True, slots=True)
class Scope:
    """The hosts that a crawl may visit, and the folders on them."""

    reach: Reach = Reach.ANY
    within: frozenset[str] = frozenset()
    """Hosts, or registrable domains, of the seeds; unused for `Reach.ANY`."""
    sections: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Folders by host, without the slash at their end; for `Reach.SECTION` alone."""

    @classmethod
    def around(cls, seeds: Iterable[str], reach: Reach | str = Reach.ANY) -> Scope:
        """The scope that the seeds span."""
        reach = Reach(reach)
        folders: dict[str, tuple[str, ...]] = {}
        for seed in seeds:
            host = host_of(seed)
            folders[host] = (*folders.get(host, ()), _folder(_path(seed)))
        within = frozenset(map(domain_of, folders) if reach is Reach.SITE else folders)
        return cls(reach, within, folders if reach is Reach.SECTION else {})

    def host_ruling(self, url: str) -> Ruling:
        """Whether the host of a URL lies within, whatever its path."""
        if self.reach is Reach.ANY:
            return ALLOWED
        host = host_of(url)
        place = domain_of(host) if self.reach is Reach.SITE else host
        return ALLOWED if place in self.within else _OUTSIDE

    def ruling(self, url: str) -> Ruling:
        """Whether a URL lies within."""
        ruling = self.host_ruling(url)
        if self.reach is not Reach.SECTION or not ruling:
            return ruling
        path = _path(url)
        inside = any(f"{path}/".startswith(f"{folder}/") for folder in self.sections[host_of(url)])
        return ALLOWED if inside else _ELSEWHERE


@dataclass(frozen=True, slots=True)
class Exclusions:
    """URLs and hosts that are never fetched, however they are reached."""

    keys: frozenset[str] = frozenset()
    """`key_of` each excluded URL."""
    hosts: frozenset[str] = frozenset()
    domains: frozenset[str] = frozenset()
    """Written with a leading dot: a domain and every host below it."""

    @classmethod
    def of(cls, entries: Iterable[str]) -> Exclusions:
        """Read what ``--exclude`` was given: URLs, hosts, ``.domains``, and ``@FILE`` with one of these a
        line.

        Raises `WrongUse` for an entry that is none of them and for a file that cannot be read.
        """
        keys: set[str] = set()
        hosts: set[str] = set()
        domains: set[str] = set()
        for entry in exclusions_listed(entries):
            if "://" in entry:
                if (url := parse(entry)) is None:
                    raise WrongUse(f"--exclude {entry}: not an http or https URL")
                keys.add(key_of(url))
            elif (host := host_of(f"http://{entry.lstrip('.')}/")) and _NO_HOST.isdisjoint(entry):
                (domains if entry.startswith(".") else hosts).add(host)
            else:
                raise WrongUse(
                    f"--exclude {entry}: neither a URL nor a host name; a URL begins with https://"
                )
        return cls(frozenset(keys), frozenset(hosts), frozenset(domains))

    def ruling(self, url: str) -> Ruling:
        """Whether a URL may be fetched."""
        if not (self.keys or self.hosts or self.domains):
            return ALLOWED
        if self.keys and key_of(url) in self.keys:
            return Ruling(Reason.EXCLUDED, "this URL is excluded")
        host = host_of(url)
        if host in self.hosts or (self.domains and not self.domains.isdisjoint(_and_above(host))):
            return Ruling(Reason.EXCLUDED, f"{host} is excluded")
        return ALLOWED


def _path(url: str) -> str:
    """Path of a URL, without query."""
    _, _, rest = url.partition("://")
    _, slash, path = rest.partition("/")
    return f"{slash}{path}".partition("?")[0].partition("#")[0]


def _folder(path: str) -> str:
    """The folder that a path names, or in which its page stands, without the slash at its end."""
    above, _, last = path.rpartition("/")
    return path if last and "." not in last else above


def _and_above(host: str) -> list[str]:
    labels = host.split(".")
    return [".".join(labels[i:]) for i in range(len(labels))]


def exclusions_listed(entries: Iterable[str]) -> Iterable[str]:
    """What ``--exclude`` was given, with the entries of files in their place; see `spelled_out`."""
    return spelled_out(entries, "--exclude ", _COLUMNS)
