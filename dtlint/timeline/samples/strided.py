"""Does each rank take every n-th of the items that all of them go through: `if index % world_size != rank: continue`?

The items that are left over at the end are one more on some ranks. A loop that stops all ranks at a common index has no
such rest, unless it makes a number of pieces of each item that depends on the item.
"""

from __future__ import annotations

from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.logs import Choice, Log, Loop, inner_logs
from dtlint.machine.values import BY_RANK, Symbol
from dtlint.machine.walks import walk
from dtlint.timeline.ranks.parting import LEAVES, Divergence

INDEX = "index"
SIZES = ("world", "local", "group")
BOUNDS = frozenset({"compare >=", "compare >", "compare ==", "compare <", "compare <="})


def unequal(divergence: Divergence, index: Symbol) -> bool:
    """May one rank have more of the items counted by `index` than another?"""
    loop = next((node for node in reversed(divergence.path) if isinstance(node, Loop)), None)
    if loop is None or divergence.choice is None:
        return False
    return not bounded(loop, index) or any(cut_up(side) for side in inner_logs(divergence.choice))


def index_of(divergence: Divergence) -> Symbol | None:
    """What is counted, where its remainder by the number of ranks is compared with who the rank is."""
    choice, cause = divergence.choice, divergence.cause
    if choice is None or choice.symbol is None or cause is None or cause.kind not in BY_RANK:
        return None
    for one in symbols_in(choice.symbol):
        if one.key[0] == "op %" and counted(one.key[1]):
            if isinstance(one.key[2], tuple) and one.key[2][-1] in SIZES:
                return one.key[1]
    return None


def owns(divergence: Divergence) -> bool:
    """`hash(name) % world == rank`: whatever the name, one rank answers yes and the others no."""
    choice, cause = divergence.choice, divergence.cause
    if choice is None or choice.symbol is None or cause is None or cause.kind != "rank":
        return False
    asked = choice.symbol
    while asked.key[0] == "not":
        asked = asked.key[1]
    return asked.key[0] in ("compare ==", "compare !=") and any(
        isinstance(part, Symbol) and part.key[0] == "op %" and by_world(part.key[2]) and not counted(part.key[1])
        for part in asked.key[1:]
    )


def by_world(part: object) -> bool:
    return isinstance(part, tuple) and part[-1] == "world"


def counted(part: object) -> bool:
    return isinstance(part, Symbol) and part.key[0] == INDEX


def bounded(loop: Loop, index: Symbol) -> bool:
    """Is the loop left at an index that is the same for all?"""
    return any(
        isinstance(node, Choice)
        and not LEAVES.isdisjoint(node.exits)
        and node.symbol is not None
        and any(one.key[0] in BOUNDS and index in one.key[1:] for one in symbols_in(node.symbol))
        for node, _ in walk(loop.body)
    )


def cut_up(log: Log) -> bool:
    return any(isinstance(node, Loop) and node.kind == "while" for node, _ in walk(log))
