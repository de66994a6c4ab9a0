"""What happens to parameters, gradients and optimizers between two steps?"""

from __future__ import annotations

from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.core import Machine
from dtlint.machine.values import Value


def attribute_written(machine: Machine, base: Value, name: str, value: Value, mask: int) -> None:
    return None


def discarded(machine: Machine, node: ir.Expr, value: Value, mask: int) -> None:
    return None


MODELS: dict[str, Any] = {}
