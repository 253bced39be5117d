"""The ``tutelage`` command, in this process."""

from __future__ import annotations

import signal
import sys

from ._native import command


def main() -> int:
    """Carries out the command line."""
    # The command listens for Ctrl-C itself, and a reader that is gone ends it as any other program.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return command(["tutelage", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
