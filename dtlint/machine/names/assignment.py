"""How do values get into names, attributes and items?"""

from __future__ import annotations

from dtlint.ir import nodes as ir
from dtlint.ir.text import render
from dtlint.machine import library
from dtlint.machine.contents import containers, dictionaries, lacking, own_operators, written
from dtlint.machine.contents.presence import begun_as
from dtlint.machine.core import Machine
from dtlint.machine.lanes import map_lanes, token
from dtlint.machine.library.feeding import batches
from dtlint.machine.library.jax import key_counts
from dtlint.machine.library.jax import keys as jax_keys
from dtlint.machine.names import attributes, classes, put_items, said_types, subscripts
from dtlint.machine.values import (
    NONE,
    Bound,
    Cause,
    ClassRef,
    Const,
    External,
    FunctionRef,
    ModuleRef,
    Object,
    Row,
    SliceValue,
    Slots,
    Symbol,
    Tuple,
    Unknown,
    Value,
    content,
    lane_value,
)


def run_assign(machine: Machine, node: ir.Assign, mask: int) -> int:
    value = machine.evaluate(node.value, mask)
    mask &= ~machine.frame.left
    machine.current_at = node.at
    if "growing" in machine.facts:
        from dtlint.machine.library.computing import metrics

        metrics.named_anew(machine, node.targets[0], value, mask)
    if "running" in machine.facts:
        from dtlint.machine.library.meeting import lost_handles

        lost_handles.replaced(machine, node.targets, value)
    for target in node.targets:
        assign_target(machine, target, traced(machine, value, target), mask)
    if "answered" in machine.facts:
        from dtlint.machine.library.meeting import managers

        managers.assigned(machine, node.targets[0], node.value)
    if "running" in machine.facts:
        from dtlint.machine.library.meeting import lost_handles

        lost_handles.assigned(machine, value, node.targets[0], node.value)
    return mask


MOVED_ON = "moved on"  # fact of the run: symbols to which something was added where they stood


def run_augmented(machine: Machine, node: ir.AugAssign, mask: int) -> int:
    from dtlint.machine.contents.operators import arithmetic
    from dtlint.machine.library.computing import metrics
    from dtlint.machine.library.python import environment_use

    old = machine.evaluate(node.target, mask)
    value = machine.evaluate(node.value, mask)
    machine.current_at = node.at
    if isinstance(old, Object) and old.kind == "list" and node.op == "+":
        containers.extend(machine, old, value, mask)
        return mask
    if isinstance(old, Object) and node.op == "|" and dictionaries.is_plain(old):
        put_items.merge(machine, old, value, mask)
        return mask
    if isinstance(old, External) and node.op == "|" and environment_use.taken_over(machine, old, value, mask):
        return mask
    if isinstance(old, Object) and old.kind == "torch.Tensor":
        before = old.attributes.get("content", old)
        if node.op == "+":
            metrics.added(machine, before, old.number)
        machine.set(old, "content", arithmetic(machine, node.op, before, value), mask)
        metrics.grown(machine, old, node.op)
        return mask
    own = own_operators.changed(machine, node.op, old, value, mask)
    if own is not None:
        assign_target(machine, node.target, own, mask)
        return mask
    result = traced(machine, arithmetic(machine, node.op, old, value), node.target)
    if isinstance(old, Unknown) and node.op == "+":
        machine.facts.setdefault(MOVED_ON, set()).add(old.symbol)
        metrics.added(machine, old, machine.frame.variables.newer)
    if node.op in batches.OPERATORS:
        batches.noticed(machine, node, old, value, result)
    if isinstance(node.target, ir.Index):
        container = machine.evaluate(node.target.value, mask)
        if isinstance(container, Object) and container.kind == "torch.Tensor":
            metrics.grown(machine, container, node.op)
        if put_items.only_changes(container):
            put_items.change(machine, container, machine.evaluate(node.target.index, mask), result, mask)
            return mask
    assign_target(machine, node.target, result, mask)
    return mask


def run_annotated(machine: Machine, node: ir.AnnAssign, mask: int) -> int:
    if node.value is not None:
        value = machine.evaluate(node.value, mask)
        machine.current_at = node.at
        said_types.heard(machine, value, node.annotation, machine.frame)
        assign_target(machine, node.target, traced(machine, value, node.target), mask)
    elif machine.frame.is_class and isinstance(node.target, ir.Name):
        # a dataclass field without default: remember its type
        machine.frame.variables.setdefault(f"<annotation> {node.target.id}", machine.evaluate(node.annotation, mask))
        fields = machine.frame.variables.setdefault("<fields>", Tuple(()))
        assert isinstance(fields, Tuple)
        machine.frame.variables["<fields>"] = Tuple((*fields.items, Const(node.target.id)))
        return mask
    if machine.frame.is_class and isinstance(node.target, ir.Name) and node.value is not None:
        fields = machine.frame.variables.setdefault("<fields>", Tuple(()))
        assert isinstance(fields, Tuple)
        machine.frame.variables["<fields>"] = Tuple((*fields.items, Const(node.target.id)))
    return mask


