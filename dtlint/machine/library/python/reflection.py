"""What do programs learn by asking for types and for attributes by name?"""

from __future__ import annotations

import builtins
import collections.abc
import numbers
import re
import types
import typing
from dataclasses import replace

from dtlint.machine.contents import by_own_index, containers, lacking, plain, written
from dtlint.machine.contents.opaque import opaque
from dtlint.machine.control.agreeing import AGREED
from dtlint.machine.core import Machine
from dtlint.machine.functions import one_of_several
from dtlint.machine.lanes import map_lanes, row, token
from dtlint.machine.library.computing import provenance, tensors
from dtlint.machine.library.invocation import Handler, Invocation
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.python import by_settings, made_classes, options
from dtlint.machine.names import classes
from dtlint.machine.values import (
    FALSE,
    NONE,
    STANDS_IN,
    TRUE,
    Bound,
    ClassRef,
    Const,
    External,
    FunctionRef,
    ModuleRef,
    Object,
    Row,
    Symbol,
    Tuple,
    Unknown,
    Value,
)


def isinstance_(machine: Machine, call: Invocation) -> Value | None:
    if len(call.arguments) != 2:
        return None
    value, kinds = call.arguments
    by_lane = value.lanes if isinstance(value, Row) else (value,)
    if all(is_made(held) or (isinstance(value, Row) and failed_in(machine, held)) for held in by_lane):
        several = isinstance(value, Row) or (isinstance(value, Object) and value.otherwise)
        if several and of_project(machine, kinds):
            return map_lanes(lambda held: which_of(machine, held, kinds), (value,), machine.world)
    if isinstance(value, Unknown) and failed_in(machine, value) and value.symbol.key[0] == "split":
        return which_of(machine, value, kinds)
    answers = {is_of(machine, held, kinds) for held in by_lane}
    if answers in ({True}, {False}):
        return TRUE if answers == {True} else FALSE
    if isinstance(value, Row) and answers == {True, False}:
        return map_lanes(lambda held: Const(is_of(machine, held, kinds)), (value,), machine.world)
    if isinstance(value, Unknown) and no_longer(machine, value.symbol, kinds):
        return FALSE
    if isinstance(value, Unknown) and jax_facts.has(value, "global") and arrays_among(machine, kinds):
        return TRUE
    return machine.unknown("isinstance", token(value), token(kinds))  # what lanes hold differs sooner than its class


def asked_of_each(machine: Machine, call: Invocation, value: Row, ask: Handler) -> Value | None:
    """Where it is known of what each lane has."""
    answers = [ask(machine, replace(call, arguments=(one,))) for one in value.lanes]
    known = [answer for answer in answers if answer is not None]
    return row(tuple(known), value.cause) if len(known) == len(answers) else None


def type_(machine: Machine, call: Invocation) -> Value | None:
    """`type(batch)`, as `isinstance` would say it"""
    if len(call.arguments) == 3:
        return made_classes.of_parts(machine, call)
    value = call.arguments[0] if len(call.arguments) == 1 else None
    if isinstance(value, Const) and value.value is not None:
        return External(f"builtins.{type(value.value).__name__}")
    if isinstance(value, Tuple) or (isinstance(value, Object) and value.kind in plain.KINDS and not value.facts):
        return External(f"builtins.{'tuple' if isinstance(value, Tuple) else value.kind}")
    if isinstance(value, Object) and isinstance(value.kind, ClassRef) and is_exactly(value):
        return value.kind
    if isinstance(value, Row):
        return asked_of_each(machine, call, value, type_)
    if not isinstance(value, Unknown) or value.cause is None or value.cause.kind != "data":
        return None
    return machine.unknown(call.name, token(value))


def callable_(machine: Machine, call: Invocation) -> Value | None:
    value = call.arguments[0] if len(call.arguments) == 1 else None
    if isinstance(value, Row):
        return asked_of_each(machine, call, value, callable_)
    if isinstance(value, FunctionRef | ClassRef | Bound) or (
        isinstance(value, External) and (standard_class(value) or machine.knowledge.api(value.name) is not None)
    ):
        return TRUE
    if isinstance(value, Object):
        return FALSE if value.kind in plain.KINDS and not value.doubted else None
    return FALSE if isinstance(value, Const | Tuple) else None


