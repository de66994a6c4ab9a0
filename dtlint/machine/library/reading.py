"""What is read from values of libraries: attributes, items, elements, lengths?"""

from __future__ import annotations

from dtlint.knowledge.rows import Api
from dtlint.machine import library
from dtlint.machine.contents import containers, dealt, filled_by
from dtlint.machine.core import Machine
from dtlint.machine.lanes import of_each, token
from dtlint.machine.library.computing import tensors
from dtlint.machine.library.feeding import data, loaders
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import hosts as jax_hosts
from dtlint.machine.library.meeting import identity, meshes
from dtlint.machine.library.python import (
    bars,
    environment_use,
    files,
    generators,
    iterators,
    namespaces,
    options,
    own_order,
)
from dtlint.machine.library.python import builtins as python
from dtlint.machine.library.training import stepping
from dtlint.machine.names import classes
from dtlint.machine.values import (
    FILLED,
    Bound,
    ClassRef,
    Const,
    External,
    FunctionRef,
    Object,
    Row,
    Symbol,
    Tuple,
    Unknown,
    Value,
)

FEW = 8  # items that are looked at one by one
BY_NAME = "by name"  # fact of the run: the steps where an attribute or a parameter was taken for the rank by its name


def value_of(machine: Machine, row: Api, name: str, mask: int, owner: Value | None = None) -> Value:
    """Read an attribute a pack describes, of its owner."""
    if "number" in row.extra:
        return Const(float(row.extra["number"]))
    handler = library.calling.HANDLERS.get(row.model) if row.model else None
    invocation = Invocation(name, row, owner, (), (), mask, None)
    if handler is not None:
        found = handler(machine, invocation)
        if found is not None:
            return found
    if row.does == "value":
        return identity.lane_value_of(machine, row.value, identity.short(name))
    return library.calling.perform(machine, row, None, (), (), mask, None)


def member_value(machine: Machine, row: Api, name: str, mask: int) -> Value:
    if row.does == "make":
        made = machine.new(row.type, mask)
        return made
    return taken_by_name(machine, row.value, name)


def taken_by_name(machine: Machine, what: str, name: str) -> Value:
    """An attribute or a parameter nobody gives: its name says which number it is."""
    found = identity.lane_value_of(machine, what, name)
    if found.cause is not None:
        machine.facts.setdefault(BY_NAME, set()).update(found.cause.steps())
    return found


def read_attribute(machine: Machine, thing: Object, name: str, mask: int) -> Value | None:
    if thing.kind == tensors.KIND:
        return tensors.attribute(machine, thing, name)
    stepping.attribute_read(machine, thing, name, mask)
    if thing.kind == "<super>":
        return super_attribute(machine, thing, name, mask)
    if "module" in thing.attributes and name == "module":
        return thing.attributes["module"]
    if thing.kind == files.PATH:
        return files.attribute(machine, thing, name, mask)
    found = data.attribute(machine, thing, name, mask) or bars.option(machine, thing, name)
    if found is not None:
        return found
    if isinstance(thing.kind, str) and thing.facts.get("wrapped"):
        from dtlint.machine.names import attributes

        inner = thing.attributes.get("module")
        if inner is not None and machine.knowledge.method(thing.kind, name) is None:
            return attributes.read(machine, inner, name, mask)
    return None


def super_attribute(machine: Machine, thing: Object, name: str, mask: int) -> Value:
    from dtlint.machine.names import attributes, classes

    owner, receiver = thing.facts.get("owner"), thing.facts.get("receiver")
    kind = receiver.kind if isinstance(receiver, Object) else receiver if isinstance(receiver, ClassRef) else None
    if not isinstance(kind, ClassRef):
        return machine.unknown("super", name)
    order = classes.linearise(machine, kind)
    start = order.index(owner) + 1 if owner in order else 0
    for base in order[start:]:
        if isinstance(base, ClassRef):
            found = base.attributes.get(name)
            if found is not None and isinstance(receiver, Object):
                return attributes.bind(machine, found, receiver, mask)
        elif isinstance(base, External):
            return Bound(External(f"{base.name}.{name}"), receiver)
    return Bound(External(f"builtins.object.{name}"), receiver)


def read_item(machine: Machine, base: Value, index: Value, mask: int) -> Value | None:
    if environment_use.holds_variables(base, index):
        value = python.read_environment(machine, index, None)
        return Unknown(value.symbol, value.cause, value.tags | {options.DEMANDED}) if type(value) is Unknown else value
    if isinstance(base, Object) and base.kind == meshes.MESH_KIND:
        return meshes.mesh_part(machine, base, index, mask)
    found = (
        jax_hosts.read_item(machine, base, index)
        or files.read_item(machine, base, index, mask)
        or namespaces.loaded(machine, base, index)
    )
    if found is not None:
        return found
    return data.read_item(machine, base, index, mask)


def iterated(machine: Machine, value: Value, mask: int) -> Value:
    """What a `for` really walks over."""
    return listed(given_by_own(machine, value, mask))


def listed(value: Value) -> Value:
    from dtlint.machine.names import subscripts

    return subscripts.listed_parts(value) or value


