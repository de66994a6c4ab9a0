"""What does a name or an attribute hold?"""

from __future__ import annotations

import builtins
import re
from collections import Counter, deque

from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.knowledge.rows import Api
from dtlint.machine import library
from dtlint.machine.contents import containers, lacking, written
from dtlint.machine.core import Machine
from dtlint.machine.functions import kept, one_of_several
from dtlint.machine.joining import join
from dtlint.machine.lanes import map_lanes, token
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.meeting import identity
from dtlint.machine.library.python import plainly
from dtlint.machine.logs import Log
from dtlint.machine.names import enumerations, said_types
from dtlint.machine.names.classes import external_bases, in_class
from dtlint.machine.names.frames import Frame
from dtlint.machine.starts.given import PARSED
from dtlint.machine.values import (
    CONTAINERS,
    MISSING,
    NONE,
    Bound,
    ClassRef,
    Const,
    External,
    FunctionRef,
    Member,
    ModuleRef,
    Object,
    Row,
    Symbol,
    Tuple,
    Unknown,
    Value,
)

# properties and methods that are equal on all ranks though the values differ
ALIKE = frozenset(
    {"type", "dtype", "device", "layout", "ndim", "dim", "shape", "device_mesh", "placements", "itemsize"}
    | {"is_cuda", "is_floating_point", "is_complex", "is_sparse", "is_meta", "is_quantized", "requires_grad"}
)
NAME = "__name__"
PART_OF_A_PART = "part of a part"  # word of a symbol: of what a library has made
BUILTINS = frozenset(dir(builtins))
COLLECTIONS: dict[str, type] = {"deque": deque, "Counter": Counter}


def lookup(machine: Machine, name: str) -> Value | None:
    frame: Frame | None = machine.frame
    if frame is not None and name not in frame.global_names:
        found = frame.variables.get(name)
        if found is not None and found is not MISSING:
            return found
    found = closed_over(frame.closure if frame else None, name)
    if found is not None:
        return found
    found = frame.globals.variables.get(name) if frame else None
    if found is not None and found is not MISSING:
        return found
    if name in BUILTINS:
        return External(f"builtins.{name}")
    return None


def closed_over(frame: Frame | None, name: str) -> Value | None:
    """What a name holds in a frame or in those around it; a class hides its own from its methods."""
    while frame is not None:
        found = None if frame.is_class else frame.variables.get(name)
        if found is not None and found is not MISSING:
            return found
        frame = frame.closure
    return None


def read(machine: Machine, base: Value, name: str, mask: int) -> Value:
    if isinstance(base, Row):
        first = base.lanes[0]
        if name in ALIKE and isinstance(first, Unknown) and all(isinstance(held, Unknown) for held in base.lanes):
            return machine.unknown("attr", first.symbol, name)  # the kind of a tensor, whatever each rank has in it
        return map_lanes(lambda held: read_one(machine, held, name, mask), (base,), machine.world)
    return read_one(machine, base, name, mask)


def read_one(machine: Machine, base: Value, name: str, mask: int) -> Value:
    from dtlint.machine.library.python import namespaces
    from dtlint.machine.library.training import operations

    if isinstance(base, External):
        return external(machine, base.name, name, mask)
    if isinstance(base, ModuleRef):
        held = namespaces.of(machine, base, mask) if name == "__dict__" else None
        return held or of_module(machine, base, name, mask)
    if isinstance(base, Object):
        return of_object(machine, base, name, mask)
    if isinstance(base, ClassRef):
        found = in_class(machine, base, name)
        if isinstance(found, FunctionRef) and found.kind == "class":
            return Bound(found, base)
        if isinstance(found, FunctionRef) and found.kind == "class property":
            from dtlint.machine.functions import calls

            return calls.follow(machine, found, base, (), (), mask)
        if found is not None:
            return enumerations.member(machine, base, name, found)
        if name == NAME:
            return Const(base.node.name)
        from dtlint.machine.functions import own_kind

        return (
            operations.computed_by(machine, base, name)
            or own_kind.maker(machine, base, name)
            or machine.unknown("class attribute", base.name, name)
        )
    if isinstance(base, Unknown):
        return of_unknown(machine, base, name, mask)
    if isinstance(base, Bound | FunctionRef):
        found = given(base, name)
        if found is not None:
            return found
        if isinstance(base, Bound) and name in ("func",):
            return base.function
        if isinstance(base, Bound) and base.receiver is None and base.otherwise is not None:
            return one_of_several.of_maker(machine, base, name, mask)
        if isinstance(base, FunctionRef) and name == NAME and isinstance(base.node, ir.Function):
            return Const(base.node.name)
        made = written.made_by_function(machine, base, name) if isinstance(base, FunctionRef) else None
        word = PART_OF_A_PART if of_a_record(base) else "function attribute"
        return made or machine.unknown(word, token(base), name)
    if isinstance(base, Const | Tuple):
        own = enumerations.read(machine, base, name, mask) if isinstance(base, Member) else None
        if own is not None:
            return own
        if base != NONE and not has(type_name(base), name):
            if name == "value":
                return base  # a member of an enumeration: the machine holds what it stands for
            return machine.unknown("attribute", token(base), name)
        return Bound(External(f"builtins.{type_name(base)}.{name}"), base)
    return machine.unknown("attribute", name)


