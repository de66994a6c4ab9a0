"""What has the program said to be a multiple of the number of ranks?"""

from __future__ import annotations

from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.computing import provenance
from dtlint.machine.logs import plain_question
from dtlint.machine.values import Symbol, Value

Fits = frozenset[tuple[Symbol, Any]]  # what is known to be a multiple of what
FITS = "told to fit"


def told_to_fit(machine: Machine) -> Fits:
    found: Fits = machine.facts.get(FITS, frozenset())
    return found


def answered(machine: Machine, question: Symbol | None, answer: bool) -> None:
    """`if len(rows) % world: raise …`, `assert len(rows) % world == 0`: what comes behind it has rows that fit."""
    asked, given = plain_question(question)
    if asked is None:
        return
    holds = answer == given
    if asked.key[0] == "compare ==" and asked.key[2] == 0 and isinstance(asked.key[1], Symbol):
        asked, holds = asked.key[1], not holds
    if asked.key[0] == "op %" and isinstance(asked.key[1], Symbol) and not holds:
        machine.facts[FITS] = told_to_fit(machine) | {(asked.key[1], asked.key[2])}


def has_to_fit(machine: Machine, value: Value, shares: int) -> bool:
    """Was it asked before, of `len(rows)`, `rows.shape[0]` or `rows.size(0)`?"""
    fits = told_to_fit(machine)
    of = token(value)
    return any(is_multiple(count, shares) and counts_rows(counted, of) for counted, count in fits)


def counts_rows(counted: Symbol, of: Any) -> bool:
    key = counted.key
    if key[0] == "item" and len(key) == 3 and key[2] == 0 and isinstance(key[1], Symbol):
        return key[1].key[0] == "attr" and key[1].key[1:] == (of, "shape")
    if key[0] == "call" and len(key) == 3 and key[2] == 0 and isinstance(key[1], Symbol):
        return key[1].key[0] == "attr" and key[1].key[1:] == (of, "size")
    return key[0] in ("len", "size") and key[1] == of


def is_multiple(of: Any, world: int) -> bool:
    number = provenance.number_in(of)
    if number is not None:
        return number % world == 0
    if not isinstance(of, Symbol):
        return False
    if of.key[0] in ("builtins.max", "builtins.min"):  # whichever of them it is
        return all(is_multiple(one, world) for one in of.key[1:])
    return of.key[0] == "op *" and any(is_multiple(one, world) for one in of.key[1:3])