def given_by_own(machine: Machine, value: Value, mask: int) -> Value:
    """What `__iter__` gives, where the class is one of the project's."""
    if isinstance(value, Row) and any(isinstance(getattr(one, "kind", None), ClassRef) for one in value.lanes):
        return of_each(value, mask, lambda one, lanes: given_by_own(machine, one, lanes)) or value
    if not isinstance(value, Object) or not isinstance(value.kind, ClassRef):
        return value
    from dtlint.machine.functions import calls

    batches = loaders.inside_of(value)
    method = classes.in_class(machine, value.kind, "__iter__")
    if not isinstance(method, FunctionRef):
        behind = containers.behind(value)
        if behind is not value:
            return iterated(machine, behind, mask)
        return (place_by_place(machine, value, mask) if batches is value else None) or batches
    given = calls.follow(machine, method, value, (), (), mask)
    return given if batches is value or made_here(given) else batches


def place_by_place(machine: Machine, several: Object, mask: int) -> Tuple | None:
    """What Python takes from a class that has `__len__` and `__getitem__` only, if there is little."""
    from dtlint.machine.functions import calls

    assert isinstance(several.kind, ClassRef)
    length, item = (classes.in_class(machine, several.kind, name) for name in ("__len__", "__getitem__"))
    if not isinstance(length, FunctionRef) or not isinstance(item, FunctionRef):
        return None
    count = calls.follow(machine, length, several, (), (), mask)
    if not isinstance(count, Const) or type(count.value) is not int or not 0 <= count.value <= FEW:
        return None
    return Tuple(tuple(calls.follow(machine, item, several, (Const(one),), (), mask) for one in range(count.value)))


def made_here(iterator: Value) -> bool:
    """Does the project say what comes of it? What a library makes of the batches are batches."""
    return isinstance(iterator, Object) and (isinstance(iterator.kind, ClassRef) or iterator.kind == "<generator>")


def element(machine: Machine, value: Value, mask: int) -> Value:
    taken = iterators.taken(machine, value, mask)
    if taken is not None:
        return taken
    if isinstance(value, Object) and isinstance(value.kind, str):
        inner = value.facts.get("inner")
        if value.kind == "<enumerate>" and inner:
            counted = own_order.numbered(machine, inner[0], machine.fresh("index"))
            return Tuple((counted, one_more(machine, value, inner[0], mask)))
        if value.kind in ("<islice>", "<cycle>") and inner:
            return one_more(machine, value, inner[0], mask)
        if value.kind == "<zip>" and inner:
            return Tuple(tuple(one_more(machine, value, one, mask) for one in inner))
        if value.kind == "builtins.range":
            return data.number(machine, value)
        found = data.element(machine, value, mask) or through(machine, value, mask)
        if found is not None:
            return found
    key = jax_hosts.element(machine, value)
    return key if key is not None else containers.element(machine, value)


def one_more(machine: Machine, whole: Object, inner: Value, mask: int) -> Value:
    """The next of what `zip(…)` goes through, which was begun when that was made."""
    walk = iterated(machine, inner, mask)
    if generators.is_generator(walk):
        walk.facts.setdefault(generators.SINCE, whole.number)
    return element(machine, walk, mask)


WALKED = frozenset({"builtins.range", "list", "<enumerate>", "<zip>", "<islice>"})


def through(machine: Machine, value: Object, mask: int) -> Value | None:
    """Something of a library that was given other things to walk over gives items which differ as theirs do."""
    call = value.facts.get("call")
    for given in call.values if isinstance(call, Invocation) else ():
        if isinstance(given, Object) and given.kind in WALKED:
            item = element(machine, given, mask)
            if item.cause is not None:
                return machine.unknown("item", token(value), cause=item.cause, tags=item.tags)
    return None


def length(machine: Machine, value: Value, mask: int) -> Value | None:
    """The number of items, where it is known or known to differ."""
    if isinstance(value, Object) and isinstance(value.kind, str):
        apart = containers.of_lanes(value)
        if apart is not None and filled_by.holders(value, mask) is None:
            return length(machine, apart, mask)
        dealt.counted(value)
        if value.kind == "builtins.range":
            return value.attributes["count"]
        inner = value.facts.get("inner")
        if inner and not value.facts.get(generators.BOUNDED):
            return length(machine, inner[0], mask)
        found = data.length(machine, value)
        if found is not None:
            return found
    if isinstance(value, Unknown):
        counted = jax_hosts.count_of(machine, value)
        if counted is not None:
            return counted
        parts = tensors.pieces(value.symbol)
        if parts is not None:
            return Unknown(parts) if isinstance(parts, Symbol) else Const(parts)
    if isinstance(value, Const) and isinstance(value.value, str | bytes):
        return Const(len(value.value))
    items = containers.items_of(machine, value)
    if items is not None:
        unsure = value.attributes.get(FILLED) if isinstance(value, Object) else None
        if isinstance(unsure, Unknown):
            return machine.unknown("len", unsure.symbol, cause=unsure.cause)
        return Const(len(items))
    if isinstance(value, Row):
        lanes = [length(machine, held, mask) for held in value.lanes]
        if all(lane is not None for lane in lanes):
            from dtlint.machine.lanes import row

            return row(tuple(lane for lane in lanes if lane is not None), value.cause)
    return None


def uneven_length(machine: Machine, value: Value, mask: int) -> Value | None:
    """`rows.shape[0]`, `rows.size(0)`: the number of rows, where it differs between lanes as that of the list would."""
    cause = containers.length_cause(machine, value)
    if cause is None:
        return None
    known = length(machine, value, mask)
    return known if known is not None else machine.unknown("len", token(value), cause=cause)
