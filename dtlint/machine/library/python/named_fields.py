"""Which fields has a class that a call makes: `namedtuple("Info", "rank world_size")`, `make_dataclass(…)`?

What do the fields of an object hold: `asdict(options)`, `vars(options)`, `self.__dict__`? And the other way round, what
are the attributes of a dictionary that answers as an object: `SimpleNamespace(**options)`, `OmegaConf.create({…})`?
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.python import made_classes, namespaces
from dtlint.machine.names import attributes, put_items, subscripts
from dtlint.machine.values import (
    NONE,
    ClassRef,
    Const,
    External,
    FunctionRef,
    ModuleRef,
    Object,
    Tuple,
    Unknown,
    Value,
)


def made_class(machine: Machine, call: Invocation) -> Value | None:
    """`extra.base` of the row is what the class derives from."""
    name, fields = call.get("typename"), call.get("fields")
    names = field_names(machine, fields)
    if not isinstance(name, Const) or not isinstance(name.value, str) or names is None:
        return None
    held: dict[str, Value] = {"<fields>": Tuple(tuple(Const(one) for one in names))}
    defaults = containers.items_of(machine, call.get("defaults") or Tuple(()))
    if defaults:
        held.update(zip(names[-len(defaults) :], defaults, strict=False))
    return made_classes.named(machine, name.value, (External(str(call.row.extra["base"])),), held, names)


def field_names(machine: Machine, given: Value | None) -> list[str] | None:
    """A text of names, or a list of names or of pairs of a name and a type."""
    if isinstance(given, Const) and isinstance(given.value, str):
        return given.value.replace(",", " ").split()
    items = containers.items_of(machine, given) if given is not None else None
    names = [item.items[0] if isinstance(item, Tuple) and item.items else item for item in items or ()]
    if items is None or not all(isinstance(one, Const) and isinstance(one.value, str) for one in names):
        return None
    return [str(one.value) for one in names if isinstance(one, Const)]


def as_dict(machine: Machine, call: Invocation) -> Value | None:
    """The fields with what they hold; where the class does not list them, what the object was given."""
    from dtlint.machine.functions import instances

    thing = call.get("instance") or call.receiver
    if thing is None:
        return names_here(machine, call)  # `vars()`
    if isinstance(thing, Unknown):
        return thing  # the same things under the same names
    if isinstance(thing, Object) and containers.NAMESPACE in thing.facts:
        return thing  # what is put into the one is in the other
    if isinstance(thing, ModuleRef):
        return namespaces.of(machine, thing, call.mask)
    if isinstance(thing, ClassRef):
        return by_name(machine, thing.attributes, call.mask)
    if not isinstance(thing, Object) or not isinstance(thing.kind, ClassRef):
        return None
    if call.name == "builtins.vars":
        return own_dict(machine, thing, call.mask)
    listed = instances.field_names(machine, thing.kind)
    names = listed or [name for name in thing.attributes if isinstance(name, str) and name.isidentifier()]
    made = machine.new("dict", call.mask)
    for name in names:
        made.attributes["key", name] = attributes.read(machine, thing, name, call.mask)
    return made


OF_FIELD = ("type", "default", "default_factory", "metadata")


def listed(machine: Machine, call: Invocation) -> Value | None:
    """`dataclasses.fields(config)`: their names in order, of an object or of its class."""
    from dtlint.machine.functions import instances

    thing = call.get("class_or_instance")
    kind = thing.kind if isinstance(thing, Object) else thing
    names = instances.field_names(machine, kind) if isinstance(kind, ClassRef) else ()
    made = []
    for name in names:
        field = machine.new("dataclasses.Field", call.mask)
        field.attributes["name"] = Const(name)
        field.attributes.update({one: machine.unknown("of field", name, one) for one in OF_FIELD})
        made.append(field)
    return Tuple(tuple(made)) if made else None


def names_here(machine: Machine, call: Invocation) -> Value:
    """`locals()`"""
    made = machine.new("dict", call.mask)
    made.attributes.update({("key", name): value for name, value in machine.frame.variables.items()})
    return made


def own_dict(machine: Machine, thing: Object, mask: int) -> Value:
    """`self.__dict__`: what is put into it is an attribute."""
    made = by_name(machine, thing.attributes, mask)
    made.facts[subscripts.FIELDS] = thing
    return made


def by_name(machine: Machine, attributes: Mapping[Any, Value], mask: int) -> Object:
    """`vars(cls)`: what has a name, in this order."""
    made = machine.new("dict", mask)
    for name, value in attributes.items():
        if isinstance(name, str) and name.isidentifier():
            made.attributes["key", name] = value
    return made


def namespace(machine: Machine, call: Invocation) -> Value | None:
    """A dictionary whose keys are attributes too. `extra.deep`: those inside of it as well."""
    given = call.arguments[0] if call.arguments else None
    if len(call.values) == 1 and isinstance(call.values[0], Unknown) and not any(name for name, _ in call.keywords):
        return call.values[0]
    if given is not None and not (isinstance(given, Object) and given.kind == "dict"):
        return None
    made = machine.new("dict", call.mask)
    made.facts[containers.NAMESPACE] = call.name
    if isinstance(given, Object):
        put_items.merge(machine, made, given, call.mask)
    for name, value in call.keywords:
        if name is None:
            put_items.merge(machine, made, value, call.mask)
        else:
            put_items.put(machine, made, Const(name), value, call.mask)
    if call.row.extra.get("deep"):
        for name, value in list(made.attributes.items()):
            if isinstance(value, Object) and value.kind == "dict":
                made.attributes[name] = namespace(machine, replace(call, arguments=(value,), keywords=())) or value
    return made


def arguments_kept(machine: Machine, call: Invocation) -> Value:
    """`self.save_hyperparameters()`: what the constructor was given, as attributes of one of the object; of some names
    only, or of the one thing that holds all options."""
    frame = machine.frame
    if not isinstance(call.receiver, Object) or not isinstance(frame.function, FunctionRef):
        return NONE
    things = [one for one in call.arguments if not (isinstance(one, Const) and isinstance(one.value, str))]
    kept = namespace(machine, replace(call, arguments=(things[0],), keywords=())) if len(things) == 1 else None
    if kept is None:
        named = [one.value for one in call.arguments if isinstance(one, Const)]
        kept = machine.new("dict", call.mask)
        kept.facts[containers.NAMESPACE] = call.name
        for parameter in getattr(frame.function.node, "params", ())[1:]:
            value = frame.variables.get(parameter.name)
            if value is not None and parameter.name in (named or (parameter.name,)):
                kept.attributes["key", parameter.name] = value
    machine.set(call.receiver, str(call.row.extra["under"]), kept, call.mask)
    return NONE


MODELS: dict[str, Any] = {
    "made_class": made_class,
    "fields_as_dict": as_dict,
    "fields_listed": listed,
    "namespace": namespace,
    "names_here": names_here,
    "arguments_kept": arguments_kept,
}
