"""Is it certain that a decision comes out otherwise in some step?

That the machine does not know what was asked proves nothing: how wide the layers are, which stage a block is, whether a
batch has some part is the same in every step. Certain is what was drawn in the step, what the training counts, and what
the numbers of a batch say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from dtlint.machine.contents.presence import asks_presence, decided_by
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.library.computing.tensors import counted_by_content, method_of
from dtlint.machine.logs import Loop
from dtlint.machine.values import Cause, Const, Object, Symbol, Unknown
from dtlint.timeline.options import default_for
from dtlint.timeline.steps.kinds import asks_kind, is_shape
from dtlint.timeline.symbols import LENGTHS

PASSING = ("op ", "compare ", "unary ")  # beginnings of what arithmetic is called
EQUAL = frozenset({"compare ==", "compare !="})
NUMBERS = frozenset({"builtins.int", "builtins.float", "builtins.round", "builtins.max", "builtins.min"})
CHOSEN = frozenset({"not", "and", "or", "phi", "any", "bool"}) | NUMBERS
LEFT = frozenset({"item", "tolist", "cpu", "numpy", "detach", "float", "long", "int"})  # the same number after it
VALUES = frozenset({"any", "all", "sum", "max", "min", "mean", "argmax", "argmin", "count_nonzero", "norm"})
COUNTS = frozenset({"numel", "size", "__len__"})
DRAWN = frozenset({"drawn", "source", "shuffled"})
OWN = frozenset({"data", "random"})  # kinds of cause


class Training:
    """The loops around the forward pass, and what the model keeps from one pass to the next."""

    def __init__(self, run: Any, loops: Sequence[Loop], kept: Iterable[Object]) -> None:
        self.run = run
        self.loops = loops
        self.walked = {loop.subject.number for loop in loops if isinstance(loop.subject, Object)}
        self.kept = {
            atom
            for thing in kept
            for value in thing.attributes.values()
            if isinstance(value, Unknown)
            for atom in symbols_in(value.symbol)
            if atom.key[2:] == ("fresh",)
        }

    def new_in_each(self, atom: Symbol) -> bool:
        """Is it made in a turn of such a loop? Where a framework has the loop, whatever the model does not keep."""
        if not self.loops:
            return atom not in self.kept
        number = atom.key[1] if atom.key[2:] == ("fresh",) else None
        return type(number) is int and any(loop.born[0] < number <= loop.born[1] for loop in self.loops)


def surely_changes(asked: Symbol | None, cause: Cause | None, training: Training) -> bool:
    if asked is None or asks_kind(asked):
        return False
    if cause is not None and cause.kind == "rank":
        return not asks_presence(asked) or decided_by(asked) is not None
    return surely(asked, cause is not None and cause.kind in OWN, training)


def surely(one: Any, own: bool, training: Training) -> bool:
    if not isinstance(one, Symbol):
        return False
    word, *parts = one.key
    if is_new(one, training):
        return True
    method = method_of(one)
    if method is not None and isinstance(method[0], Symbol):
        owner, name = method
        if name in LEFT:
            return surely(owner, own, training)
        if name in COUNTS:
            return own and is_selection(owner)
        return own and name in VALUES
    if word in LENGTHS or word == "size":
        return own and is_selection(parts[0])
    if word.startswith("compare ") and any(is_draw(part) for part in symbols_of(parts)):
        return all(surely(part, own, training) or is_number(part, training) for part in parts)
    if word == "is none":
        decision = decided_by(one)
        return decision is not None and surely(decision, own, training)
    if word == "item":
        if own and is_shape(parts[0]):
            return is_selection(parts[0].key[1])
        return any(surely(part, own, training) for part in parts)
    if word in CHOSEN or word.startswith(PASSING):
        counted = word not in EQUAL or any(type(part) is int for part in parts)
        return any(surely(part, own, training) or (counted and counts(part)) for part in parts)
    return False


def is_selection(thing: Any) -> bool:
    """`x[x > 0]`, `mask.nonzero(as_tuple=True)[0]`: how many there are, only the numbers say."""
    if not isinstance(thing, Symbol):
        return False
    first = thing.key[1] if thing.key[0] == "item" else None
    return counted_by_content(thing) or (isinstance(first, Symbol) and counted_by_content(first))


def symbols_of(parts: Sequence[Any]) -> Iterator[Symbol]:
    return (inner for part in parts if isinstance(part, Symbol) for inner in symbols_in(part))


def is_draw(one: Symbol) -> bool:
    return one.key[0] in DRAWN


def is_number(part: Any, training: Training) -> bool:
    """Written down, the default of an option, or made of such: of others nobody knows whether they leave a chance to
    either side."""
    if not isinstance(part, Symbol):
        return part not in (("float", "0.0"), 0)
    default = default_for(training.run, part)
    if default is not None:
        return isinstance(default, Const) and bool(default.value)
    word, *parts = part.key
    return word in ("number", "index") or (word.startswith(PASSING) and all(is_number(one, training) for one in parts))


def is_new(one: Symbol, training: Training) -> bool:
    """The number of the step or epoch, or what was drawn in it."""
    word, *parts = one.key
    if word == "number":
        return parts[0] in training.walked
    if word == "turn":
        return isinstance(parts[0], str)
    if word == "index":
        return training.new_in_each(one)
    if word in DRAWN:
        moments = [one, *symbols_of(parts)]
        return any(moment.key[2:] == ("fresh",) and training.new_in_each(moment) for moment in moments)
    return False


def counts(one: Any) -> bool:
    """`step += 1` in the loop, from what was written down before: a number, where one reckons with it."""
    while isinstance(one, Symbol) and one.key[0] == "loop" and len(one.key) > 3:
        one = one.key[3]
    return isinstance(one, Symbol) and one.key[0] == "loop"
