"""Which processes wait for each other at a file that one of them has locked?"""

from __future__ import annotations

from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.logs import Decision, Guards
from dtlint.machine.starts.state import objects_in
from dtlint.machine.values import NONE, External, Unknown, Value

LOCK = "lock"  # kind of a decision: what stands under it is done by one process after the other
UNLOCKS, SHARES = "LOCK_UN", "LOCK_SH"


def locked(machine: Machine, call: Invocation) -> Value:
    """`fcntl.flock(handle, fcntl.LOCK_EX)`: who comes next with this file waits until this one has closed it, or says
    that it is done."""
    for held in objects_in(call.arguments[0]) if call.arguments else ():
        if "opened" in held.facts:
            held.facts["opened"].extra["locked"] = True
    how = {name for value in call.values for name in flags_in(value)}
    frame = machine.frame
    if UNLOCKS in how:
        unlock(machine)
    elif SHARES not in how:
        at = machine.current_at
        alone = Decision(LOCK, frame.path, at, "with a lock", None, call.mask, call.mask, frame.scope)
        frame.guards = Guards(alone, frame.guards)
    return NONE


def unlock(machine: Machine) -> None:
    guards = machine.frame.guards
    if guards is not None and guards.decision.kind == LOCK:
        machine.frame.guards = guards.outer


def flags_in(value: Value) -> list[str]:
    """`fcntl.LOCK_EX | fcntl.LOCK_NB`"""
    if isinstance(value, External):
        return [value.name.rpartition(".")[2]]
    keys = value.symbol.key if isinstance(value, Unknown) else ()
    return [part.rpartition(".")[2] for part in keys if isinstance(part, str)]


MODELS: dict[str, Any] = {"lock_file": locked}
