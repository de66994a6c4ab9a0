"""Is it shown that ranks answer a question differently, and not only that they ask it of something that differs?

That two ranks hold other batches, losses or files does not say that they answer otherwise. Numbers do, and what was
decided by numbers: `loss > limit`, `isnan(loss)`, a flag that a signal has set. Of what kind a thing is, whether there
is one and which parts it has is the same on all ranks, unless a decision is seen that has made it otherwise.
"""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from dtlint.machine.contents.presence import asks_presence
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
ARITHMETIC = ("op ", "unary ", "builtins.int", "builtins.float", "builtins.min", "builtins.max")
DEEPEST = 12  # steps of a question that are gone through


class Shown:
    """What is known of one run: `notes` are what ranks have read from files of their own, `tables` what they have made
    of those they have opened."""

    def __init__(self, notes: Container[Symbol], tables: Container[Symbol] = ()) -> None:
        self.notes = notes
        self.tables = tables

    def parts_ranks(self, asked: Symbol, depth: int = DEEPEST) -> bool:
        """Is it shown that this is true on some ranks and false on others?"""
        if asked.alike or not depth:
            return False
        what, *of = asked.key
        inner = [one for one in of if isinstance(one, Symbol)]
        if what == "is none":
            return any(self.lacked_by_some(one, depth - 1) for one in inner)
        if what in OF_KIND or (what == APART and all(map(asks_presence, inner))):
            return False
        if what in ("not", "bool", "and", "or"):
            return any(self.parts_ranks(one, depth - 1) for one in inner)
        if what in ("phi", "split"):
            truths = [plain_truth(side) for side in of[1:]]
            chosen = self.decides(asked, depth) and (None in truths or truths[0] is not truths[1])
            return chosen or any(self.parts_ranks(one, depth - 1) for one in inner[1:])
        if what == "compare in":
            return self.is_own(of[0], depth)
        if what in OF_NUMBERS:
            return any(self.is_own(side, depth) for side in of)
        if what == "item":
            return any(self.is_own(index, depth) for index in of[1:])  # `table[number]`
        if what == "call":
            return self.tells_content(of, depth)
        return what in HAPPENS or what in COUNTED or (isinstance(what, str) and what.startswith(COMPUTED))

    def decides(self, chosen: Symbol, depth: int) -> bool:
        """Was it chosen by a question that parts ranks? Where some of them have caught an error, nobody was asked."""
        what, question = chosen.key[:2]
        if not isinstance(question, Symbol):
            return False
        if question.key[0] == "returned":
            behind = question.behind
            return what == "split" if behind is None else self.parts_ranks(behind, depth - 1)
        return self.parts_ranks(question, depth - 1)

    def lacked_by_some(self, thing: Symbol, depth: int) -> bool:
        """Is it shown that this is None on some ranks and something on others?"""
        if thing.alike or not depth:
            return False
        what, *of = thing.key
        if what in ("phi", "split"):
            if None in of[1:] and self.decides(thing, depth):
                return True
            return any(isinstance(side, Symbol) and self.lacked_by_some(side, depth - 1) for side in of[1:])
        if thing.behind is not None:
            return self.lacked_by_some(thing.behind, depth - 1)
        return False

    def tells_content(self, call: list[Any], depth: int) -> bool:
        """A method that says what is in it: `flags.any()`, `host.startswith("gpu")`, `sample.get("last", False)`."""
        method, *given = call
        if not isinstance(method, Symbol) or method.key[0] != "attr" or not self.is_own(method.key[1], depth):
            return False
        if method.key[-1] == "get":
            return len(given) > 1 and given[1] is not None
        return method.key[-1] in REVEALS or begun(method.key[1]).key[0] == "source"

    def is_own(self, part: Any, depth: int = DEEPEST) -> bool:
        """Is this something, other than the kind of a thing, that each rank has otherwise?"""
        if not isinstance(part, Symbol) or part.alike or not depth or part.key[0] in OF_KIND:
            return False
        if self.is_noted(part):
            return False
        what, *of = part.key
        if what in ("phi", "split"):
            return self.decides(part, depth) or any(self.is_own(side, depth - 1) for side in of[1:])
        if what == "loop" and len(of) > 2 and isinstance(of[2], Symbol):
            return not self.is_noted(of[2])  # else counted from there on
        if what == "count" and len(of) == 3:  # `range(start, stop, step)`: how many there are is in a part of the data
            ends = [one for one in of[1:] if isinstance(one, Symbol)]
            return self.is_own(of[0], depth - 1) or any(not one.alike and not self.is_noted(one, 2) for one in ends)
        if isinstance(what, str) and what.startswith(ARITHMETIC):
            return any(self.is_own(one, depth - 1) for one in of)
        return True

    def is_noted(self, part: Symbol, least: int = 1) -> bool:
        """`kept["step"]`, from a checkpoint of this rank's own: all ranks write theirs at one moment, and what stands
        in it by name, beside the lists of what is their own, is the same for all of them. Settings are in a table of
        tables, `settings["training"]["epochs"]`; `{"count": 3}` may well be said of a part of the data."""
        names = 0
        while part.key[0] in ("item", "attr") and isinstance(part.key[1], Symbol) and part not in self.notes:
            names = names + 1 if isinstance(part.key[-1], str) else 0
            part = part.key[1]
        return names >= (least if part in self.notes else 2) and (part in self.notes or part in self.tables)


def begun(symbol: Symbol) -> Symbol:
    """What a chain of methods began with."""
    while symbol.key[0] == "call" and isinstance(symbol.key[1], Symbol) and symbol.key[1].key[0] == "attr":
        symbol = symbol.key[1].key[1]
    return symbol
