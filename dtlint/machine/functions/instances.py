"""What is made when a class of the project is called?"""

from __future__ import annotations

import builtins

from dtlint.ir import nodes as ir
from dtlint.machine import library
from dtlint.machine.contents import asked_for, containers
from dtlint.machine.contents.opaque import deep_cause, opaque
from dtlint.machine.core import Machine
from dtlint.machine.functions import calls
from dtlint.machine.library.invocation import Keywords
from dtlint.machine.library.python import options, run_later
from dtlint.machine.names import classes, enumerations
from dtlint.machine.values import ClassRef, Const, FunctionRef, Object, Tuple, Unknown, Value

DATACLASSES = ("dataclasses.dataclass", "attr.s", "attr.attrs", "attr.dataclass", "attrs.define", "attrs.frozen")


def instantiate(
    machine: Machine,
    kind: ClassRef,
    arguments: tuple[Value, ...],
    keywords: Keywords,
    mask: int,
    node: ir.Call | None = None,
) -> Value:
    bases = classes.external_bases(machine, kind)
    if arguments and enumerations.is_enumeration(machine, kind):
        return enumerations.by_value(machine, kind, arguments[0])
    made = own_maker(machine, kind, arguments, keywords, mask) or machine.new(kind, mask)
    if node is not None and bases:
        machine.making[made.number] = node
    initialiser = classes.in_class(machine, kind, "__init__")
    run_later.finalised(machine, made, mask)
    stands_in = isinstance(initialiser, FunctionRef) and is_stub(initialiser.node)
    if isinstance(initialiser, FunctionRef) and not stands_in:
        before = alike(machine, kind, bases, arguments, keywords, mask)
        if before is not None:
            for name, held in before.attributes.items():
                machine.set(made, name, held, mask)
            return made
        calls.follow(machine, initialiser, made, arguments, keywords, mask)
        if is_layer(bases):
            machine.facts.setdefault(LAYERS, {}).setdefault(kind, []).append(made)
    elif stands_in or has_fields(machine, kind, bases):
        fill_fields(machine, made, kind, arguments, keywords, mask)
        if any(base.endswith(".NamedTuple") for base in bases):
            made.facts["order"] = tuple(field_names(machine, kind))
    else:
        for name, value in keywords:
            if name is not None:
                made.attributes.setdefault(name, value)
        if arguments and any(issubclass(one, BaseException) for one in map(builtin_class, bases)):
            machine.set(made, "args", Tuple(arguments), mask)
        if "builtins.list" in bases and len(arguments) == 1:
            held = library.calling.call(machine, "builtins.list", None, arguments, (), mask, node)
            if isinstance(held, Object) and "[]" in held.attributes:
                machine.set(made, "[]", held.attributes["[]"], mask)
        if bases:
            library.calling.initialised(machine, bases[0], made, arguments, keywords, mask, node)
    return made


def builtin_class(name: str) -> type:
    found = getattr(builtins, name.removeprefix("builtins."), None)
    return found if isinstance(found, type) else object


def own_maker(
    machine: Machine, kind: ClassRef, arguments: tuple[Value, ...], keywords: Keywords, mask: int
) -> Object | None:
    """`__new__` may give the one instance that there is."""
    maker = classes.in_class(machine, kind, "__new__")
    if not isinstance(maker, FunctionRef):
        return None
    made = calls.follow(machine, maker, kind, arguments, keywords, mask)
    return made if isinstance(made, Object) and made.kind is kind and not made.instead else None


LAYERS = "layers made"  # fact of the run, by their class
ENOUGH = 16  # layers of a class; further ones are taken to be like the last of them


def is_layer(bases: tuple[str, ...]) -> bool:
    return any(base.rpartition(".")[2] in ("Module", "Layer") for base in bases)


def alike(
    machine: Machine,
    kind: ClassRef,
    bases: tuple[str, ...],
    arguments: tuple[Value, ...],
    keywords: Keywords,
    mask: int,
) -> Object | None:
    """One more layer of a large network, made by all ranks of what is the same on all."""
    made: list[Object] = machine.facts.get(LAYERS, {}).get(kind, [])
    if len(made) < ENOUGH or mask != machine.world.full or not is_layer(bases):
        return None
    values = (*arguments, *(value for _, value in keywords))
    return made[-1] if deep_cause(machine, values) is None else None


