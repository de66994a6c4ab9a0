"""`rank = property(lambda self: …)`: an attribute that a function works out."""

from __future__ import annotations

from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import FunctionRef, Value


def property_(machine: Machine, call: Invocation) -> Value | None:
    """Called by hand with the function that reads it."""
    from dtlint.machine.names.scopes import with_kind

    getter = (
        call.arguments[0] if call.arguments else next((value for name, value in call.keywords if name == "fget"), None)
    )
    return with_kind(getter, "property") if isinstance(getter, FunctionRef) else None
