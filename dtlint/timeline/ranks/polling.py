"""Is a decision taken on a file that each rank looks for by itself, again and again, until somebody else makes it?"""

from __future__ import annotations

from dtlint.machine.control.agreeing import inside, settled
from dtlint.machine.control.failures import WRITES
from dtlint.machine.logs import Loop, plain_truth
from dtlint.machine.run import Run
from dtlint.machine.spoken import talks
from dtlint.machine.values import ITEMS, Symbol, Unknown, lane_value
from dtlint.timeline.places.files import ARRIVAL, Access, accesses, overlap
from dtlint.timeline.ranks.parting import Divergence


def polled(run: Run, divergence: Divergence) -> bool:
    """What is there before the program starts, all ranks see alike where they share a file system; and what one of
    them makes, they can agree on. What comes from outside comes between two of their looks."""
    cause = divergence.cause
    looped = divergence.loop is not None and divergence.loop.kind == "while"  # `while not stop.exists()`
    if cause is None or cause.kind != "files" or (divergence.choice is None and not looped):
        return False
    if divergence.choice is not None and not asks_for_files(divergence.choice.symbol):
        return False  # what was found there is asked for something else
    source = next(iter(cause.steps()), None)
    return source is not None and any(
        ask.kind == "file-ask"
        and (ask.event.path, ask.event.at[0]) == (source.path, source.line)
        and asked_in_turns(ask)
        and not made_here(run, ask)
        for ask in accesses(run)
    )


def asks_for_files(symbol: Symbol | None) -> bool:
    """Is it asked whether there is a file, or whether an answer to that was yes?"""
    if symbol is None:
        return True
    what, *of = symbol.key
    if what in ("phi", "split"):
        answers = any(side is not None and plain_truth(side) is not None for side in of[1:])
        asked = of[0].behind if isinstance(of[0], Symbol) and of[0].key[0] == "returned" else of[0]
        return (answers and isinstance(asked, Symbol) and asks_for_files(asked)) or any(
            isinstance(side, Symbol) and asks_for_files(side) for side in of[1:]
        )
    if what in ("not", "bool", "and", "or"):
        return any(isinstance(one, Symbol) and asks_for_files(one) for one in of)
    return what == "source"


def asked_in_turns(ask: Access) -> bool:
    """Is the same place asked about in every turn of a loop in which the ranks talk to each other?"""
    loops = [node for node in ask.path if isinstance(node, Loop) and talks(node.body, node.mask)]
    held = [lane_value(ask.value, lane) for lane in ask.lanes()]
    symbols = [value.symbol for value in held if isinstance(value, Unknown)]
    return bool(loops) and all(settled(symbol) and not of_items(symbol) for symbol in symbols)


def of_items(symbol: Symbol) -> bool:
    """Is it made of what a loop walks over: another place in every turn? `sys.argv[1]` is the same one."""
    return any(part.key[0] == ITEMS or (part.key[0] == "item" and not picked(part)) for part in inside(symbol))


def picked(symbol: Symbol) -> bool:
    return len(symbol.key) == 3 and type(symbol.key[2]) in (int, str)


def made_here(run: Run, ask: Access) -> bool:
    """Does the program itself make or remove what is asked for? Folders around it do not tell."""
    return any(
        one.kind in WRITES | {ARRIVAL}
        and any(overlap(place, ask.places[lane]) for lane in ask.lanes() for place in one.places)
        and (one.kind != "mkdir" or any(place in ask.places for place in one.places if place))
        for one in accesses(run)
    )