ARRAY = "jax.Array"


def arrays_among(machine: Machine, kinds: Value) -> bool:
    options = containers.items_of(machine, kinds) or (kinds,)
    return any(isinstance(one, External) and machine.knowledge.canonical(one.name) == ARRAY for one in options)


def no_longer(machine: Machine, symbol: Symbol, kinds: Value) -> bool:
    """`if isinstance(x, DTensor): x = x.full_tensor()`: asked again, it is none any more."""
    if not isinstance(kinds, External):
        return False
    if symbol.key[0] == "phi" and len(symbol.key) == 4:
        _, asked, changed, kept = symbol.key
        before = asked.key[:3] == ("isinstance", kept, token(kinds))
        return before and isinstance(changed, Symbol) and no_longer(machine, changed, kinds)
    if symbol.key[0] != AGREED or not isinstance(symbol.key[1], str):
        return False
    row = machine.knowledge.api(f"{machine.knowledge.canonical(kinds.name)}.{symbol.key[1]}")
    return row is not None and bool(row.extra.get("unmakes"))


def is_made(value: Value) -> bool:
    """Something that the program has made of a class of its own, while other ranks made something else."""
    return isinstance(value, Object) and isinstance(value.kind, ClassRef)


def is_exactly(thing: Object) -> bool:
    """Of this class, and of none derived from it?"""
    return not (thing.instead or thing.otherwise or thing.doubted or STANDS_IN in thing.facts)


def failed_in(machine: Machine, value: Value) -> tuple[Value, ...]:
    """`try: return Done(load(path))`, `except OSError: return Failed(path)`: the two things it may be."""
    return machine.symbols.made_apart.get(value.symbol, ()) if isinstance(value, Unknown) else ()


def which_of(machine: Machine, thing: Value, kinds: Value) -> Value:
    """`Failed(reason) if problem else Done(value)`: whoever asks which it is asks whether there was a problem."""
    if isinstance(thing, Unknown):
        answers = tuple(which_of(machine, one, kinds) for one in failed_in(machine, thing))
        if answers in ((TRUE, FALSE), (FALSE, TRUE)) and thing.symbol.key[0] == "split":
            return side_taken(machine, thing, answers == (TRUE, FALSE))
        return answers[0] if len(set(answers)) == 1 else opaque(machine, "isinstance", thing, kinds)
    answer: Value = Const(bool(is_of(machine, thing, kinds)))
    for question, chosen, other in thing.otherwise if isinstance(thing, Object) else ():
        there = which_of(machine, other, kinds)
        if there != answer:
            asked = machine.symbols.of("isinstance", question, token(answer), token(there))
            plain = isinstance(answer, Const) and isinstance(there, Const)
            if plain:
                asked = question if (answer == TRUE) == chosen else machine.unknown("not", question).symbol
            answer = Unknown(asked)
    return answer


def side_taken(machine: Machine, thing: Unknown, first: bool) -> Value:
    """`Done(value) if mine > limit else Failed()`: each rank is asked what it has decided before."""
    asked = thing.symbol.key[1]
    return Unknown(asked, thing.cause) if first else machine.unknown("not", asked, cause=thing.cause)


def of_project(machine: Machine, kinds: Value) -> bool:
    return all(isinstance(option, ClassRef) for option in containers.items_of(machine, kinds) or (kinds,))