def traced(machine: Machine, value: Value, target: ir.Expr) -> Value:
    """A differing value that gets a name gets a step on its trail."""
    if value.cause is None or not isinstance(target, ir.Name | ir.Attr):
        return value
    return with_cause(value, value.cause.then(machine.step(f"`{render(target)}` differs by {value.cause.kind}")))


def with_cause(value: Value, cause: Cause) -> Value:
    if isinstance(value, Row):
        return Row(value.lanes, cause)
    if isinstance(value, Unknown):
        return Unknown(value.symbol, cause, value.tags, value.like)
    return value


def assign_target(machine: Machine, target: ir.Expr, value: Value, mask: int) -> None:
    if value.tags and "off root" in machine.facts:
        from dtlint.machine.library.meeting import roots

        roots.stored(machine, target, value, mask)
    if isinstance(target, ir.Name):
        if "batch" in target.id:
            batches.named(machine, target.id, value)
        lacking.bound(machine, target.id, mask)
        machine.assign(target.id, value, mask)
    elif isinstance(target, ir.Attr):
        write_attribute(machine, machine.evaluate(target.value, mask), target.name, value, mask)
    elif isinstance(target, ir.Index):
        container = machine.evaluate(target.value, mask)
        index = machine.evaluate(target.index, mask)
        library.noticing.item_written(machine, container, index, value, mask)
        if isinstance(container, Unknown) and isinstance(target.value, ir.Index):
            put_inside(machine, target.value, container, value, mask)
        elif isinstance(container, Unknown):
            fill(machine, target.value, container, index, value, mask)
        if subscripts.by_name(machine, container, index, "__setitem__", (index, value), mask) is None:
            put_items.put(machine, container, index, value, mask)
    elif isinstance(target, ir.Tup | ir.ListExpr):
        unpack(machine, target.items, value, mask)
    elif isinstance(target, ir.Star):
        assign_target(machine, target.value, value, mask)


def put_inside(machine: Machine, target: ir.Index, held: Unknown, value: Value, mask: int) -> None:
    """`results[i]["name"] = name`: what a list of unknown things is told of the rank's own data, it holds."""
    told = told_of(machine, held, value)
    if told is not None:
        assign_target(machine, target, told, mask)


def fill(machine: Machine, target: ir.Expr, array: Unknown, index: Value, value: Value, mask: int) -> None:
    """`scores[index] = score`: an array that was made to be filled holds what it is told of the rank's own data, until
    all of it is told anew: `scores[:] = shared.numpy()`."""
    from dtlint.machine.contents import in_place

    if not is_filled(machine, array.symbol):
        return
    value = content(value)
    told = told_of(machine, array, value)
    whole = isinstance(index, SliceValue) and index.lower == index.upper == index.step == NONE
    if whole and array.cause is not None:
        told = machine.unknown("told", token(array), token(value), cause=value.cause, tags=value.tags)
    if told is not None:
        in_place.changed(machine, target, array, told, mask)


def is_filled(machine: Machine, symbol: Symbol) -> bool:
    symbol = begun_as(symbol)
    if symbol.key[0] == "told" and isinstance(symbol.key[1], Symbol):
        return is_filled(machine, symbol.key[1])
    row = machine.knowledge.apis.get(str(symbol.key[0]))
    return row is not None and bool(row.extra.get("to_fill"))


def told_of(machine: Machine, held: Unknown, value: Value) -> Unknown | None:
    if held.cause is not None or value.cause is None or value.cause.kind != "data":
        return None
    return machine.unknown("told", token(held), token(value), cause=value.cause, tags=held.tags | value.tags)


