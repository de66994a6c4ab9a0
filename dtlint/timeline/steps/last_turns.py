"""Which turn of a loop is the last one, and do these questions hold there?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dtlint.machine.lanes import token
from dtlint.machine.logs import Loop
from dtlint.machine.values import Const, Object, Symbol
from dtlint.timeline.steps.stepping import symbol_of
from dtlint.timeline.steps.windows import Turns, older
from dtlint.timeline.symbols import FAR, LENGTHS, leaves, worth

LONG = 64  # turns of a window, more than most have


def at_the_end(loop: Turns, predicates: list[tuple[Symbol, bool]]) -> bool:
    """Do they hold in the last turn of a loop that counts? An option that they ask besides is the same in every turn,
    and given where the reduction is switched at all."""
    each = [one for symbol, wanted in predicates for one in all_asked(symbol, wanted)]
    predicates = [(symbol, wanted) for symbol, wanted in each if not isinstance(loop, Loop) or not older(symbol, loop)]
    parts = {leaf for symbol, _ in predicates for kind in leaves(symbol) for leaf in kind}
    counted = counting(loop, parts)
    if counted is None:
        return False
    asked = parts - {counted.counter, counted.count}
    if counted.count is None and counted.turns is None:
        return len(asked) < 2 and in_one_turn(counted, parts, predicates)
    if asked:
        return False
    for turns in (counted.turns,) if counted.turns is not None else (2, 3, 4, FAR):
        known = dict.fromkeys(parts, turns) | {counted.counter: counted.start + turns - 1}
        if not all(worth(symbol, known) is wanted for symbol, wanted in predicates):
            return False
    return True


def all_asked(symbol: Symbol, wanted: bool) -> Iterator[tuple[Symbol, bool]]:
    """`several and last`, which is to hold: each of them is."""
    word, *parts = symbol.key
    if word == "not" and len(parts) == 1 and isinstance(parts[0], Symbol):
        yield from all_asked(parts[0], not wanted)
    elif word == ("and" if wanted else "or") and all(isinstance(part, Symbol) for part in parts):
        for part in parts:
            yield from all_asked(part, wanted)
    else:
        yield symbol, wanted


def in_one_turn(counted: Counting, parts: set[Symbol], predicates: list[tuple[Symbol, bool]]) -> bool:
    """Do they hold in one turn only, that of `micro == accumulate - 1`? However many turns there are: it is the last
    one, or the reduction is off for nothing."""
    asked = len(parts) > 1
    for turns in (2, 3, 4, LONG) if asked else (LONG,):
        known = dict.fromkeys(parts, turns)
        held = [
            turn
            for turn in range(LONG)
            if all(
                worth(symbol, known | {counted.counter: counted.start + turn}) is wanted
                for symbol, wanted in predicates
            )
        ]
        if len(held) != 1 or held[0] != (turns - 1 if asked else max(held[0], 1)):
            return False
    return True


@dataclass(frozen=True, slots=True)
class Counting:
    """What a loop counts with, from where, and how far: a symbol, or a number that is written down."""

    counter: Symbol
    start: int
    count: Symbol | None
    turns: int | None = None


def counting(loop: Turns, parts: set[Symbol]) -> Counting | None:
    """`for i in range(n)`, `for i, batch in enumerate(window)`, of which the predicates ask these parts."""
    subject = loop.subject if isinstance(loop, Loop) else None
    if not isinstance(subject, Object) or not isinstance(loop, Loop):
        return None
    if subject.kind == "<enumerate>":
        start, walked = subject.facts.get("start"), subject.facts["inner"][0]
        counter = next((leaf for leaf in parts if numbers_turns(leaf, loop)), None)
        count = next((leaf for leaf in parts if leaf.key[0] in LENGTHS and leaf.key[1] == token(walked)), None)
        return counted_from(counter, start, count)
    count_value = subject.attributes.get("count")
    counter = next((leaf for leaf in parts if leaf.key[:2] == ("number", subject.number)), None)
    if isinstance(count_value, Const):
        return counted_from(counter, subject.attributes.get("start"), None, count_value.value)
    return counted_from(counter, subject.attributes.get("start"), symbol_of(count_value))


def counted_from(counter: Symbol | None, start: Any, count: Symbol | None, turns: Any = None) -> Counting | None:
    known = isinstance(start, Const) and type(start.value) is int and start.scale is None
    return Counting(counter, start.value, count, turns) if counter is not None and known else None


def numbers_turns(symbol: Symbol, loop: Loop) -> bool:
    """Does it count the turns of this very loop?"""
    if symbol.key[0] != "index" or symbol.key[2:] != ("fresh",):
        return False
    return bool(loop.born[0] <= symbol.key[1] < loop.born[1])