def is_of(machine: Machine, value: Value, kinds: Value) -> bool | None:
    """Is one thing of one of these classes, as far as it is known what it is?"""
    options = containers.items_of(machine, kinds) or (kinds,)
    if isinstance(value, Object):
        if containers.NAMESPACE in value.facts and not all(map(standard_class, options)):
            named = (machine.knowledge.canonical(one.name) for one in options if isinstance(one, External))
            return True if value.facts[containers.NAMESPACE] in named else None
        for option in options:
            if isinstance(option, ClassRef) and isinstance(value.kind, ClassRef):
                if option in classes.linearise(machine, value.kind):
                    return True
            elif isinstance(option, External) and classes.is_a(machine, value, option.name):
                return True
        if isinstance(value.kind, ClassRef) and is_exactly(value) and of_project(machine, kinds):
            return False
        if value.kind in machine.knowledge.sisters and all(is_sister(machine, option) for option in options):
            return False
        if isinstance(value.kind, str) and value.kind in plain.KINDS:
            answer = any(issubclass(plain.KINDS[value.kind], one) for one in map(standard_class, options))
            unsure = value.doubted or not all(isinstance(option, External | ClassRef) for option in options)
            return None if unsure and not answer else answer
    if isinstance(value, Const) and all(isinstance(option, External | ClassRef) for option in options):
        return any(isinstance(value.value, one) for one in map(standard_class, options))
    if isinstance(value, Tuple) and all(isinstance(option, External | ClassRef) for option in options):
        return any(issubclass(tuple, one) for one in map(standard_class, options))
    if isinstance(value, ClassRef | FunctionRef) and all(map(standard_class, options)):
        alike: object = object if isinstance(value, ClassRef) else standard_class
        return any(isinstance(alike, one) for one in map(standard_class, options))
    return None


def is_sister(machine: Machine, option: Value) -> bool:
    return isinstance(option, External) and machine.knowledge.canonical(option.name) in machine.knowledge.sisters


HOMES = {
    "builtins": builtins,
    "collections": collections.abc,
    "typing": collections.abc,
    "numbers": numbers,
    "types": types,
}


def standard_class(kind: Value) -> tuple[type, ...]:
    """Python's own class of that name, where it is one: things of other people's classes are no lists or numbers.
    What `typing` and, long ago, `collections` call an `Iterable` is that of `collections.abc`."""
    home, _, name = kind.name.rpartition(".") if isinstance(kind, External) else ("", "", "")
    found = getattr(HOMES.get(home.removesuffix(".abc")), name, None)
    if found is None and home == "typing":
        found = typing.get_origin(getattr(typing, name, None))  # `List`
    return (found,) if isinstance(found, type) else ()


