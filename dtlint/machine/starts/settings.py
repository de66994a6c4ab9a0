"""Which defaults of options hold? Those that were given have numbers and words of their own, under the same names:
`if options is None: options = Options()`, `setattr(options, name, value)`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from dtlint.machine.core import Machine
from dtlint.machine.functions import instances
from dtlint.machine.names import classes
from dtlint.machine.values import FALSE, ClassRef, Const, Object, Symbol, Unknown, Value


def perhaps_given(machine: Machine, made: Object, given: Value) -> None:
    """No default of `made` is known to hold, now that it stands for what was `given` as well."""
    kind = made.kind
    if not isinstance(given, Unknown) or given.cause is not None or not isinstance(kind, ClassRef):
        return
    if any(name in instances.DATACLASSES for name in kind.decorated):
        unsettle(machine, made, kind, instances.field_names(machine, kind), given.symbol, made.birth)


def perhaps_named(machine: Machine, made: Object | ClassRef, name: Unknown, spelled: str | None, mask: int) -> None:
    """Whatever holds a default may be what is meant by a name that nobody knows, or of which a part is `spelled`."""
    kind = made if isinstance(made, ClassRef) else made.kind
    if name.cause is not None or not isinstance(kind, ClassRef):
        return
    held = {} if isinstance(made, ClassRef) else dict.fromkeys(made.attributes)
    for owner in classes.linearise(machine, kind):
        if isinstance(owner, ClassRef):
            held.update(dict.fromkeys(owner.attributes))
    fitting = [one for one in held if isinstance(one, str) and (spelled is None or re.fullmatch(spelled, one))]
    if isinstance(made, ClassRef):
        unsettle_class(machine, made, fitting, machine.symbols.of("named", name.symbol, made.name), mask)
    else:
        unsettle(machine, made, kind, fitting, machine.symbols.of("named", name.symbol, made.number), mask)


def by_a_caller(machine: Machine, made: Object) -> None:
    """Options of which nobody sees who makes them: what is off unless somebody asks for it may have been asked for."""
    kind = made.kind
    if not isinstance(kind, ClassRef) or not any(name in instances.DATACLASSES for name in kind.decorated):
        return
    for name in instances.field_names(machine, kind):
        if (made.attributes.get(name) or classes.in_class(machine, kind, name)) == FALSE:
            machine.set(made, name, machine.unknown("field", kind.name, name), machine.world.full)


def unsettle(machine: Machine, made: Object, kind: ClassRef, names: Iterable[str], source: Symbol, mask: int) -> None:
    for name in names:
        if isinstance(made.attributes.get(name) or classes.in_class(machine, kind, name), Const):
            machine.set(made, name, machine.unknown("attr", source, name), mask)


def unsettle_class(machine: Machine, kind: ClassRef, names: Iterable[str], source: Symbol, mask: int) -> None:
    """Settings that are kept in a class itself, which nobody makes an instance of."""
    for name in names:
        if isinstance(classes.in_class(machine, kind, name), Const) and not name.startswith("__"):
            held = machine.unknown("attr", source, name)
            machine.store(kind.attributes, name, held, mask, machine.world.full)
