"""What do `+`, `+=` and `<` do to things whose class says so itself (`__add__`, `__iadd__`, `__lt__`)?"""

from __future__ import annotations

from dtlint.machine.core import Machine
from dtlint.machine.lanes import of_each, restrict
from dtlint.machine.values import ClassRef, FunctionRef, Object, Row, Value

ARITHMETIC = {
    "+": "add", "-": "sub", "*": "mul", "/": "truediv", "//": "floordiv", "%": "mod", "@": "matmul", "**": "pow",
    "|": "or", "&": "and", "^": "xor", "<<": "lshift", ">>": "rshift",
}  # fmt: skip
COMPARISONS = {"==": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}

METHODS = frozenset(f"__{before}{name}__" for name in ARITHMETIC.values() for before in ("", "i", "r"))


def computed(machine: Machine, op: str, left: Value, right: Value, mask: int) -> Value | None:
    """`left + right`; None where neither has a method for it."""
    name = ARITHMETIC.get(op)
    if name is None:
        return None
    found = called(machine, left, f"__{name}__", right, mask)
    return found if found is not None else called(machine, right, f"__r{name}__", left, mask)


def changed(machine: Machine, op: str, old: Value, value: Value, mask: int) -> Value | None:
    """`old += value`: what the name stands for afterwards."""
    found = called(machine, old, f"__i{ARITHMETIC[op]}__", value, mask) if op in ARITHMETIC else None
    return found if found is not None else computed(machine, op, old, value, mask)


def compared(machine: Machine, op: str, left: Value, right: Value, mask: int) -> Value | None:
    """`left < right`"""
    if op not in COMPARISONS:
        return None
    found = called(machine, left, f"__{COMPARISONS[op]}__", right, mask)
    return found if found is not None else called(machine, right, f"__{COMPARISONS[TURNED[op]]}__", left, mask)


def called(machine: Machine, owner: Value, name: str, other: Value, mask: int) -> Value | None:
    if isinstance(owner, Row):
        return of_each(owner, mask, lambda one, lanes: called(machine, one, name, restrict(other, lanes), lanes))
    if not isinstance(owner, Object) or not isinstance(owner.kind, ClassRef):
        return None
    from dtlint.machine.functions import calls
    from dtlint.machine.names import classes

    method = classes.in_class(machine, owner.kind, name)
    return calls.follow(machine, method, owner, (other,), (), mask) if isinstance(method, FunctionRef) else None
