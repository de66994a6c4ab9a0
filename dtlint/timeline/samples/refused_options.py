"""Which options of a loader does the installed torch refuse?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.findings import Step
from dtlint.ir import nodes as ir
from dtlint.ir.functions import every_node
from dtlint.machine.lanes import token
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.library.training.stepping import attribute_of
from dtlint.machine.logs import Call
from dtlint.machine.names.subscripts import PRESETS
from dtlint.machine.values import NONE, ClassRef, Const, Object, Symbol, Unknown, Value
from dtlint.timeline.options import asked_for, default_of, named, option_of
from dtlint.timeline.order import Met
from dtlint.timeline.samples.workers import NEED_WORKERS, REFUSED_SINCE, number_of_workers, with_workers
from dtlint.timeline.symbols import constant, worth


def refused(run: Any) -> Iterator[tuple[Met, str, str, tuple[Step, ...]]]:
    """Options that need workers, on a loader without any: the option, when torch refuses it, and who wants none."""
    for met, call in with_workers(run):
        if run.entry.kind == "function" and isinstance(call.expression("num_workers"), ir.Attr):
            continue  # of an instance nobody was seen to make: whoever makes it may tell it another number
        if number_of_workers(call) != 0 and not none_by_default(run, met, call):
            found = refused_without(call)
            why = "where `num_workers` is 0, this is what the expression gives"
            if not found:
                found, why = refused_by_a_preset(run, met, call)
            if found and not put_in_on_a_side(run, met.event.path, found.partition("=")[0]):
                yield met, found, why, ()
            continue
        path = met.event.path
        unless = "" if number_of_workers(call) == 0 else ", unless the option for it is given: its default is 0"
        for option, refuses in NEED_WORKERS.items():
            given = call.get(option)
            usual = by_default(given) if number_of_workers(call) == 0 and not asked_for(run, path, option) else None
            if usual is not None:
                unless = ", unless the settings say otherwise"
            value = usual or as_given(run, met, given)
            if value is not None and refuses(value.value) and not fine_then(run, met, option, value):
                when = "iterated" if option == "timeout" else "made"
                error = "AssertionError" if option == "timeout" else "ValueError"
                said = f"{error} when the loader is {when}{unless}"
                yield met, f"{option}={value.value!r}", said, tuple(turned_off(run, met, call))
                break


def fine_then(run: Any, met: Met, option: str, value: Const) -> bool:
    """Is it no mistake in the versions that the project keeps to?"""
    since = REFUSED_SINCE.get((option, value.value))
    return since is not None and run.project.pins.before(met.event.path, since)


def as_given(run: Any, met: Met, value: Value | None) -> Const | None:
    """The value of an option; of one that the command line gives, the default, where no branch asks for it."""
    if isinstance(value, Const):
        return value
    name = attribute_of(value.symbol) if isinstance(value, Unknown) else None
    option = option_of(run, name)
    if name is None or option is None or asked_for(run, met.event.path, name) or asked_for(run, option.path, name):
        return None
    default = default_of(option)
    return default if isinstance(default, Const) else None


def by_default(value: Value | None) -> Const | None:
    """What `settings.get("persistent_workers", True)` gives where the settings don't say."""
    key = value.symbol.key if isinstance(value, Unknown) and value.cause is None else ()
    if len(key) != 4 or key[0] != "call" or not isinstance(key[1], Symbol) or not isinstance(key[2], str):
        return None
    default = constant(key[3]) if (key[1].key[0], key[1].key[-1]) == ("attr", "get") else None
    return None if default is None else Const(default)


def turned_off(run: Any, met: Met, call: Any) -> Iterator[Step]:
    """`settings.num_workers = 0`, in a function that is called on the way to the loader."""
    written = call.expression("num_workers")
    on_the_way = {(node.path, node.caller) for node, _ in met.above if isinstance(node, Call)}
    for path, caller in sorted(on_the_way) if isinstance(written, ir.Attr | ir.Index) else ():
        for function in every_node(run.project.tree(path).body):
            if isinstance(function, ir.Function) and function.qualname == caller:
                for node in every_node(function.body):
                    none = isinstance(node, ir.Assign) and isinstance(node.value, ir.Const) and node.value.value == 0
                    if none and any(named(target) == named(written) for target in node.targets):
                        yield Step(path, node.at[0], "no workers are asked for here")