def getattr_(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.names import attributes, classes

    if len(call.arguments) >= 2 and isinstance(call.arguments[1], Row):
        return of_each_name(machine, call, call.arguments[1])
    if len(call.arguments) >= 2:

        def read(name: Const) -> Value:
            given = (call.arguments[0], name, *call.arguments[2:])
            return getattr_(machine, replace(call, arguments=given)) or NONE

        own = by_own_index.by_name(machine, call.arguments[1], read)
        if own is not None:
            return own
    if len(call.arguments) >= 2 and isinstance(call.arguments[1], Const) and isinstance(call.arguments[1].value, str):
        base, name = call.arguments[0], call.arguments[1].value
        if isinstance(base, Object) and isinstance(base.kind, ClassRef) and len(call.arguments) == 3:
            if machine.get(base, name) is None and not classes.may_have(machine, base.kind, name):
                return call.arguments[2]
            held = machine.get(base, name)
            some = lacking.asked(machine, base, name, held, call.arguments[2]) if held is not None else None
            if some is not None:
                return some
        if len(call.arguments) == 3 and (classes.lacks(machine, base, name) or has_none(base, name)):
            return call.arguments[2]
        if len(call.arguments) == 3 and attributes.has_only_given(base, name):
            return attributes.given(base, name) or call.arguments[2]
        return attributes.read(machine, base, name, call.mask)
    if len(call.arguments) >= 2 and isinstance(call.arguments[0], ModuleRef):
        named = call.arguments[1]
        return by_part_of_name(machine, call.arguments[0], named) or some_class(machine, call.arguments[0], named)
    if len(call.arguments) >= 2:
        return by_settings.read_name(machine, call.arguments[0], call.arguments[1])
    return None


def has_none(thing: Value, name: str) -> bool:
    """A text, a list or a dictionary has no attributes but its own. A number may stand for a tensor that holds it."""
    if isinstance(thing, Row):
        return all(has_none(one, name) for one in thing.lanes)
    if isinstance(thing, Tuple):
        return not hasattr(tuple, name)
    if isinstance(thing, Const):
        return isinstance(thing.value, str | bool) and not hasattr(thing.value, name)
    if not isinstance(thing, Object) or thing.facts or thing.doubted:
        return False
    return thing.kind in plain.KINDS and not hasattr(plain.KINDS[str(thing.kind)], name)


def of_each_name(machine: Machine, call: Invocation, names: Row) -> Value | None:
    """`getattr(steps, "lead" if rank == 0 else "follow")`: each rank has what goes by its own name."""
    found = []
    for name in names.lanes:
        held = getattr_(machine, replace(call, arguments=(call.arguments[0], name, *call.arguments[2:])))
        if held is None:
            return None
        found.append(held)
    return row(tuple(found), names.cause)


def some_class(machine: Machine, module: ModuleRef, name: Value) -> Value | None:
    """`getattr(policies, options.policy)`: what settings say of it, or one of the classes of a kind that are there, and
    may be called so."""
    from dtlint.machine.names import scopes

    if not isinstance(name, Unknown) or name.cause is not None or module.path is None:
        return None
    written = pattern_of(name.symbol) or ".*"
    held = scopes.load_module(machine, module.path).variables
    makers = {known: one for known, one in held.items() if isinstance(one, ClassRef | FunctionRef)}
    said = by_settings.spoken(machine, name, makers.__contains__)
    if said:
        return one_of_several.maker(machine, [makers[one] for one in said], (module.name, name.symbol))
    classes = [one for known, one in held.items() if isinstance(one, ClassRef) and re.fullmatch(written, str(known))]
    return one_of_several.of_kind(machine, classes, (module.name, name.symbol))


def by_part_of_name(machine: Machine, module: ModuleRef, name: Value) -> Value | None:
    """`getattr(module, f"start_{kind}")`: the functions that may be meant do the same in several ways, so one of them
    stands for all."""
    from dtlint.machine.names import scopes

    if not isinstance(name, Unknown) or name.cause is not None or module.path is None:
        return None
    written = pattern_of(name.symbol)
    if written is None:
        return None
    for known, held in scopes.load_module(machine, module.path).variables.items():
        if isinstance(held, FunctionRef) and re.fullmatch(written, known):
            return Unknown(machine.symbols.of("attr", module.name, name.symbol), like=held)
    return None


def pattern_of(symbol: Symbol) -> str | None:
    """The names that a text of which a part is known may spell."""
    word, *parts = symbol.key
    if word not in ("text", "op +"):
        return None
    if not any(type(part) is str and len(part) > 2 for part in parts):
        return None
    return "".join(re.escape(part) if type(part) is str else r"\w+" for part in parts)


def hasattr_(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.names import attributes, classes

    if len(call.arguments) == 2 and isinstance(call.arguments[1], Const):
        base, name = call.arguments[0], str(call.arguments[1].value)
        own = isinstance(base, FunctionRef) and written.kept_by_function(machine, base)
        if is_private(name) and not own:
            return machine.unknown("hasattr", *(token(value) for value in call.arguments))
        if options.lacks(machine, base, name) or classes.lacks(machine, base, name) or has_none(base, name):
            return FALSE
        if isinstance(base, FunctionRef) and written.kept_by_function(machine, base):
            return TRUE
        if isinstance(base, Object):
            if machine.get(base, name) is not None:
                return lacking.asked(machine, base, name, TRUE, FALSE) or TRUE
            if isinstance(base.kind, ClassRef):
                if classes.in_class(machine, base.kind, name) is not None or inherits(machine, base.kind, name):
                    return TRUE
                if not classes.may_have(machine, base.kind, name):
                    return FALSE
        if attributes.has_only_given(base, name):
            return FALSE if attributes.given(base, name) is None else TRUE
        if isinstance(base, Unknown) and has_no_longer(machine, base.symbol, name):
            return FALSE
        put = written.has_attribute(machine, base, name) if isinstance(base, Unknown) else None
        if put is not None:
            return put
        if jax_facts.has(base, "global") and machine.knowledge.attribute(ARRAY, name) is not None:
            return TRUE
        row = machine.knowledge.anywhere.get(name)
        if row is not None and row.extra.get("unmakes"):
            if tensors.is_plain(machine, base) or "sharded" not in machine.facts or not of_a_model(base):
                return FALSE  # it never was what this makes of it, or nothing says that it is
    return machine.unknown("hasattr", *(token(value) for value in call.arguments))


def inherits(machine: Machine, kind: ClassRef, name: str) -> bool:
    """`hasattr(self, "state")` in a class derived from one of a library, of which the packs know the attribute: what
    asks is written for other classes as well."""
    return any(machine.knowledge.attribute(base, name) is not None for base in classes.external_bases(machine, kind))


def has_no_longer(machine: Machine, symbol: Symbol, name: str) -> bool:
    """The same of a method: `if hasattr(x, "full_tensor"): x = x.full_tensor()`."""
    if symbol.key[0] == "phi" and len(symbol.key) == 4:
        _, asked, changed, kept = symbol.key
        before = asked.key[:3] == ("hasattr", kept, name)
        return before and isinstance(changed, Symbol) and has_no_longer(machine, changed, name)
    row = machine.knowledge.anywhere.get(symbol.key[1]) if symbol.key[0] == AGREED else None
    if row is None or not row.extra.get("unmakes"):
        return False
    return machine.knowledge.api(f"{row.name.rpartition('.')[0]}.{name}") is not None


def of_a_model(value: Value) -> bool:
    """Is it something of a model's state, and not what a file or an unknown function gave?"""

    def of_state(symbol: Symbol) -> bool:
        key = symbol.key
        return key[0] in provenance.STATE or (key[0] == "attr" and key[-1] in OF_STATE)

    return provenance.mentions(value, of_state)


OF_STATE = frozenset(name.rpartition(".")[2] for name in provenance.STATE)


def is_private(name: str) -> bool:
    """`self.__sealed` is kept as `_Name__sealed`: who asks for the name in a string does not find what is kept."""
    return name.startswith("__") and not name.endswith("__")


def setattr_(machine: Machine, call: Invocation) -> Value | None:
    from dtlint.machine.library.training import parts
    from dtlint.machine.names.assignment import write_attribute
    from dtlint.machine.starts import settings

    if len(of_object(call)) != 3:
        return NONE
    base, name, value = of_object(call)
    if isinstance(name, Const):
        by_own = call.name == "builtins.setattr"
        write_attribute(machine, base, str(name.value), value, call.mask, by_own)
    else:
        parts.put(machine, base, value, call.mask)  # under some name or other
        if isinstance(base, Object | ClassRef) and isinstance(name, Unknown) and isinstance(value, Unknown | Const):
            settings.perhaps_named(machine, base, name, pattern_of(name.symbol), call.mask)
    return NONE


def of_object(call: Invocation) -> tuple[Value, ...]:
    """`object.__setattr__(self, "x", 1)`, or `super().__setattr__("x", 1)` where that is the method of `object`."""
    return call.arguments if call.receiver is None else (call.receiver, *call.arguments)


def own_attribute(machine: Machine, call: Invocation) -> Value | None:
    """`object.__getattribute__(self, "inner")`: without what `__getattr__` says."""
    thing, name = (*of_object(call), None, None)[:2]
    if not isinstance(thing, Object) or not isinstance(name, Const):
        return None
    return machine.get(thing, str(name.value)) or machine.unknown("attribute", thing.number, name.value)


def said(machine: Machine, value: Value, mask: int) -> Value:
    """What a thing of the program's own says of itself, in an f-string, in `str(…)` or printed."""
    if isinstance(value, Object) and isinstance(value.kind, ClassRef):
        from dtlint.machine.functions import calls

        found = (classes.in_class(machine, value.kind, name) for name in ("__str__", "__repr__"))
        method = next((one for one in found if isinstance(one, FunctionRef)), None)
        if method is not None:
            return calls.follow(machine, method, value, (), (), mask)
    return value
