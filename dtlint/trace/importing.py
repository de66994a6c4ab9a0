"""Do something with a module as soon as it is imported. Only the standard library."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from typing import Any


def when_there(name: str, attribute: str, change: Callable[[Any], None]) -> None:
    """Call `change` with the module, once, when it has this attribute: a package may be half imported for a while."""
    original: Any = builtins.__import__
    done: list[bool] = []

    def importing(wanted: str, *arguments: Any, **options: Any) -> Any:
        module = original(wanted, *arguments, **options)
        if not done and hasattr(sys.modules.get(name), attribute):
            done.append(True)
            change(sys.modules[name])
        return module

    if hasattr(sys.modules.get(name), attribute):
        change(sys.modules[name])
    else:
        builtins.__import__ = importing  # type: ignore[assignment]
