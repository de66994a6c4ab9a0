"""What do options hold that are made only where none were given: `if options is None: options = Options()`?

Those that were given have numbers and words of their own, under the same names.
"""

from __future__ import annotations

from dtlint.machine import attributes, instances
from dtlint.machine.core import Machine
from dtlint.machine.values import ClassRef, Const, Object, Unknown, Value


def perhaps_given(machine: Machine, made: Object, given: Value) -> None:
    """No default of `made` is known to hold, now that it stands for what was `given` as well."""
    kind = made.kind
    if not isinstance(given, Unknown) or given.cause is not None or not isinstance(kind, ClassRef):
        return
    if not any(name in instances.DATACLASSES for name in kind.decorated):
        return
    for name in instances.field_names(machine, kind):
        if isinstance(made.attributes.get(name) or attributes.in_class(machine, kind, name), Const):
            machine.set(made, name, machine.unknown("attr", given.symbol, name), made.birth)
