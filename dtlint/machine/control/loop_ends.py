"""Who comes to the `else` of a loop?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from dtlint.ir import nodes as ir
from dtlint.machine.core import Machine
from dtlint.machine.logs import Decision, Place, decisions
from dtlint.machine.names.frames import LoopState
from dtlint.machine.values import Cause


@dataclass(frozen=True, slots=True)
class Broken:
    """Lanes that a `break` keeps from it: in every turn that there is, or in one that nobody can tell."""

    sure: int
    perhaps: tuple[tuple[int, Decision], ...]  # lanes, and the first question by which they break
    parted: dict[int, tuple[Decision, Place]]  # by the lanes that break: from those who do not, and where


def broken(state: LoopState, through: int) -> Broken:
    """To be asked before what the sides that left have written is joined."""
    asked: dict[int, Decision] = {}
    for leaving in state.leavings:
        if leaving.word == "break":
            asked.setdefault(leaving.mask, leaving.decision)
    return Broken(state.broke & ~through, tuple(asked.items()), state.parted)


def breaks(machine: Machine, at: Place, mask: int) -> None:
    state = machine.frame.loops[-1]
    state.broke |= mask
    apart = next((one for one in decisions(machine.frame.guards) if one.before & ~one.taken), None)
    if apart is not None:
        state.parted.setdefault(mask, (apart, at))


def otherwise(machine: Machine, node: ir.For | ir.While, lanes: int, ended: Broken) -> int:
    """Those that came to the end of the walk."""
    if not ended.sure & lanes:
        return unbroken(machine, node, lanes, ended)

    def walked(some: int) -> int:
        rest = some & ~ended.sure
        return (unbroken(machine, node, rest, ended) if rest else 0) | (some & ended.sure)

    return undecided(
        machine,
        lanes,
        None,
        node.at,
        "there is something to walk over",
        walked,
        lambda some: machine.run(node.orelse, some),
    )


def unbroken(machine: Machine, node: ir.For | ir.While, lanes: int, ended: Broken, asked: int = 0) -> int:
    """Where the loop turns, one question after the other: those that have not left by it, and those not asked."""
    if asked == len(ended.perhaps):
        return behind(machine, ended, ended.sure & ~lanes, lambda: machine.run(node.orelse, lanes))
    who, decision = ended.perhaps[asked]

    def on(some: int) -> int:
        return unbroken(machine, node, some, ended, asked + 1)

    perhaps, others = lanes & who, lanes & ~who
    staying = 0
    if perhaps:
        text = f"no `{decision.text}`"
        staying = undecided(machine, perhaps, decision.cause, decision.at, text, on, lambda some: some)
    if others:
        staying |= behind(machine, ended, perhaps, lambda: on(others))
    return staying


def undecided(
    machine: Machine,
    lanes: int,
    cause: Cause | None,
    at: Place,
    text: str,
    then: Callable[[int], int],
    other: Callable[[int], int],
) -> int:
    from dtlint.machine.control.branches import choose

    return choose(machine, lanes, cause, machine.symbols.fresh("walked"), at, lambda: text, then, other)


def behind(machine: Machine, ended: Broken, gone: int, run: Callable[[], int]) -> int:
    """For those who are still there, where others have left."""
    left = next((found for who, found in ended.parted.items() if who & gone), None)
    if left is None:
        return run()
    asked, at = left
    frame = machine.frame
    whole = gone | frame.mask
    away = Decision("exit", frame.path, asked.at, asked.text, asked.cause, gone, whole, frame.scope, at, "break")
    return machine.guarded(away, run)
