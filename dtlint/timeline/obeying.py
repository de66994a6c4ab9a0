"""Which ranks do what another one tells them, turn by turn?"""

from __future__ import annotations

from dtlint.machine.agreeing import TOLD
from dtlint.machine.library.provenance import symbols_in
from dtlint.machine.logs import Choice, Log, Loop
from dtlint.machine.values import Symbol
from dtlint.machine.walks import walk


def takes_orders(choice: Choice) -> bool:
    """Is on one side of the branch a loop that ends when its ranks are told to?"""
    sides = (node for side in (choice.then, choice.other) for node, _ in walk(side))
    return any(isinstance(node, Loop) and obeys(node.body) for node in sides)


def obeys(log: Log) -> bool:
    """A loop that ends, or goes on, by what it has received: the others tell it what to call next."""
    for node in log.nodes:
        if isinstance(node, Choice):
            if any(node.exits) and node.symbol is not None and node.cause is None and was_told(node.symbol):
                return True
            if obeys(node.then) or obeys(node.other):
                return True
    return False


def was_told(symbol: Symbol) -> bool:
    return any(one.key[0] in TOLD for one in symbols_in(symbol))
