"""Is this a tensor: `torch.is_tensor(value)`?

What ranks hold differs sooner than of what kind it is: the answer is one for all.
"""

from __future__ import annotations

from typing import Any

from dtlint.machine.contents.number_types import is_python_number
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.values import FALSE, Const, Object, Unknown, Value

CONTAINERS = ("list", "dict", "set")


def asked(machine: Machine, call: Invocation) -> Value:
    value = call.arguments[0] if call.arguments else None
    if value is not None and is_none(value):
        return FALSE
    return machine.unknown("kind", call.name, *(token(one) for one in call.values))


def is_none(value: Value) -> bool:
    if isinstance(value, Unknown):
        return is_python_number(value.symbol)
    return isinstance(value, Const) or (isinstance(value, Object) and value.kind in CONTAINERS and not value.doubted)


MODELS: dict[str, Any] = {"tensor_asked": asked}
