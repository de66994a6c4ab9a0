"""What do `def`, `class` and `import` bind, and when does a module's body run?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine import library
from dtlint.machine.contents import containers
from dtlint.machine.core import Machine, OutOfBudget
from dtlint.machine.functions import kept
from dtlint.machine.logs import Log
from dtlint.machine.names import classes, for_checkers
from dtlint.machine.names.frames import Frame
from dtlint.machine.starts import scripts
from dtlint.machine.uses import Uses
from dtlint.machine.values import (
    MISSING,
    Bound,
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


def parameter_defaults(machine: Machine, params: tuple[ir.Param, ...], mask: int) -> tuple[tuple[str, Value], ...]:
    return tuple((param.name, machine.evaluate(param.default, mask)) for param in params if param.default is not None)


def run_function(machine: Machine, node: ir.Function, mask: int) -> int:
    frame = machine.frame
    frame.capture()
    value: Value = FunctionRef(
        node,
        frame.path,
        frame if not frame.is_class else frame.closure,
        defaults=parameter_defaults(machine, node.params, mask),
    )
    name = node.name
    for decorator in reversed(node.decorators):
        value, name = decorate(machine, decorator, value, name, mask)
    machine.assign(name, value, mask)
    return mask


def decorate(machine: Machine, decorator: ir.Expr, value: Value, name: str, mask: int) -> tuple[Value, str]:
    from dtlint.machine.functions import calls, in_context

    if isinstance(decorator, ir.Attr) and decorator.name in ("setter", "getter", "deleter"):
        return (value, f"<setter> {name}") if decorator.name == "setter" else (value, f"<{decorator.name}> {name}")
    if isinstance(decorator, ir.Call) and isinstance(value, FunctionRef):
        factory = machine.evaluate(decorator.func, mask)
        if isinstance(factory, External) and factory.name == "functools.lru_cache":
            return with_kind(value, "kept"), name
    maker = machine.evaluate(decorator, mask)
    if isinstance(maker, External):
        if maker.name == "builtins.staticmethod" and isinstance(value, Object) and "transform" in value.facts:
            value.facts["static"] = True
            return value, name
        if maker.name == "builtins.staticmethod" and isinstance(value, Bound):
            for held in value.extra:
                if isinstance(held, Object):
                    held.facts["static"] = True  # what was decorated before
            return value, name
        last = maker.name.rpartition(".")[2]
        if isinstance(value, FunctionRef):
            if maker.name in ("builtins.property",) or last == "abstractproperty":
                return with_kind(value, "property"), name
            if last in kept.PROPERTIES:
                return with_kind(value, "kept property"), name
            if maker.name.startswith("functools.") and last in kept.FUNCTIONS:
                return with_kind(value, "kept"), name
            if maker.name == "builtins.staticmethod":
                return with_kind(value, "static"), name
            if maker.name == "builtins.classmethod":
                return with_kind(value, "class property" if value.kind == "property" else "class"), name
            if last in ("contextmanager", "asynccontextmanager"):
                return with_context(value), name
    if in_context.wraps(machine, maker, value):
        return in_context.inside(machine, decorator, value), name  # type: ignore[arg-type]
    outer, machine.decorating = machine.decorating, len(machine.stack)
    made = calls.call_value(machine, maker, (value,), (), mask, decorating=True)
    machine.decorating = outer
    if isinstance(made, Unknown) and (
        isinstance(value, ClassRef) or (made.like is None and isinstance(value, FunctionRef | Bound))
    ):
        return value, name  # an unknown decorator is assumed to keep what it decorates
    if isinstance(made, FunctionRef | Bound | ClassRef | Object) or isinstance(maker, FunctionRef):
        return made, name
    return value, name


def with_kind(value: FunctionRef, kind: str) -> FunctionRef:
    return FunctionRef(value.node, value.path, value.closure, value.owner, value.defaults, kind, value.context_manager)


def with_context(value: FunctionRef) -> FunctionRef:
    return FunctionRef(value.node, value.path, value.closure, value.owner, value.defaults, value.kind, True)


def run_class(machine: Machine, node: ir.Class, mask: int) -> int:
    outer = machine.frame
    bases = tuple(base for one in node.bases for base in bases_in(machine, one, mask))
    frame = Frame(outer.path, node.qualname, outer.globals, outer, outer, mask)
    frame.is_class = True
    machine.frame = frame
    try:
        machine.run(node.body, mask)
    finally:
        machine.frame = outer
    made = ClassRef(node, outer.path, bases, frame.variables)
    for name, value in list(frame.variables.items()):
        frame.variables[name] = own(value, made)
        tell_name(machine, value, made, name, mask)
    machine.assign(node.name, told_of(machine, node, made, mask), mask)
    return mask


def tell_name(machine: Machine, value: Value, owner: ClassRef, name: str, mask: int) -> None:
    """A descriptor hears in which class it stands, and under which name."""
    from dtlint.machine.functions import calls

    if isinstance(value, Object) and isinstance(value.kind, ClassRef):
        method = classes.in_class(machine, value.kind, "__set_name__")
        if isinstance(method, FunctionRef):
            calls.follow(machine, method, value, (owner, Const(name)), (), mask)


def told_of(machine: Machine, node: ir.Class, made: ClassRef, mask: int) -> Value:
    """Who hears of a new class: the `__init_subclass__` of its bases, and its decorators, which may keep it in a table
    or put another thing in its place."""
    from dtlint.machine.functions import calls

    for base in made.bases:
        hook = classes.in_class(machine, base, "__init_subclass__") if isinstance(base, ClassRef) else None
        if isinstance(hook, FunctionRef):
            keywords = tuple((name, machine.evaluate(value, mask)) for name, value in node.keywords if name)
            calls.call_value(machine, hook, (made,), keywords, mask)
            break
    value: Value = made
    names = []
    for decorator in reversed(node.decorators):
        maker = machine.evaluate(decorator.func if isinstance(decorator, ir.Call) else decorator, mask)
        if isinstance(maker, External):
            names.append(maker.name)
        elif isinstance(maker, FunctionRef | Bound):
            value, _ = decorate(machine, decorator, value, node.name, mask)
    made.decorated = tuple(reversed(names))
    return value


def bases_in(machine: Machine, node: ir.Expr, mask: int) -> Iterator[Value]:
    """One base class, or all of those in `*BASES`."""
    if isinstance(node, ir.Star):
        held: tuple[Value, ...] = containers.items_of(machine, machine.evaluate(node.value, mask)) or ()
    else:
        held = (machine.evaluate(node, mask),)
    yield from (one for one in held if isinstance(one, ClassRef | External))


def own(value: Value, owner: ClassRef) -> Value:
    if isinstance(value, FunctionRef) and value.owner is None:
        value.owner = owner
    elif isinstance(value, Bound) and isinstance(value.function, FunctionRef) and value.function.owner is None:
        value.function.owner = owner
    return value


def run_global(machine: Machine, node: Any, mask: int) -> int:
    return mask


# --- imports ---------------------------------------------------------------------------------------------------


def run_import(machine: Machine, node: ir.Import, mask: int) -> int:
    for dotted, alias in node.names:
        if alias:
            machine.assign(alias, module_value(machine, dotted, 0), mask)
        else:
            first = dotted.partition(".")[0]
            value = module_value(machine, first, 0)
            if isinstance(value, ModuleRef) or "." not in dotted:
                machine.assign(first, value, mask)
            else:
                found = module_value(machine, dotted, 0)
                machine.assign(first, External(first) if isinstance(found, External) else value, mask)
            if isinstance(value, ModuleRef) and "." in dotted:
                module_value(machine, dotted, 0)
        library.noticing.imported(machine, dotted, mask)
    return mask


def run_import_from(machine: Machine, node: ir.ImportFrom, mask: int) -> int:
    dotted = machine.project.resolve(machine.frame.path, node.module, node.level)
    if dotted is None:
        return mask
    module = find_module(machine, dotted)
    for name, alias in node.names:
        if name == "*":
            if module is not None and module.path is not None:
                source = load_module(machine, module.path)
                public = exported(source)
                for public_name, value in list(source.variables.items()):
                    if isinstance(public_name, str) and (public_name in public if public else public_name[:1] != "_"):
                        machine.assign(public_name, value, mask)
            elif module is None:
                for public_name in known_names(machine, dotted):
                    machine.assign(public_name, imported_name(machine, None, dotted, public_name, mask), mask)
            continue
        machine.assign(alias or name, imported_name(machine, module, dotted, name, mask), mask)
        if module is not None:
            library.noticing.imported(machine, f"{dotted}.{name}", mask)
    library.noticing.imported(machine, dotted, mask)
    return mask


def known_names(machine: Machine, dotted: str) -> list[str]:
    """What the packs know of a module of a library: `from transformers.trainer import *`."""
    known: dict[str, list[str]] = machine.notes.setdefault("names of modules", {})
    if dotted not in known:
        start = f"{dotted}."
        tables = (
            machine.knowledge.apis,
            machine.knowledge.attributes,
            machine.knowledge.types,
            machine.knowledge.aliases,
        )
        found = {name[len(start) :] for table in tables for name in table if name.startswith(start)}
        known[dotted] = sorted(name for name in found if name.isidentifier() and name[:1] != "_")
    return known[dotted]


def exported(frame: Frame) -> frozenset[str]:
    listed = frame.variables.get("__all__")
    if isinstance(listed, Object):
        held = listed.attributes.get("[]")
        if isinstance(held, Tuple):
            return frozenset(str(item.value) for item in held.items if isinstance(item, Const))
    return frozenset()


def imported_name(machine: Machine, module: ModuleRef | None, dotted: str, name: str, mask: int) -> Value:
    if module is not None:
        if module.path is not None:
            frame = load_module(machine, module.path)
            found = frame.variables.get(name)
            if found is not None and found is not MISSING:
                return found
        inner = find_module(machine, f"{dotted}.{name}")
        if inner is not None:
            if inner.path is not None:
                load_module(machine, inner.path)  # it may enter what it has into a registry, and nobody asks it again
            return inner
        if module.path in machine.loading:
            return External(machine.knowledge.canonical(f"{dotted}.{name}"))
        later = offered_later(machine, module, name, mask)
        if later is not None:
            return later
    from dtlint.machine.names import attributes

    return attributes.external(machine, dotted, name, mask)


def offered_later(machine: Machine, module: ModuleRef, name: str, mask: int) -> Value | None:
    """A package that loads its modules when they are asked for tells type checkers where its names come from. Of what
    the packs know they say enough, as to everybody who has the package installed."""
    if machine.knowledge.api(machine.knowledge.canonical(f"{module.name}.{name}")) is not None:
        return None
    found = for_checkers.offered(machine, module.path, name) if module.path is not None else None
    if found is None or found[0] == module.name:
        return None
    dotted, there = found
    return imported_name(machine, find_module(machine, dotted), dotted, there, mask)


def module_value(machine: Machine, dotted: str, level: int) -> Value:
    resolved = machine.project.resolve(machine.frame.path, dotted, level) or dotted
    found = find_module(machine, resolved)
    if found is not None:
        if found.path is not None:
            load_module(machine, found.path)
        return found
    return External(machine.knowledge.canonical(resolved))


def own_part(machine: Machine, name: str) -> Value | None:
    """In a package's `__init__.py`: importing a module of the package, in whatever way, binds its name there."""
    path = machine.frame.path
    if not path.endswith("__init__.py"):
        return None
    found = machine.project.find_module(f"{machine.project.name_of(path)}.{name}")
    return ModuleRef(machine.project.name_of(found), found) if found is not None else None


