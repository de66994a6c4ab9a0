"""Does a question only ask which turn of a loop it is: `if step % 100 == 0`, `if epoch > 5`?

Such a question has the same answer on all ranks, whoever else is not told apart by what the machine knows.
"""

from __future__ import annotations

from typing import Any

from dtlint.machine.values import Symbol

COUNTED = ("index", "number")  # what a loop counts its turns by
RUNNING = "loop"  # what a variable has become in the turns before; one that is added to counts them


def of_a_turn(asked: Symbol | None, answer: bool) -> bool:
    """Is this the answer in some turns of a loop, on whatever rank? Of what `and` and `or` put together, as much has to
    be a question of the turn as decides it."""
    if asked is None:
        return False
    word, parts = asked.key[0], [part for part in asked.key[1:] if isinstance(part, Symbol)]
    if word == "not":
        return of_a_turn(parts[0], not answer) if parts else False
    if word in ("and", "or"):
        decisive = all if answer is (word == "and") else any
        return bool(parts) and decisive(of_a_turn(part, answer) for part in parts)
    if word.startswith("compare ") and word != "compare in":
        return any(counts(part) for part in asked.key[1:])
    return counts(asked)


def counts(part: Any) -> bool:
    """Is it the number of a turn, or made of it by arithmetic?"""
    if not isinstance(part, Symbol):
        return False
    if part.key[0] in COUNTED:
        return True
    if not str(part.key[0]).startswith("op "):
        return False
    first = part.key[1]
    begun = part.key[0] == "op %" and type(first) is int  # the first turn of one that is counted up
    return begun or any(counts(inner) or is_running(inner) for inner in part.key[1:])


def is_running(part: Any) -> bool:
    return isinstance(part, Symbol) and part.key[0] == RUNNING
