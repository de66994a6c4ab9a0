"""Is it shown that ranks answer a question differently, and not only that they ask it of something that differs?

That two ranks hold other batches, losses or files does not say that they answer otherwise. Numbers do, and what was
decided by numbers: `loss > limit`, `isnan(loss)`, a flag that a signal has set. Of what kind a thing is, whether there
is one and which parts it has is the same on all ranks, unless a decision is seen that has made it otherwise.
"""

from __future__ import annotations

from typing import Any

from dtlint.machine.contents.truth import APART
from dtlint.machine.library.computing.tensors import REVEALS
from dtlint.machine.logs import plain_truth
from dtlint.machine.values import Symbol

OF_NUMBERS = frozenset({f"compare {sign}" for sign in ("<", "<=", ">", ">=", "==", "!=")})
OF_KIND = frozenset(
    {"is none", "isinstance", "hasattr", "builtins.isinstance", "builtins.hasattr", "builtins.callable"}
)
# what happens to each rank for itself, what turns have left, and what some have put into a list
HAPPENS = frozenset({"source", "exception", "signal", "time", "drawn", "loop", "filled", "queue", APART})
COUNTED = frozenset({"len", "length"})
COMPUTED = ("op ", "unary ", "torch.", "numpy.", "jax.", "math.", "builtins.")
DEEPEST = 12  # steps of a question that are gone through


def parts_ranks(asked: Symbol, depth: int = DEEPEST) -> bool:
    """Is it shown that this is true on some ranks and false on others?"""
    if asked.alike or not depth:
        return False
    what, *of = asked.key
    inner = [one for one in of if isinstance(one, Symbol)]
    if what == "is none":
        return any(lacked_by_some(one, depth - 1) for one in inner)
    if what in OF_KIND:
        return False
    if what in ("not", "bool", "and", "or"):
        return any(parts_ranks(one, depth - 1) for one in inner)
    if what in ("phi", "split"):
        truths = [plain_truth(side) for side in of[1:]]
        chosen = decides(of[0], depth) and (None in truths or truths[0] is not truths[1])
        return chosen or any(parts_ranks(one, depth - 1) for one in inner[1:])
    if what == "compare in":
        return is_own(of[0])
    if what in OF_NUMBERS:
        return any(is_own(side) for side in of)
    if what == "item":
        return any(map(is_own, of[1:]))  # `table[number]`
    if what == "call":
        return tells_content(of)
    return what in HAPPENS or what in COUNTED or (isinstance(what, str) and what.startswith(COMPUTED))


def decides(question: Any, depth: int) -> bool:
    """Was it chosen by a question that parts ranks? Who caught an error was not asked anything."""
    if not isinstance(question, Symbol):
        return False
    if question.key[0] == "returned":
        return question.behind is None or parts_ranks(question.behind, depth - 1)
    return parts_ranks(question, depth - 1)


def lacked_by_some(thing: Symbol, depth: int) -> bool:
    """Is it shown that this is None on some ranks and something on others?"""
    if thing.alike or not depth:
        return False
    what, *of = thing.key
    if what in ("phi", "split"):
        if None in of[1:] and decides(of[0], depth):
            return True
        return any(isinstance(side, Symbol) and lacked_by_some(side, depth - 1) for side in of[1:])
    if thing.behind is not None:
        return lacked_by_some(thing.behind, depth - 1)
    return what == APART


def tells_content(call: list[Any]) -> bool:
    """A method that says what is in it: `flags.any()`, `host.startswith("gpu")`, `sample.get("last", False)`."""
    method, *given = call
    if not isinstance(method, Symbol) or method.key[0] != "attr" or not is_own(method.key[1]):
        return False
    if method.key[-1] == "get":
        return len(given) > 1 and given[1] is not None
    return method.key[-1] in REVEALS or begun(method.key[1]).key[0] == "source"


def begun(symbol: Symbol) -> Symbol:
    """What a chain of methods began with."""
    while symbol.key[0] == "call" and isinstance(symbol.key[1], Symbol) and symbol.key[1].key[0] == "attr":
        symbol = symbol.key[1].key[1]
    return symbol


def is_own(part: Any) -> bool:
    """Is this something, other than the kind of a thing, that each rank has otherwise?"""
    return isinstance(part, Symbol) and not part.alike and part.key[0] not in OF_KIND
