"""Run a script in which one rank is late at one call: `late.py RANK SECONDS MODULE:FUNCTION SCRIPT …`.

A race that goes well on a quick machine is still a race; this is the machine on which it does not.
"""

from __future__ import annotations

import importlib
import os
import runpy
import sys
import time
from functools import reduce
from pathlib import Path
from typing import Any


def late(function: Any, seconds: float) -> Any:
    def wrapper(*arguments: Any, **options: Any) -> Any:
        time.sleep(seconds)
        return function(*arguments, **options)

    return wrapper


def main() -> None:
    rank, seconds, target, script = sys.argv[1:5]
    if os.environ["RANK"] == rank:
        module, _, path = target.partition(":")
        *owners, name = path.split(".")
        owner = reduce(getattr, owners, importlib.import_module(module))
        setattr(owner, name, late(getattr(owner, name), float(seconds)))
    sys.argv = sys.argv[4:]
    sys.path.insert(0, str(Path(script).parent))
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main()
