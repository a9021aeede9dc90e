"""The ``outcrop`` command, as a console script and as ``python -m outcrop``."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

from ._outcrop import command


def main() -> NoReturn:
    """Run the command with the arguments of this process, and exit."""
    # A file must not get the number of a closed standard stream: messages would be written into it.
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    # Spark runs use this Python.
    os.environ.setdefault("OUTCROP_PYTHON", sys.executable)
    sys.exit(command(["outcrop", *sys.argv[1:]]))


if __name__ == "__main__":
    main()
