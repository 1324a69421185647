"""``python -m bizcrawl``."""

from bizcrawl.cli import main

main()
