"""What do the functions of `operator` give that ask a thing for an item, an attribute or a method?"""

from __future__ import annotations

from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Handler, Invocation
from dtlint.machine.values import Bound, Const, External, Tuple, Value


def asks(what: str) -> Handler:
    """`itemgetter("rank")`: a function that asks whatever it is given."""

    def handler(machine: Machine, call: Invocation) -> Value | None:
        given = tuple((name, value) for name, value in call.keywords if name is not None)
        return Bound(External(what), None, call.arguments, given) if call.arguments else None

    return handler


def items(machine: Machine, call: Invocation) -> Value:
    from dtlint.machine.names import subscripts

    *keys, thing = call.arguments
    return one_or_all([subscripts.item(machine, thing, key, call.mask) for key in keys])


def attributes(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.names import attributes as of

    *names, thing = call.arguments
    found: list[Value] = []
    for name in names:
        if not isinstance(name, Const) or not isinstance(name.value, str):
            return None
        held = thing
        for part in name.value.split("."):
            held = of.read(machine, held, part, call.mask)
        found.append(held)
    return one_or_all(found)


def one_or_all(found: list[Value]) -> Value:
    return found[0] if len(found) == 1 else Tuple(tuple(found))


def method(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.functions import calls
    from dtlint.machine.names import attributes as of

    name, *given, thing = call.arguments
    if not isinstance(name, Const) or not isinstance(name.value, str):
        return None
    called = of.read(machine, thing, name.value, call.mask)
    return calls.call_value(machine, called, tuple(given), call.keywords, call.mask, call.node)


# Python's names for its operators
BINARY = {
    **{"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@"},
    **{"and_": "&", "or_": "|", "xor": "^", "lshift": "<<", "rshift": ">>"},
}
COMPARING = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "is_": "is", "is_not": "is not"}


def operation(op: str) -> Handler:
    """`operator.and_(first, second)`"""

    def handler(machine: Machine, call: Invocation) -> Value | None:
        from dtlint.machine.contents import operators

        if len(call.arguments) != 2:
            return None
        if op in COMPARING.values():
            return operators.comparison(machine, op, *call.arguments, call.mask)
        return operators.arithmetic(machine, op, *call.arguments)

    return handler


def negated(machine: Machine, call: Invocation) -> Value | None:
    """`operator.not_(thing)`"""
    from dtlint.machine.names import expressions

    return expressions.negate(machine, call.arguments[0], call.mask) if len(call.arguments) == 1 else None


FUNCTIONS: dict[str, Handler] = {
    "operator.itemgetter": asks("dtlint.items"),
    "operator.attrgetter": asks("dtlint.attributes"),
    "operator.methodcaller": asks("dtlint.method"),
    "dtlint.items": items,
    "dtlint.attributes": attributes,
    "dtlint.method": method,
    "operator.not_": negated,
    **{f"operator.{name}": operation(op) for name, op in {**BINARY, **COMPARING}.items()},
}
