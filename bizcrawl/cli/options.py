"""Options that mean the same in every command that crawls, and the plan they make.

A command collects its options in a `CrawlOptions` by `crawl_options`, which adds them to its signature: the
help page, the plan and the commands can't drift apart.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_type_hints

import typer

from bizcrawl.cli.choices import MOST, MOST_SEED, RenderMode, TidierName
from bizcrawl.cli.places_to_write import check_knowledge, check_record, place_for_collection
from bizcrawl.errors import WrongUse
from bizcrawl.plan import DEFAULT_PAGE_CAP_BYTES, Plan
from bizcrawl.scope import Exclusions, Reach, exclusions_listed
from bizcrawl.strategies import Learns
from bizcrawl.strategies.table import make_strategy
from bizcrawl.tally import Budget
from bizcrawl.topic import Topic

KNOWLEDGE = {"apprentice": "weights", "intelligent": "knowledge"}
"""The parameter by which strategies that learn take up what was learned before (R118)."""

Proxy = Annotated[
    str, typer.Option(help="Proxy to use; default: the crawl's own, unless that needs a password.")
]

NamedPredicate = Annotated[
    str, typer.Option("--predicate", help="The crawl's predicate again, if it is a function of your own.")
]


def _option(*names: str, help: str, default: Any = None, **more: Any) -> Any:  # noqa: A002 - typer's word
    return field(default=default, metadata={"names": names, "help": help, **more})


@dataclass(frozen=True, slots=True)
class CrawlOptions:
    """What a crawl can be told, as it came from the command line."""

    web: str = _option(
        "--web",
        default="live",
        help="Where pages come from: live, demo, or a recorded web (WARC, ARC or WACZ file, or a folder of "
        "WARCs).",
    )
    strategy: str = _option(
        "--strategy",
        default="",
        help="Which links come first, see `bizcrawl strategies`; default: apprentice for discover, "
        "best-first for crawl.",
    )
    set: list[str] = _option(
        "--set",
        "-s",
        default=(),
        help="Parameter of the strategy, as NAME=VALUE; repeatable.",
        metavar="NAME=VALUE",
    )
    weights: str = _option(
        "--weights", default="", help="Weights for the strategy `evolved`, as `testbed evolve` writes them."
    )
    learn_from: str = _option(
        "--learn-from",
        default="",
        help="File with what an earlier crawl of the strategy learned (--keep-knowledge).",
    )
    keep_knowledge: Path | None = _option(
        "--keep-knowledge", help="Keep what the strategy learns in this file, for --learn-from."
    )
    pages: int = _option("--pages", default=2_000, help="Good pages to visit.", min=1)
    minutes: float | None = _option(
        "--minutes", help="Stop after so many minutes; default: no limit.", min=0.0, max=MOST
    )
    megabytes: float | None = _option(
        "--megabytes",
        help="Stop after so many megabytes of page bodies; default: no limit.",
        min=0.0,
        max=MOST,
    )
    to: Path | None = _option(
        "--to",
        help="Collection to write; an existing one is added to. Default: harvest.duckdb, numbered if taken.",
    )
    random_seed: int = _option(
        "--random-seed",
        default=0,
        help="Seed of all random choices; the same seed gives the same ones.",
        min=-MOST_SEED,
        max=MOST_SEED,
    )
    connections: int | None = _option(
        "--connections",
        help="Fetches at once; default: 64 on the live Web, 1 (reproducible) elsewhere.",
        min=1,
    )
    workers: int | None = _option(
        "--workers", help="Processes that parse pages, 0 for the crawl's own alone; default: by cores.", min=0
    )
    per_host: int = _option("--per-host", default=1, help="Fetches at once from one host.", min=1)
    delay: float = _option(
        "--delay", default=2.0, help="Seconds between two requests to a host.", min=0.0, max=MOST
    )
    timeout: float = _option(
        "--timeout", default=10.0, help="Seconds until a fetch is given up.", min=0.1, max=MOST
    )
    page_cap: int = _option(
        "--page-cap",
        default=DEFAULT_PAGE_CAP_BYTES,
        help="Bytes of a page that are read; the papers read 10000.",
        min=1,
    )
    pages_per_host: int = _option(
        "--pages-per-host", default=5_000, help="Good pages to visit on one host.", min=1
    )
    scope: Reach = _option(
        "--scope",
        default=Reach.ANY,
        help="Where links may lead: anywhere, or to the site, host or folder (section) of a seed.",
    )
    exclude: list[str] = _option(
        "--exclude",
        default=(),
        help="Never fetched: URL, HOST, .DOMAIN or @FILE of these; repeatable.",
        metavar="URL|HOST|@FILE",
    )
    nofollow: bool = _option(
        "--nofollow", default=False, help="Obey nofollow in rel, meta robots and X-Robots-Tag."
    )
    robots: bool = _option(
        "--robots/--no-robots", default=True, help="Obey robots.txt; switch it off for your own sites only."
    )
    meta_refresh: bool = _option(
        "--meta-refresh/--no-meta-refresh",
        default=True,
        help="Follow meta refresh as a redirect.",
    )
    tidier: TidierName = _option(
        "--tidier",
        default=TidierName.AUTO,
        help="Parser of pages: auto, or html5lib, which is exact and slow.",
    )
    render: RenderMode = _option(
        "--render",
        default=RenderMode.NEVER,
        help="Render pages in a browser: never, those that need scripts (auto), or always.",
    )
    warc: Path | None = _option("--warc", help="Folder in which everything fetched is kept, as WARC.")
    proxy: str = _option(
        "--proxy",
        default="",
        help="HTTP or SOCKS proxy, as http://HOST:PORT or socks5://HOST:PORT; HTTP_PROXY is not read.",
    )
    allow_private: bool = _option(
        "--allow-private", default=False, help="Allow private and loopback addresses."
    )
    insecure_host: list[str] = _option(
        "--insecure-host",
        default=(),
        help="Host whose TLS certificate isn't checked; repeatable.",
        metavar="HOST",
    )
    cookies: bool = _option(
        "--cookies", default=False, help="Keep cookies, separately for each scheme, host and port."
    )
    user_agent: str = _option(
        "--user-agent", default="", help="Name sent to servers instead of bizcrawl's own."
    )
    contact: str = _option("--contact", default="", help="URL or e-mail address sent along, for complaints.")
    verify_share: float | None = _option(
        "--verify-share",
        help="Share of the pages for what the ranking needs: home pages of companies, rest of lists; "
        "default: 0.5 for discover, 0 for crawl.",
        min=0.0,
        max=1.0,
    )
    quiet: bool = _option("--quiet", "-q", default=False, help="Show no progress.")

    def parameters(self, strategy: str) -> dict[str, str]:
        """The parameters of a strategy. Raises `WrongUse` for one without a value."""
        pairs = [text.partition("=") for text in self.set]
        for name, equals, _ in pairs:
            if not equals or not name:
                raise WrongUse(f"--set {name}: write NAME=VALUE, such as --set alpha=0.25")
        given = {name.strip(): value.strip() for name, _, value in pairs}
        if self.weights:
            given["weights"] = self.weights
        if self.learn_from:
            if strategy not in KNOWLEDGE:
                raise WrongUse(f"--learn-from: {strategy} learns nothing; {' and '.join(KNOWLEDGE)} do")
            given[KNOWLEDGE[strategy]] = self.learn_from
        return given

    def plan(
        self,
        command: str,
        topic: Topic,
        default_strategy: str,
        default_verify_share: float = 0.0,
        **more: Any,
    ) -> Plan:
        """The plan that these options make. Raises `WrongUse` for what can't be meant."""
        excluded = tuple(exclusions_listed(self.exclude))
        Exclusions.of(excluded)
        strategy = self.strategy or default_strategy
        parameters = self.parameters(strategy)
        made = make_strategy(strategy, random.Random(0), **dict[str, Any](parameters))
        if self.keep_knowledge is not None:
            if not isinstance(made, Learns):
                raise WrongUse(f"--keep-knowledge: {strategy} learns nothing; {' and '.join(KNOWLEDGE)} do")
            check_knowledge(self.keep_knowledge)
        if self.warc is not None:
            check_record(self.warc)
        for name, text in (("--user-agent", self.user_agent), ("--contact", self.contact)):
            if not text.isprintable() or text.isspace():
                raise WrongUse(f"{name} {text!r}: give one line of text, as it is sent to servers")
        return Plan(
            command=command,
            topic=topic,
            budget=Budget(
                self.pages, self.minutes, None if self.megabytes is None else int(self.megabytes * 1_000_000)
            ),
            web=_web(self.web),
            strategy=strategy,
            options=parameters,
            random_seed=self.random_seed,
            connections=self.connections or (64 if self.web == "live" else 1),
            per_host=self.per_host,
            delay_s=self.delay,
            timeout_s=self.timeout,
            page_cap_bytes=self.page_cap,
            pages_per_host=self.pages_per_host,
            scope=str(self.scope),
            exclude=excluded,
            nofollow=self.nofollow,
            robots=self.robots,
            meta_refresh=self.meta_refresh,
            tidier=str(self.tidier),
            render=str(self.render),
            warc=str(self.warc.resolve()) if self.warc else "",
            proxy=self.proxy,
            allow_private=self.allow_private,
            insecure_hosts=tuple(self.insecure_host),
            cookies=self.cookies,
            workers=self.workers,
            verify_share=default_verify_share if self.verify_share is None else self.verify_share,
            user_agent=self.user_agent,
            contact=self.contact,
            **more,
        )

    def collection_path(self) -> Path:
        """Where to write the collection."""
        return place_for_collection(self.to)


