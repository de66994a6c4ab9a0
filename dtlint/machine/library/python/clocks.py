"""How finely does what is said of the time tell it?

Ranks of one job read their clocks within a moment. What names the day, or the hour, is the same for all of them, but
where it ends just then; nobody makes anything else of such a name.
"""

from __future__ import annotations

import re
from typing import Any

from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import Const, Unknown, Value

PART = re.compile(r"%[-_0^#]?(.)")
COARSE = frozenset("YyCGmbBhdejaAwuUVWDFxHIpklZz%")  # years, months, days and hours


def is_coarse(written: Value | None) -> bool:
    if not isinstance(written, Const) or not isinstance(written.value, str):
        return False
    parts = PART.findall(written.value)
    return bool(parts) and COARSE.issuperset(parts)


def of_moment(machine: Machine, callee: Value, method: str, arguments: tuple[Value, ...]) -> Value | None:
    """`datetime.now().strftime("%Y-%m-%d")`, `datetime.now().date()`"""
    if callee.cause is None or callee.cause.kind != "clock" or not isinstance(callee, Unknown):
        return None
    coarse = method == "date" if not arguments else method == "strftime" and is_coarse(arguments[0])
    return machine.unknown("call", token(callee), *map(token, arguments)) if coarse else None


def formatted(machine: Machine, call: Invocation) -> Value | None:
    """`time.strftime("%Y-%m-%d")`"""
    return machine.unknown(call.name, *map(token, call.arguments)) if is_coarse(call.get("format")) else None


MODELS: dict[str, Any] = {"formatted_time": formatted}
