"""Is a call the same as one before? What tells functions apart that are called, or handed to what is called."""

from __future__ import annotations

from dtlint.machine.lanes import token
from dtlint.machine.values import Bound, FunctionRef, Tuple, Value


def given(value: Value) -> object:
    """A function is another one where it is made of other code, in another call or with other defaults, whatever its
    name is."""
    if isinstance(value, FunctionRef):
        return of_function(value)
    if isinstance(value, Bound):
        receiver = token(value.receiver) if value.receiver is not None else None
        named = tuple([(name, given(held)) for name, held in value.keywords])
        return ("bound", given(value.function), receiver, tuple(map(given, value.extra)), named)
    if isinstance(value, Tuple):
        return tuple(map(given, value.items))
    return token(value)


def of_function(function: FunctionRef) -> object:
    """A call may be where another one has been that is over: by its number it is another."""
    around = function.closure
    number = around.variables.newer if around is not None else 0
    return ("function", id(function.node), id(around), number, tuple([given(held) for _, held in function.defaults]))