def none_by_default(run: Any, met: Met, call: Any) -> bool:
    """Is the number of workers an option whose default is 0, which no branch asks for, by whichever name?"""
    given, written = call.get("num_workers"), call.expression("num_workers")
    if isinstance(written, ir.Name) and asked_for(run, met.event.path, written.id):
        return False
    if not isinstance(given, Unknown):
        return False
    name = attribute_of(given.symbol)
    option = option_of(run, name)
    if name is None or option is None or default_of(option) != Const(0):
        return False
    return not asked_for(run, met.event.path, name) and not asked_for(run, option.path, name)


def refused_without(call: Any) -> str:
    """An option that depends on the number of workers, and that torch refuses where there are none."""
    workers = call.get("num_workers")
    if not isinstance(workers, Unknown):
        return ""
    for name, fine in (("prefetch_factor", None), ("persistent_workers", False)):
        given = call.get(name)
        if not isinstance(given, Unknown) or workers.symbol not in symbols_in(given.symbol):
            continue
        value = worth(given.symbol, {workers.symbol: 0})
        if value is not None and value is not fine and value != 0:
            return f"{name}={value}"
    return refused_on_a_side(call, workers.symbol)


def refused_on_a_side(call: Any, workers: Symbol) -> str:
    """One side of a branch leaves no workers, and does not take back what needs them."""
    what, *sides = workers.key
    if what != "phi":
        return ""
    for side in (1, 2):
        if sides[side] != token(Const(0)):
            continue
        for name, fine in (("prefetch_factor", NONE), ("persistent_workers", Const(False))):
            given = call.get(name)
            if isinstance(given, Unknown) and given.symbol.key[:2] == workers.key[:2]:
                held = given.symbol.key[side + 1]
            else:
                held = token(given) if isinstance(given, Const) else token(fine)
            if held not in (token(fine), token(NONE)) and not isinstance(held, Symbol):
                return f"{name}={given.value}" if isinstance(given, Const) else name
    return ""


def refused_by_a_preset(run: Any, met: Met, call: Any) -> tuple[str, str]:
    """`PRESETS[name].workers`: one of what the program offers has none, and the option is given with each of them."""
    workers = call.get("num_workers")
    key = workers.symbol.key if isinstance(workers, Unknown) else ()
    presets = run.facts.get(PRESETS, {}).get(key[1]) if len(key) == 3 and key[0] in ("attr", "item") else None
    if not presets or asked_for(run, met.event.path, str(key[2])):
        return "", ""
    for preset in presets:
        if not isinstance(preset, Object) or field_of(preset, key[2]) != Const(0):
            continue
        for option, fine in (("persistent_workers", (None, NONE, Const(False))), ("prefetch_factor", (None, NONE))):
            given = call.get(option)
            own = given.symbol.key if isinstance(given, Unknown) else ()
            if own[:2] == key[:2]:
                given = field_of(preset, own[2])
            if isinstance(given, Const) and given not in fine:
                return f"{option}={given.value}", f"one of the presets has `{key[2]}=0`"
    return "", ""


def field_of(preset: Object, name: Any) -> Value | None:
    """Of a field that the preset itself does not name, what its class says."""
    held = preset.attributes.get(name) or preset.attributes.get(("key", name))
    if held is None and isinstance(preset.kind, ClassRef):
        owners = preset.kind.line or (preset.kind,)
        given = (owner.attributes.get(name) for owner in owners if isinstance(owner, ClassRef))
        held = next((one for one in given if one is not None), None)
    return held


def put_in_on_a_side(run: Any, path: str, option: str) -> bool:
    """`if workers > 0: options["persistent_workers"] = True`: the file gives the option below a branch."""
    return any(
        isinstance(target, ir.Index) and isinstance(target.index, ir.Const) and target.index.value == option
        for branch in every_node(run.project.tree(path).body)
        if isinstance(branch, ir.If)
        for node in every_node((branch.body, branch.orelse))
        if isinstance(node, ir.Assign)
        for target in node.targets
    )