def given(base: Value, name: str) -> Value | None:
    """What the program put on a function, `save.only_main = True`; on a method it is there for every instance."""
    while isinstance(base, Bound):
        found = base.given.get(name) if base.given is not None else None
        if found is not None and found is not MISSING:
            return found
        if base.receiver is None:
            return None  # a partial shows nothing of what it calls
        base = base.function
    found = base.given.get(name) if isinstance(base, FunctionRef) and base.given is not None else None
    return None if found is MISSING else found


def of_a_record(base: Value) -> bool:
    """Is it a field of what a library has made, as far as nobody knows what it is?"""
    receiver = base.receiver if isinstance(base, Bound) else None
    return isinstance(receiver, Object) and isinstance(receiver.kind, str)


def has_only_given(base: Value, name: str) -> bool:
    """Is this a function of the program, or a partial, which has what the program put on it and nothing else?"""
    while isinstance(base, Bound) and base.receiver is not None:
        base = base.function
    return isinstance(base, FunctionRef | Bound) and not name.startswith("__")


def type_name(value: Value) -> str:
    if isinstance(value, Tuple):
        return "tuple"
    return type(value.value).__name__ if isinstance(value, Const) else "object"


def has(kind: str, name: str) -> bool:
    """Is there such an attribute of the builtin type?"""
    if kind == "Match":
        return hasattr(re.Match, name)
    return hasattr(COLLECTIONS.get(kind) or getattr(builtins, kind, object), name)


def external(machine: Machine, owner: str, name: str, mask: int) -> Value:
    full = machine.knowledge.canonical(f"{owner}.{name}")
    row = machine.knowledge.attributes.get(full)
    if row is not None:
        return library.reading.value_of(machine, row, full, mask)
    if owner in machine.knowledge.attributes:
        return of_unknown(machine, machine.unknown(owner), name, mask)  # `from library import OPTIONS`
    if full in plainly.CONSTANTS:
        return Const(plainly.CONSTANTS[full])
    if name == "__name__" and owner.startswith("builtins."):
        return Const(owner.rpartition(".")[2])
    return External(full)


def of_module(machine: Machine, module: ModuleRef, name: str, mask: int) -> Value:
    from dtlint.machine.names import scopes

    if module.path is not None:
        frame = scopes.load_module(machine, module.path)
        found = frame.variables.get(name)
        if found is not None and found is not MISSING:
            return found
    inner = scopes.find_module(machine, f"{module.name}.{name}")
    if inner is not None:
        return inner
    later = scopes.offered_later(machine, module, name, mask)
    return later if later is not None else External(machine.knowledge.canonical(f"{module.name}.{name}"))


def of_object(machine: Machine, thing: Object, name: str, mask: int) -> Value:
    from dtlint.machine.library.training import group_options

    found = machine.get(thing, name)
    if found is not None:
        lacking.read(machine, thing, name, found, mask)
        group_options.attribute_read(machine, thing, name, mask)
    found = one_of_several.field(machine, thing, found, name) if thing.otherwise else found
    if found is not None:
        return found
    if isinstance(thing.kind, ClassRef):
        return of_instance(machine, thing, name, mask)
    if containers.NAMESPACE in thing.facts:
        field = machine.get(thing, ("key", name))
        if field is not None:
            return field
    row = machine.knowledge.attribute(thing.kind, name)
    if row is not None:
        return library.reading.value_of(machine, row, f"{thing.kind}.{name}", mask, thing)
    handled = library.reading.read_attribute(machine, thing, name, mask)
    if handled is not None:
        return handled
    if thing.kind in CONTAINERS and not has(thing.facts.get("builtin", thing.kind), name):
        # it is something else than what was followed: settings make records of the dictionaries that are put into them
        field = machine.get(thing, ("key", name)) if written.IN_SETTINGS in thing.facts else None
        return field or machine.unknown("attribute", thing.number, name)
    return Bound(External(f"{thing.kind}.{name}"), thing)


