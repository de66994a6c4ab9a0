"""How do two numbers compare, by the sign between them?"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
