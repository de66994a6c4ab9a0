"""In which order does one go through a log, so that each part is seen once?"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from dtlint.machine.logs import Call, Event, Log, LogNode, Place, inner_logs

Above = TypeVar("Above")
Level = tuple[set[int], dict[tuple[int, Place], int]]  # the nodes seen, and the lanes that made each call last
TIMES = 3  # a remembered call is gone through again, at other places, so many times


def walk(log: Log) -> Iterator[tuple[LogNode, tuple[LogNode, ...]]]:
    """Every node, with the nodes above it; handlers and final parts included."""
    return visits(log, lambda node, side: node, modules=False)


def visits(
    log: Log, entry: Callable[[LogNode, int], Above], modules: bool
) -> Iterator[tuple[LogNode, tuple[Above, ...]]]:
    """Every node in the order of the program, with an entry for each node above it and the side of it that was taken;
    with `modules`, also what is run at an import, where the import stands.

    Logs share what follows a branch that some side left, so the tree is a graph: each log is walked once, the first
    way. The log of a call that is remembered happens again wherever the call stands; one call that stands there for
    some lanes on this side, and for others on that side, is one."""
    calls: dict[int, int] = {}
    stack: list[tuple[Iterator[LogNode], tuple[Above, ...], Level]] = [(iter(log.nodes), (), (set(), {}))]
    while stack:
        nodes, path, level = stack[-1]
        node = next(nodes, None)
        if node is None:
            stack.pop()
            continue
        seen, lanes = level
        if id(node) in seen:
            continue
        seen.add(id(node))
        yield node, path
        if isinstance(node, Event):
            inner = node.extra.get("module log") if modules else None
            if isinstance(inner, Log) and id(inner) not in calls:
                calls[id(inner)] = 1
                stack.append((iter(inner.nodes), path, (set(), {})))
        elif isinstance(node, Call):
            once = (id(node.log), node.at)
            through, lanes[once] = lanes.get(once, 0), node.mask
            if through and not through & node.mask:
                continue
            times = calls[id(node.log)] = calls.get(id(node.log), 0) + 1
            if node.log.nodes and times <= TIMES:
                stack.append((iter(node.log.nodes), (*path, entry(node, 0)), (set(), {})))
        else:
            below = [(side, part) for side, part in enumerate(inner_logs(node)) if id(part) not in seen and part.nodes]
            for side, part in reversed(below):
                seen.add(id(part))
                stack.append((iter(part.nodes), (*path, entry(node, side)), level))
