"""The site of 2,000 real pages under nginx that the fetching benches crawl; laid out once below build/."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"
BUILD = ROOT / "build" / "bench"


def laid_out(pages: int, port: int) -> Path:
    """Folder of a site with so many pages; made by the shared script from the shared corpus."""
    site = BUILD / f"site-{pages}"
    if not (site / "nginx.conf").exists():
        corpus = BUILD / "pages"
        if not corpus.exists():
            corpus.mkdir(parents=True)
            archive = SHARED / "corpora" / "pages_trafilatura.tar.xz"
            subprocess.run(["tar", "-xJf", archive, "-C", corpus], check=True)
        script = SHARED / "bench" / "make_site.py"
        command = [sys.executable, script, corpus, site, "--pages", str(pages), "--port", str(port)]
        subprocess.run(command, check=True, stdout=sys.stderr)
    return site


@contextlib.contextmanager
def served(pages: int = 2_000, port: int = 8099) -> Iterator[str]:
    """Serve the site on loopback; gives its origin. Ends the server that it started."""
    if shutil.which("nginx") is None or not (SHARED / "bench").exists():
        sys.exit("this bench needs nginx (apt-get install nginx-light) and ../shared")
    site = laid_out(pages, port)
    configuration = site / "nginx.conf"
    text = configuration.read_text().replace("worker_processes 1;", "worker_processes 1; daemon off;", 1)
    foreground = site / "nginx-foreground.conf"
    foreground.write_text(text)
    server = subprocess.Popen(["nginx", "-c", os.fspath(foreground)], stderr=subprocess.DEVNULL)
    try:
        origin = f"http://127.0.0.1:{port}"
        for _ in range(100):
            with contextlib.suppress(OSError):
                urllib.request.urlopen(f"{origin}/robots.txt").close()
                break
            time.sleep(0.05)
        if server.poll() is not None:
            sys.exit(f"nginx did not start: is port {port} taken?")
        yield origin
    finally:
        server.terminate()
        server.wait(10)
