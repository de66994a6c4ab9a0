"""What has been written onto a thing nobody knows: the options of the command line, a configuration that was read?

Such a thing is a symbol. What the program puts there under a name (`args.rank = …`, `config["rank"] = …`) is kept
beside the symbol and read again under that name; everything else about the thing stays unknown.
"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.core import Machine
from dtlint.machine.joining import join
from dtlint.machine.values import MISSING, TRUE, FunctionRef, Object, Slots, Symbol, Unknown, Value

WRITTEN = "written onto"  # fact of the run
THERE = "attributes put onto"  # fact of the run: is there such an attribute by now?
IN_SETTINGS = "in settings"  # fact of a dictionary that was put there
OWN = frozenset({"grad", "data", "requires_grad", "training"})  # tensors and modules are looked after elsewhere


def write(machine: Machine, base: Unknown, name: str, value: Value, before: Value, mask: int) -> None:
    """`before` is what is there for lanes that do not write, and on the other side of a branch."""
    if not keeps(base) or name in OWN:
        return
    if isinstance(value, Object) and value.kind == "dict":
        value.facts[IN_SETTINGS] = True
    known = machine.facts.setdefault(WRITTEN, {})
    slots = known.get(base.symbol)
    if slots is None:
        slots = known[base.symbol] = Slots(1)
    if name not in slots:
        machine.remembered.clear()  # any of those calls may have read it
        slots[name] = before  # not in the journal: it was there before any branch
    machine.store(slots, name, value, mask, machine.world.full)


def put_attribute(machine: Machine, base: Unknown, name: str, value: Value, before: Value, mask: int) -> None:
    """`args.rank = …`: from here on, `hasattr(args, "rank")` holds for these lanes."""
    write(machine, base, name, value, before, mask)
    if keeps(base):
        there = machine.facts.setdefault(THERE, {}).setdefault(base.symbol, Slots(1))
        if name not in there:
            there[name] = machine.unknown("hasattr", base.symbol, name)  # not in the journal, as above
        machine.store(there, name, TRUE, mask, machine.world.full)


def has_attribute(machine: Machine, base: Unknown, name: str) -> Value | None:
    """Has the program put it there, on every way to here?"""
    there = machine.facts.get(THERE, {}).get(base.symbol)
    if there is None:
        return None
    machine.heap_reads += 1
    return there.get(name)


def keeps(base: Unknown) -> bool:
    """Is it one thing for all that is known of it? Settings that were found in a file, or not, are what this rank has
    of them, and keep what it puts there."""
    return base.cause is None or base.cause.kind in ("files", "data")


def kept_by_function(machine: Machine, function: FunctionRef) -> bool:
    """`if not hasattr(get_group, "group"):` in its own body: what it keeps is made by the first call, and all calls but
    one find it there."""
    inner = machine.frame.function
    return inner is not None and inner.node is function.node


def made_by_function(machine: Machine, function: FunctionRef, name: str) -> Value | None:
    """`get_group.group = dist.new_group()`, in its own body: what the first call has made there, with all ranks."""
    if not kept_by_function(machine, function) or not isinstance(function.node, ir.Function):
        return None
    for node in every_node(function.node.body):
        if isinstance(node, ir.Assign) and any(puts_on(target, function.node.name, name) for target in node.targets):
            if function.given is None:
                function.given = Slots(1)
            # not in the journal: it was there before
            function.given[name] = machine.unknown("kept", id(function.node), name)
            sinks, machine.sinks = machine.sinks, []
            function.given[name] = value = machine.evaluate(node.value, machine.world.full)
            machine.sinks = sinks
            return value
    return None


def puts_on(target: ir.Expr, function: str, name: str) -> bool:
    if not isinstance(target, ir.Attr) or target.name != name:
        return False
    return isinstance(target.value, ir.Name) and target.value.id == function


def read(machine: Machine, base: Unknown, name: str) -> Value | None:
    known = machine.facts.get(WRITTEN)
    if not known:
        return None
    slots = known.get(base.symbol)
    if slots is None or name not in slots:
        return of_either(machine, base, name)
    machine.heap_reads += 1
    found = slots.get(name)
    return None if found is None or found is MISSING else found


def of_either(machine: Machine, base: Unknown, name: str) -> Value | None:
    """Settings that are read on one side of a branch and put together on the other: what is put there on one side, or
    on both."""
    sides = machine.symbols.either.get(base.symbol)
    held = [side for side in (sides.then, sides.other) if type(side) is Unknown] if sides is not None else []
    found = [one for one in (read(machine, side, name) for side in held) if one is not None]
    if len(found) == 2:
        assert sides is not None
        return join(found[0], found[1], machine.symbols, sides.question, None)
    return found[0] if found else None


def take_out(machine: Machine, base: Value, name: str, mask: int) -> None:
    """`del config["sampler"]`, `config.pop("sampler")`: by all ranks; on some it may stay."""
    slots = onto(machine, base)
    if slots is not None and name in slots and mask == machine.world.full:
        machine.store(slots, name, MISSING, mask, mask)


def copy(machine: Machine, base: Value, made: Unknown, mask: int) -> None:
    """A copy of settings has what was written onto them so far."""
    for name, held in list((onto(machine, base) or {}).items()):
        write(machine, made, name, held, held, mask)


def onto(machine: Machine, value: Value) -> Slots | None:
    """All that was written onto it."""
    known = machine.facts.get(WRITTEN)
    return known.get(value.symbol) if known and isinstance(value, Unknown) else None


def places(machine: Machine) -> dict[int, Symbol]:
    """Where it is kept, and what it was written onto."""
    return {id(slots): symbol for symbol, slots in machine.facts.get(WRITTEN, {}).items()}
