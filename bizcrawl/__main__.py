"""``python -m bizcrawl``, and the command ``bizcrawl``."""

import os
import signal
from typing import NoReturn


def main() -> NoReturn:
    """Run the command line. Ctrl-C while it is still being loaded ends it as it does later."""
    signal.signal(signal.SIGINT, lambda *_: os._exit(130))
    from bizcrawl.cli import main as run

    run()


if __name__ == "__main__":
    main()