def write_attribute(machine: Machine, base: Value, name: str, value: Value, mask: int, by_own: bool = True) -> None:
    """`by_own`: a `__setattr__` of the project is asked."""
    if isinstance(base, Unknown) and base.like is not None:
        base = base.like
    if isinstance(base, Row):
        library.noticing.attribute_of_each_written(machine, base, name, mask)
        for lane, held in enumerate(base.lanes):
            if mask >> lane & 1:
                write_attribute(machine, held, name, lane_value(value, lane), 1 << lane, by_own)
        return
    if isinstance(base, Object) and isinstance(base.kind, ClassRef):
        setter = classes.in_class(machine, base.kind, f"<setter> {name}")
        if setter is not None:
            from dtlint.machine.functions import calls

            calls.follow(machine, setter, base, (value,), (), mask)  # type: ignore[arg-type]
            return
        if by_own and put_by_own(machine, base, name, value, mask):
            return
    library.noticing.attribute_written(machine, base, name, value, mask)
    if isinstance(base, Object):
        keep_default(machine, base, name)
        lacking.written(machine, base, name, mask)
        machine.set(base, ("key", name) if containers.NAMESPACE in base.facts else name, value, mask)
    elif isinstance(base, Unknown):
        if written.keeps(base):
            written.put_attribute(machine, base, name, value, attributes.of_unknown(machine, base, name, mask), mask)
    elif isinstance(base, ClassRef):
        machine.store(base.attributes, name, value, mask, machine.world.full)
    elif isinstance(base, FunctionRef | Bound):
        if isinstance(base, Bound) and isinstance(base.receiver, Object) and isinstance(base.function, External):
            # what the class of a library has there is no method: it is the same thing when it is read again
            machine.set(base.receiver, base.function.name.rpartition(".")[2], base, mask)
        if base.given is None:
            base.given = Slots(1)
        if name not in base.given:
            base.given[name] = attributes.read(machine, base, name, mask)  # not in the journal: it was there before
        machine.store(base.given, name, value, mask, machine.world.full)
    elif isinstance(base, ModuleRef):
        from dtlint.machine.names import scopes

        if base.path is not None:
            frame = scopes.load_module(machine, base.path)
            machine.store(frame.variables, name, value, mask, machine.world.full)


def put_by_own(machine: Machine, thing: Object, name: str, value: Value, mask: int) -> bool:
    """`__setattr__` of the project says where it goes; what it puts into the thing itself, by the way of `object`, is
    put there. A class of a library does more with it than is known."""
    from dtlint.machine.functions import calls

    assert isinstance(thing.kind, ClassRef)
    method = classes.in_class(machine, thing.kind, "__setattr__")
    if not isinstance(method, FunctionRef) or thing.number in machine.putting:
        return False
    machine.putting.add(thing.number)
    try:
        calls.follow(machine, method, thing, (Const(name), value), (), mask)
    finally:
        machine.putting.discard(thing.number)
    return not classes.external_bases(machine, thing.kind)


def keep_default(machine: Machine, thing: Object, name: str) -> None:
    """What its class says an attribute is, or how it looks it up, is what it stays where the write below a branch does
    not happen. (It says the same as before: nothing that a branch has to take back.)"""
    if isinstance(thing.kind, ClassRef) and name not in thing.attributes:
        usual = classes.in_class(machine, thing.kind, name)
        if usual is None and classes.in_class(machine, thing.kind, "__getattr__") is not None:
            usual = machine.unknown("attribute", thing.number, name)  # not asked: it may fail, and nobody looks
        if isinstance(usual, FunctionRef) and usual.kind == "function":
            usual = Bound(usual, thing)
        if isinstance(usual, Const | Tuple | Unknown | Row | Bound):
            thing.attributes[name] = usual


def unpack(machine: Machine, targets: tuple[ir.Expr, ...], value: Value, mask: int) -> None:
    from dtlint.machine.library.jax import hosts as jax_hosts
    from dtlint.machine.library.python import collecting, generators

    if generators.is_generator(value):
        value = collecting.drawn(machine, "list", value, mask) or value
    starred = next((index for index, target in enumerate(targets) if isinstance(target, ir.Star)), None)
    if machine.flow is not None and starred is None:
        jax_keys.taken_apart(machine, value, len(targets), mask)

    def take(index: int) -> Value:
        def one(held: Value) -> Value:
            if isinstance(held, Unknown) and held.like is not None:
                held = held.like
            known = containers.items_of(machine, held)
            position = index - len(targets) if starred is not None and index > starred else index
            if known is not None:
                if starred is None and len(known) == len(targets):
                    return known[index]
                if starred is not None and len(known) >= len(targets) - 1:
                    return known[position]
            part = jax_hosts.unpacked(machine, held, position)
            return part if part is not None else subscripts.item(machine, held, Const(position), mask)

        return map_lanes(one, (value,), machine.world)

    for index, target in enumerate(targets):
        if isinstance(target, ir.Star):
            known = containers.items_of(machine, value)
            if known is not None and len(known) >= len(targets) - 1:
                tail = len(targets) - index - 1
                rest: Value = Tuple(known[index : len(known) - tail])
            else:
                rest = rest_of(machine, value, len(targets) - 1, target)
            assign_target(machine, target.value, rest, mask)
        else:
            piece = take(index)
            assign_target(machine, target, traced(machine, piece, target), mask)


def rest_of(machine: Machine, value: Value, taken: int, target: ir.Star) -> Value:
    """What a star collects of something whose items nobody knows."""
    if machine.flow is not None:
        return key_counts.others(machine, value, taken, id(target))
    return machine.unknown("rest", id(target), token(value), cause=value.cause, tags=value.tags)