def of_instance(machine: Machine, thing: Object, name: str, mask: int) -> Value:
    from dtlint.machine.library.feeding import loaders
    from dtlint.machine.library.python import named_fields, reflection

    assert isinstance(thing.kind, ClassRef)
    found = in_class(machine, thing.kind, name)
    if isinstance(found, Object) and "default_factory" in found.facts:
        return made_now(machine, found.facts["default_factory"], thing, name, mask)
    if isinstance(found, Object) and found.kind == "dataclasses.Field":
        return found.facts.get("default") or machine.unknown("attribute", thing.number, name)
    if found is not None:
        return one_of_several.method(machine, thing, bind(machine, found, thing, mask), name, mask)
    found = one_of_several.only_of_other(machine, thing, name, mask)
    if found is not None:
        return found
    inner = loaders.inside_of(thing)
    if inner is not thing:
        return of_object(machine, inner, name, mask)
    for base in external_bases(machine, thing.kind):
        row = machine.knowledge.attribute(base, name)
        if row is not None:
            return library.reading.value_of(machine, row, f"{base}.{name}", mask, thing)
        if machine.knowledge.method(base, name) is not None:
            return Bound(External(f"{base}.{name}"), thing)
    item = machine.get(thing, ("key", name))
    if item is not None:
        return item
    if name == "__class__" and reflection.is_exactly(thing):
        return thing.kind
    if name == "__setattr__":
        return Bound(External("builtins.setattr"), None, (thing,))
    fallback = in_class(machine, thing.kind, "__getattr__")
    if name == "__dict__":
        return named_fields.own_dict(machine, thing, mask)
    if fallback is not None:
        return handed_on(machine, fallback, thing, name, mask)
    member = machine.knowledge.members.get(name)
    if member is not None:
        return library.reading.member_value(machine, member, name, mask)
    bases = external_bases(machine, thing.kind)
    if bases and bases[0] not in ("builtins.object",):
        return Bound(External(f"{bases[0]}.{name}"), thing)
    if has_no_such_field(machine, thing.kind, name):
        return machine.fresh("attribute of another")
    return machine.unknown("attribute", thing.number, name)


UNFOLLOWED = ("call", "depth", "recursion", "item", "attr")


def has_no_such_field(machine: Machine, kind: ClassRef, name: str) -> bool:
    """A record of which all fields are listed is asked for another: it is something else than what was followed, the
    state of one of several environments that was given to the step of another."""
    from dtlint.machine.functions import instances

    told = name in kind.node.tokens or name in instances.field_names(machine, kind)
    return not told and instances.has_fields(machine, kind, ())


def made_now(machine: Machine, factory: Value, thing: Object, name: str, mask: int) -> Value:
    """A field of something of which the making was not seen, `self` of a method that is followed on its own."""
    from dtlint.machine.functions import calls

    made = calls.call_value(machine, factory, (), (), mask)
    machine.set(thing, name, made, mask)
    return made


def handed_on(machine: Machine, fallback: Value, thing: Object, name: str, mask: int) -> Value:
    """What `__getattr__` gives, mostly the attribute of something that is wrapped. What it asks of the object itself
    is there, or it would ask for ever."""
    if isinstance(fallback, FunctionRef) and thing.number not in machine.handing_on:
        machine.handing_on.add(thing.number)
        try:
            found = found_by(machine, fallback, thing, name, mask)
        finally:
            machine.handing_on.discard(thing.number)
        if not isinstance(found, Unknown) or found.cause is not None or found.symbol.key[0] not in UNFOLLOWED:
            return found
    return machine.unknown("attribute", thing.number, name)


def found_by(machine: Machine, fallback: FunctionRef, thing: Object, name: str, mask: int) -> Value:
    """Whoever writes `logger.loss` knows that it is there: that `__getattr__` raises for other names is no way out."""
    from dtlint.machine.functions import calls

    body = fallback.node.body if isinstance(fallback.node, ir.Function) else ()
    if not any(isinstance(node, ir.Raise) for node in every_node(body)):
        return calls.follow(machine, fallback, thing, (Const(name),), (), mask)
    raised = len(machine.raised)
    with machine.beside(Log(), mask):
        found = calls.follow(machine, fallback, thing, (Const(name),), (), mask)
    del machine.raised[raised:]
    return found