def is_stub(node: ir.Function | ir.Lambda) -> bool:
    """A constructor that only raises stands for one that is made when the class is."""
    if not isinstance(node, ir.Function):
        return False
    told = [one for one in node.body if not (isinstance(one, ir.ExprStmt) and isinstance(one.value, ir.Const))]
    return bool(told) and all(isinstance(one, ir.Raise) for one in told)


def has_fields(machine: Machine, kind: ClassRef, bases: tuple[str, ...]) -> bool:
    for owner in classes.linearise(machine, kind):
        if isinstance(owner, ClassRef) and any(
            name in DATACLASSES or name.endswith(("dataclass", ".define", ".struct.dataclass"))
            for name in owner.decorated
        ):
            return True
    fielded = ("NamedTuple", "BaseModel", "Module", "Struct", "PyTreeNode", "BaseSettings", "TrainState", "TypedDict")
    return any(base.rpartition(".")[2] in fielded for base in bases)


def field_names(machine: Machine, kind: ClassRef) -> list[str]:
    names: list[str] = []
    for owner in reversed(classes.linearise(machine, kind)):
        if isinstance(owner, ClassRef):
            fields = owner.attributes.get("<fields>")
            if isinstance(fields, Tuple):
                names.extend(str(item.value) for item in fields.items if isinstance(item, Const))
    return list(dict.fromkeys(names))


def left_to(machine: Machine, made: Object, name: str, spread: Value | None) -> Value:
    """A field that no argument names: `Snapshot(**state)` takes it from what is under this name there."""
    if isinstance(spread, Unknown):
        return opaque(machine, "item", spread, Const(name))
    cause = containers.element(machine, spread).cause if spread is not None else None
    return machine.unknown("field", made.number, name, cause=cause)


def is_open(default: Value | None, spread: Value | None) -> bool:
    """`Settings(**yaml.safe_load(file))`: may the file hold something else than the class? A number, and what is off; a
    switch that is on is taken to be as the class has it."""
    if default is None or spread is None:
        return default is None
    number = isinstance(default, Const) and isinstance(default.value, int | float) and type(default.value) is not bool
    return asked_for.is_off(default) or (number and isinstance(spread, Unknown))


def from_outside(machine: Machine, kind: ClassRef) -> Value | None:
    """Settings that are read from the environment, a file or the command line where the object is made."""
    bases = classes.external_bases(machine, kind)
    outside = any(base.rpartition(".")[2] == "BaseSettings" for base in bases)
    return machine.unknown("settings", kind.path, kind.name) if outside else None


def converted(machine: Machine, kind: ClassRef, name: str, value: Value, mask: int) -> Value:
    """`rank: int = attrs.field(converter=int)`: whatever is given is a number from then on."""
    field = classes.in_class(machine, kind, name)
    by = field.facts.get("converter") if isinstance(field, Object) else None
    return calls.call_value(machine, by, (value,), (), mask) if by is not None else value


def fill_fields(
    machine: Machine, made: Object, kind: ClassRef, arguments: tuple[Value, ...], keywords: Keywords, mask: int
) -> None:
    names = field_names(machine, kind)
    spread = from_outside(machine, kind)
    for name, value in zip(names, arguments, strict=False):
        if isinstance(value, Object) and value.kind == "<spread>":
            spread = value.attributes["value"]
            break
        machine.set(made, name, converted(machine, kind, name, value, mask), mask)
    for keyword, value in keywords:
        if keyword is not None:
            machine.set(made, keyword, converted(machine, kind, keyword, value, mask), mask)
        else:
            spread = value
    for name in names:
        if name in made.attributes:
            continue
        option = options.spread(machine, spread, name, mask)
        default = classes.in_class(machine, kind, name)
        if option is not None:
            machine.set(made, name, option, mask)
        elif isinstance(default, Object | Unknown) and "default_factory" in getattr(default, "facts", {}):
            factory = default.facts["default_factory"]  # type: ignore[union-attr]
            machine.set(made, name, calls.call_value(machine, factory, (), (), mask), mask)
        elif isinstance(default, Object) and "default" in default.facts:
            machine.set(made, name, converted(machine, kind, name, default.facts["default"], mask), mask)
        elif is_open(default, spread):
            machine.set(made, name, left_to(machine, made, name, spread), mask)
    after = classes.in_class(machine, kind, "__post_init__")
    if isinstance(after, FunctionRef):
        calls.follow(machine, after, made, (), (), mask)
