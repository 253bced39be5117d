"""``python -m tutelage``: the ``tutelage`` command."""

import sys

from ._command import main

sys.exit(main())