def bind(machine: Machine, found: Value, thing: Object, mask: int) -> Value:
    from dtlint.machine.functions import calls

    if isinstance(found, FunctionRef):
        if found.kind == "property":
            return calls.follow(machine, found, thing, (), (), mask)
        if found.kind == "kept property":
            return kept.of_property(
                machine, thing, found.name, mask, lambda lanes: calls.follow(machine, found, thing, (), (), lanes)
            )
        if found.kind == "static":
            return found
        owner = thing.kind if isinstance(thing.kind, ClassRef) else None
        if found.kind == "class property":
            return calls.follow(machine, found, owner, (), (), mask)
        if found.kind == "class":
            return Bound(found, owner)
        return Bound(found, thing)
    if isinstance(found, Object) and isinstance(found.kind, ClassRef):
        owner = thing.kind if isinstance(thing.kind, ClassRef) else None
        getter = in_class(machine, found.kind, "__get__")
        if isinstance(getter, FunctionRef):
            return calls.follow(machine, getter, found, (thing, owner or NONE), (), mask)
    if isinstance(found, Bound) and found.receiver is None:
        return Bound(found.function, thing, found.extra, found.keywords)
    if isinstance(found, Object) and "transform" in found.facts and "static" not in found.facts:
        return Bound(found, thing)  # a method that a library's decorator transformed
    return found


def of_unknown(machine: Machine, base: Unknown, name: str, mask: int) -> Value:
    from dtlint.machine.library.meeting import works
    from dtlint.machine.library.python import options
    from dtlint.machine.library.training import gradient_parts, own_gradients

    sides = machine.symbols.made_apart.get(base.symbol)
    if sides is not None and base.cause is not None:
        then, other = (read(machine, side, name, mask) for side in sides)
        if all(isinstance(one, Bound) and isinstance(one.function, FunctionRef) for one in (then, other)):
            return join(then, other, machine.symbols, base.symbol.key[1], base.cause)
    if base.like is not None:
        return read(machine, base.like, name, mask)
    found = (
        written.read(machine, base, name)
        or one_of_several.of_modules(machine, base, name, mask)
        or of_state(machine, base, name, mask)
    )
    if found is not None:
        return found
    said = said_types.like(machine, base, name)
    if said is not None:
        return read(machine, said, name, mask)
    member = machine.knowledge.members.get(options.spelled(machine, base, name))
    if member is not None and base.cause is None and not means_another(machine, member, base, name):
        return library.reading.member_value(machine, member, name, mask)
    if name in ALIKE or (name == "size" and containers.UNEVEN not in base.tags):
        return machine.unknown("attr", base.symbol, name)
    if name == "grad":
        gradient = own_gradients.gradient_of(machine, base)
        if gradient is None:
            tags = base.tags | {own_gradients.GRADIENT}
            gradient = machine.unknown("attr", base.symbol, name, cause=base.cause, tags=tags)
        marks = works.on_gradient(machine, base.symbol) | gradient_parts.of_gradient(machine, base.symbol)
        return provenance.marked(gradient, *marks) if marks else gradient
    if base.cause is None and base.symbol.key[0] == PARSED:
        return options.option(machine, base, name, mask)
    # `make(folder, quiet=rank != 0).found`: that a thing was told its rank does not show what else in it depends on it
    cause = base.cause if base.symbol not in machine.facts.get("told", ()) else None
    base = jax_facts.own_part(machine, base, name)
    tags = base.tags - {containers.UNEVEN} if made_by_another(base.symbol) else base.tags
    return machine.unknown("attr", base.symbol, name, cause=cause, tags=tags)


def made_by_another(symbol: Symbol) -> bool:
    """`benchmark.evaluate(model, samples).metrics`: how many samples there were is no matter of what else somebody has
    made of them. What a method of the samples gives, `samples.reshape(-1, 4).rows`, may be as long as they are."""
    asked = symbol.key[1] if symbol.key[0] == "call" else None
    return isinstance(asked, Symbol) and asked.key[0] == "attr" and asked.key[1].alike is not False


def means_another(machine: Machine, member: Api, base: Unknown, name: str) -> bool:
    """`config.lora.rank` says nothing of a process."""
    from dtlint.machine.library.python import options

    if member.value in identity.NUMBERS_OF_A_PROCESS and options.numbers_no_process(machine, base, name):
        return True
    owner = base.symbol.key[-1]
    return isinstance(owner, str) and not set(owner.lower().split("_")).isdisjoint(member.extra.get("not_of", ()))


def of_state(machine: Machine, base: Unknown, name: str, mask: int) -> Value | None:
    """A method that the project's class of a train state has of its own."""
    kind = jax_facts.state_class(machine, base)
    found = in_class(machine, kind, name) if kind is not None else None
    if not isinstance(found, FunctionRef) or found.kind not in ("function", "property"):
        return None
    from dtlint.machine.functions import calls

    return calls.follow(machine, found, base, (), (), mask) if found.kind == "property" else Bound(found, base)