def _web(named: str) -> str:
    """Which web was named; a file by its full path. What a pipe's path leads to is no path."""
    path = Path(named)
    return named if named in {"live", "demo"} or path.is_fifo() else str(path.resolve())


def crawl_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of `CrawlOptions`; it receives them as its parameter ``crawl``."""
    own = inspect.signature(command)
    hints = get_type_hints(command, include_extras=True)
    types = get_type_hints(CrawlOptions)
    added = [_parameter(f, types[f.name]) for f in fields(CrawlOptions)]

    @wraps(command)
    def wrapped(**values: Any) -> Any:
        crawl = CrawlOptions(**{f.name: values.pop(f.name) for f in fields(CrawlOptions)})
        return command(crawl=crawl, **values)

    kept = [p.replace(annotation=hints[p.name]) for p in own.parameters.values() if p.name != "crawl"]
    keyword_only = [p.replace(kind=inspect.Parameter.KEYWORD_ONLY) for p in [*kept, *added]]
    wrapped.__signature__ = own.replace(parameters=keyword_only)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {p.name: p.annotation for p in keyword_only}
    return wrapped


def _parameter(option: Any, kind: Any) -> inspect.Parameter:
    meta = dict(option.metadata)
    names = meta.pop("names")
    default = [] if option.default == () else option.default
    assert default is not MISSING
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, typer.Option(*names, show_default=default not in (None, "", []), **meta)],
    )
