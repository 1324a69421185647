"""``bizcrawl testbed serve``: a recorded web behind an HTTP proxy."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from testbed.replay import Served


def serve_recorded(
    file: Annotated[
        Path, typer.Argument(help="WARC, ARC or WACZ file, or a folder of WARC files.", metavar="FILE")
    ],
    port: Annotated[
        int, typer.Option(help="Port on 127.0.0.1; 0 for any that is free.", min=0, max=65535)
    ] = 8765,
    ca_file: Annotated[
        Path | None, typer.Option("--ca-file", help="Where to write the certificate that clients must trust.")
    ] = None,
) -> None:
    """Serve a recorded web through an HTTP forward proxy, until interrupted.

    bizcrawl crawls it with --web live --proxy URL, other programs with HTTP_PROXY and HTTPS_PROXY set; https
    pages need SSL_CERT_FILE. What is not in the record is answered 404.
    """
    from bizcrawl.web.warc_index import user_cache

    asyncio.run(_serve(file, port, ca_file or user_cache() / "replay-ca.pem"))


async def _serve(file: Path, port: int, ca_file: Path) -> None:
    from bizcrawl.cli.ctrl_c import until_interrupted
    from testbed.replay import serve

    answered = await serve(file, port, ca_file, until_interrupted(), _tell)
    typer.echo(
        "answered " + (", ".join(f"{n} × {status}" for status, n in sorted(answered.items())) or "nothing")
    )


def _tell(served: Served) -> None:
    typer.echo(f"serving {served.urls} recorded URLs; visit them with")
    typer.echo(
        f"  export HTTP_PROXY={served.proxy} HTTPS_PROXY={served.proxy} SSL_CERT_FILE={served.ca_file}"
    )
    typer.echo(f"bizcrawl itself is given --web live --proxy {served.proxy}; Ctrl-C ends it")
