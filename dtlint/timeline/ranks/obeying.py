"""Which ranks do what another one tells them, turn by turn?"""

from __future__ import annotations

from dtlint.machine.control.agreeing import TOLD
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.logs import Call, Choice, Log, Loop
from dtlint.machine.values import Symbol


def takes_orders(choice: Choice) -> bool:
    """Which ranks come here each of them decides, and one side of it is a loop that ends when its ranks are told to."""
    return choice.cause is not None and any(map(is_taking_orders, (choice.then, choice.other)))


def is_taking_orders(log: Log) -> bool:
    """An endless loop, perhaps with a function around it: what has an end of its own is no service."""
    return any(
        (isinstance(node, Loop) and (goes_on_as_told(node) or (node.decision.endless and obeys(node.body))))
        or (isinstance(node, Call) and is_taking_orders(node.log))
        for node in log.nodes
    )


def follows_orders(loop: Loop) -> bool:
    """A loop that ends, or goes on, by what it has received: the others tell it what to call next."""
    return goes_on_as_told(loop) or obeys(loop.body)


def goes_on_as_told(loop: Loop) -> bool:
    """`while receive() is not STOP:`"""
    return loop.cause is None and loop.asked is not None and was_told(loop.asked)


def obeys(log: Log) -> bool:
    """Does a way out of a turn depend on what was received?"""
    for node in log.nodes:
        if isinstance(node, Choice):
            if any(node.exits) and node.symbol is not None and node.cause is None and was_told(node.symbol):
                return True
            if obeys(node.then) or obeys(node.other):
                return True
    return False


def was_told(symbol: Symbol) -> bool:
    return any(one.key[0] in TOLD for one in symbols_in(symbol))
