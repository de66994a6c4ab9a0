"""Of the functions that nobody calls, who is seen with whom, and who is run first?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node

Method = tuple[ir.Function, ir.Class | None]


def drivers(chosen: Sequence[Method], others: Sequence[Method]) -> list[Method]:
    """The methods that call chosen ones of their own class: what a step, a validation and a save do is seen best in
    the order in which `fit` has it done."""
    driven: dict[int, set[str]] = {}
    for function, owner in chosen:
        if owner is not None:
            driven.setdefault(id(owner), set()).add(function.name)
    known = {id(function) for function, _ in chosen}
    waiting = [pair for pair in others if id(pair[1]) in driven and id(pair[0]) not in known]
    found: list[Method] = []
    while more := [pair for pair in waiting if drives(pair[0], driven[id(pair[1])])]:
        found += more
        for function, owner in more:
            driven[id(owner)].add(function.name)
        waiting = [pair for pair in waiting if pair not in more]
    return found


def joining(chosen: Sequence[Method], others: Sequence[Method]) -> list[Method]:
    """The functions that call a chosen one of their file by name and another function beside it: what one of them
    makes, writes or wraps and the other uses is seen there only."""
    names = {function.name for function, owner in chosen if owner is None}
    own = names.union(function.name for function, owner in others if owner is None)
    known = {id(function) for function, _ in chosen}
    waiting = [pair for pair in others if id(pair[0]) not in known and not names.isdisjoint(pair[0].tokens)]
    found = []
    for pair in waiting:
        called = own.intersection(called_by_name(pair[0]))
        if len(called) > 1 and not names.isdisjoint(called):
            found.append(pair)
    return found


def called_by_name(function: ir.Function) -> Iterator[str]:
    for node in every_node(function.body):
        if isinstance(node, ir.Call) and isinstance(node.func, ir.Name) and node.func.id != function.name:
            yield node.func.id


def drives(function: ir.Function, methods: set[str]) -> bool:
    return not methods.isdisjoint(function.tokens) and not methods.isdisjoint(called_on_itself(function))


def called_on_itself(function: ir.Function) -> Iterator[str]:
    first = function.params[0].name if function.params else ""
    for node in every_node(function.body):
        if isinstance(node, ir.Call) and isinstance(node.func, ir.Attr) and isinstance(node.func.value, ir.Name):
            if node.func.value.id == first and node.func.name != function.name:
                yield node.func.name


def callers_first(waiting: list[Method]) -> list[Method]:
    """A function that another one calls is seen best from there, with the arguments and under the decision it is
    given; where they call each other in turn, the upper one begins."""
    order: dict[int, Method] = {}
    begun: set[int] = set()
    callers: dict[str, list[Method]] = {pair[0].name: [] for pair in waiting}
    for pair in waiting:
        for name in callers.keys() & pair[0].tokens:
            callers[name].append(pair)

    def put(pair: Method) -> None:
        if id(pair[0]) in begun:
            return
        begun.add(id(pair[0]))
        for caller in callers[pair[0].name]:
            put(caller)
        order[id(pair[0])] = pair

    for pair in sorted(waiting, key=lambda pair: (pair[0].at or (0,))[0]):
        put(pair)
    return list(order.values())
