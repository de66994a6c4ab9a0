"""Which thing stands in front, where `heapq` has put them in order?"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any

from dtlint.machine.contents import rearranged
from dtlint.machine.contents.operators import of_each_lane
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Handler, Invocation
from dtlint.machine.values import Object, Value


def ordered(change: Callable[..., Any], takes: bool) -> Handler:
    def handler(machine: Machine, call: Invocation) -> Value | None:
        several, *given = call.arguments or (None,)
        if not isinstance(several, Object) or several.kind != "list" or call.keywords:
            return None
        if not takes or machine.frame.one_by_one:
            things = tuple(of_each_lane(machine, one) for one in given)
            made = rearranged.rearranged(machine, several, change, things, call.mask)
            if made is not None:
                return made
        machine.set(several, "[]", machine.fresh("heap"), call.mask)
        return None

    return handler


FUNCTIONS: dict[str, Handler] = {
    f"heapq.{change.__name__}": ordered(change, takes)
    for change, takes in (
        (heapq.heappush, False),
        (heapq.heapify, False),
        (heapq.heappop, True),
        (heapq.heappushpop, True),
        (heapq.heapreplace, True),
    )
}