def find_module(machine: Machine, dotted: str) -> ModuleRef | None:
    path = machine.project.find_module(dotted)
    if path is not None:
        return ModuleRef(dotted, path)
    return ModuleRef(dotted, None) if machine.project.find_package(dotted) else None


def load_module(machine: Machine, path: str) -> Frame:
    """The module, its body run. Of modules that import each other in a circle the first one by name goes first,
    whoever is asked for: what a module binds must not depend on who came by."""
    machine.uses.touched.add(path)
    if path not in machine.modules:
        circle = machine.project.circle(path)
        if any(member in machine.loading for member in circle):
            run_module(machine, path)
        else:
            for member in circle:
                if member not in machine.modules:
                    run_module(machine, member)
            for member in circle:
                machine.depends[member].touched.update(circle)
    return machine.modules[path]


def run_module(machine: Machine, path: str) -> None:
    """Run a module's body once, outside any entry point's journal: its bindings stay."""
    outer = machine.uses
    machine.uses = machine.depends[path] = Uses({path})
    frame = Frame(path, "<module>", None, None, None, machine.world.full)
    machine.modules[path] = frame
    module = machine.project.tree(path)
    name = machine.project.name_of(path)
    frame.variables["__name__"] = Const(name)
    frame.variables["__file__"] = Const(path)
    machine.loading.add(path)
    saved = (machine.frame, machine.journal, machine.sinks, machine.spent, machine.stack, machine.current_at)
    followed = (machine.deepest, machine.near, machine.facts, machine.decorating)
    machine.facts, machine.decorating = {}, None
    machine.deepest, machine.near = scripts.as_module(machine, path, module)
    log = Log()
    machine.notes["module log", path] = log
    aside = library.noticing.set_aside(machine)
    machine.frame, machine.journal, machine.sinks, machine.stack = frame, [], [(log, machine.world.full)], []
    machine.spent = 0  # a module's body has a budget of its own
    try:
        machine.run(module.body, machine.world.full)
    except (OutOfBudget, RecursionError):
        machine.unfinished_modules[path] = "its module body needs more steps than the budget allows"
    except Exception as problem:
        if os.environ.get("DTLINT_DEBUG"):
            raise
        machine.unfinished_modules[path] = f"internal error in its body: {type(problem).__name__}: {problem}"
    finally:
        machine.loading.discard(path)
        machine.uses = outer
        machine.notes["module asks", path] = "global rank" in machine.facts
        library.noticing.seeds_left(machine, path)
        machine.deepest, machine.near, machine.facts, machine.decorating = followed
        library.noticing.take_back(machine, aside)
        machine.frame, machine.journal, machine.sinks, machine.spent, machine.stack, machine.current_at = saved


def through_imports(machine: Machine, paths: Iterable[str]) -> Uses:
    """These modules and all that they import, and the functions that their bodies run: the same for everyone who uses
    them, whoever loaded them first."""
    found = Uses(touched=set(paths))
    waiting = list(found.touched)
    while waiting:
        own = machine.depends.get(waiting.pop())
        if own is not None:
            more = own.touched - found.touched
            found.touched |= more
            found.reached |= own.reached
            found.consulted |= own.consulted
            waiting += more
    return found
