"""Which of two values does a name hold, where the question that decided it is asked again?

`name = fixed if resumes else by_clock`, and later, under `if resumes:`, it is read: there it is the fixed one. What was
made of it since, and questions that are answered anew in each turn of a loop, are left as they are.
"""

from __future__ import annotations

from dtlint.machine.core import Machine
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.logs import implied, told
from dtlint.machine.values import Object, Symbol, Unknown, Value

ANEW = frozenset({"index", "batch", "turn", "number", "loop", "source", "drawn", "time"})  # words of symbols
DEEP = 8
ENTERED = 3  # the part of a loop's symbol that says what a name held before the first turn


def on_this_side(machine: Machine, value: Value) -> Value:
    if isinstance(value, Unknown):  # asked of whatever is read: most of it was decided by nobody
        if value.symbol not in machine.symbols.either and value.symbol.key[0] != "loop":
            return value
    elif not isinstance(value, Object) or value.number not in machine.symbols.made_on:
        return value
    for _ in range(DEEP):
        if isinstance(value, Object):
            other = instead_of(machine, value)
            if other is None:
                break
            value = other
            continue
        sides = machine.symbols.either.get(value.symbol) if isinstance(value, Unknown) else None
        if sides is None or value.tags != sides.tags:
            break
        answer = answered_here(machine, sides.question)
        if answer is None:
            break
        value = sides.then if answer else sides.other
    return of_this_side(machine, value)


def of_this_side(machine: Machine, value: Value) -> Value:
    """`if many: state = copied(state)` before a loop, and `if many:` in its turns: what a turn is given there has
    nothing that was told of the other side alone."""
    if not isinstance(value, Unknown) or value.symbol.key[0] != "loop" or len(value.symbol.key) <= ENTERED:
        return value
    sides = machine.symbols.either.get(value.symbol.key[ENTERED])
    answer = answered_here(machine, sides.question) if sides is not None else None
    if sides is None or answer is None:
        return value
    here, there = (sides.then, sides.other) if answer else (sides.other, sides.then)
    if not isinstance(here, Unknown) or not isinstance(there, Unknown):
        return value
    return Unknown(value.symbol, value.cause, value.tags - (there.tags - here.tags), value.like)


def instead_of(machine: Machine, made: Object) -> Value | None:
    """What the name holds here, where the branch that has made this thing was not taken."""
    for question, answer, other in machine.symbols.made_on.get(made.number, ()):
        here = answered_here(machine, question)
        if here is not None and here is not answer:
            return other
    return None


def answered_here(machine: Machine, question: Symbol) -> bool | None:
    """What the branches of this function around here say of the question, if it has one answer as long as it runs."""
    answers = [one for one in machine.frame.answers if one is not None]
    if not answers or any(one.key[0] in ANEW for one in symbols_in(question)):
        return None
    return implied(question, {what: answer for asked in answers for what, answer in told(*asked)})
