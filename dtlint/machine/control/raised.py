"""Which exceptions does the program raise itself, and why on this rank and not on another?"""

from __future__ import annotations

from dtlint.machine.core import Machine
from dtlint.machine.library.computing.provenance import OWN_FILES, symbols_in
from dtlint.machine.logs import Decision, Place, decisions
from dtlint.machine.values import Cause, ClassRef, Symbol, Trail

LENGTHS = ("len", "builtins.len")


def note(machine: Machine, kind: ClassRef | str, at: Place, mask: int) -> None:
    """`raise`: of which class, and under which question."""
    frame = machine.frame
    guard = next(decisions(frame.guards), None)
    place, text = (guard.at, guard.text) if guard is not None else (at, "raise")
    whole = machine.world.full
    decision = Decision("exit", frame.path, place, text, why(machine, guard), mask, whole, frame.scope, at, "raise")
    machine.raised.append((kind, decision))


def why(machine: Machine, guard: Decision | None) -> Cause | None:
    """Who asks how many things a file of his own holds, and raises, has seen files that hold another number of them;
    otherwise nobody would have said that."""
    cause = machine.control_cause()
    if cause is None and guard is not None and guard.symbol is not None and counts_own(machine, guard.symbol):
        return Cause("data", Trail(machine.step("how many there are is said by this rank's own file", guard.at)))
    return cause


def counts_own(machine: Machine, asked: Symbol) -> bool:
    own = machine.facts.get(OWN_FILES, ())
    counted = (one for one in symbols_in(asked) if one.key[0] in LENGTHS)
    return any(inner in own for one in counted for inner in symbols_in(one))


def of_data(raised: list[Decision]) -> list[Decision]:
    """Those that are raised for what one rank has in its batch or its files."""
    return [one for one in raised if one.cause is not None and one.cause.kind == "data"]
