"""Which axis has each argument of a mapped function, and what is said of meshes?"""

from __future__ import annotations

from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.library.computing.provenance import symbols_in
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.jax.facts import Mapping
from dtlint.machine.values import NONE, Bound, Const, FunctionRef, Object, Symbol, Tuple, Unknown, Value


class _Spec:
    def __init__(self, word: str) -> None:
        self.word = word


UNKNOWN, FIRST, LATER, ONLY = _Spec("unknown"), _Spec("first"), _Spec("a later one"), _Spec("the only one")
SPEC = "jax.sharding.PartitionSpec"
NAMED = "jax.sharding.NamedSharding"


def texts(value: Value | None) -> tuple[str, ...]:
    """A name, or a tuple or list of names."""
    if value is None:
        return ()
    items = (value,) if isinstance(value, Const) else containers.items_of(_NOBODY, value) or ()
    return tuple(item.value for item in items if isinstance(item, Const) and isinstance(item.value, str))


_NOBODY: Any = None  # items_of needs no machine for tuples, lists and constants


def indices(value: Value | None) -> tuple[int, ...] | None:
    """`donate_argnums=0` or `(0, 1)`; None when not given or not known."""
    if value is None or value == NONE:
        return None
    items = (value,) if isinstance(value, Const) else containers.items_of(_NOBODY, value)
    if items is None:
        return None
    found = tuple(item.value for item in items if isinstance(item, Const) and isinstance(item.value, int))
    return found if len(found) == len(items) else None


def made_by(thing: Object) -> Invocation:
    found: Invocation = thing.facts["call"]
    return found


# --- specs -----------------------------------------------------------------------------------------------------


def specs_of(machine: Machine, thing: Object, count: int | None) -> tuple[Any, ...] | None:
    """One spec for each positional argument: FIRST, LATER, UNKNOWN, None (broadcast), a PartitionSpec, or a tuple."""
    call = made_by(thing)
    if thing.facts["transform"] == "shard_map":
        given = call.get("in_specs")
        if given is None:
            return None
        if is_spec(given):
            return (given,) * (count if count is not None else 8)
        items = containers.items_of(machine, given)
        return tuple(spec_of(machine, item) for item in items) if items is not None else None
    given = call.get("in_axes")
    statics = indices(call.get("static_broadcasted_argnums")) or ()
    if given is None:
        return tuple(None if index in statics else FIRST for index in range(count if count is not None else 8))
    if isinstance(given, Const):
        one = axis_spec(machine, given)
        return tuple(None if index in statics else one for index in range(count if count is not None else 8))
    items = containers.items_of(machine, given) if not (isinstance(given, Object) and given.kind == "dict") else None
    if items is None:
        return None
    specs = [axis_spec(machine, item) for item in items]
    return tuple(None if index in statics else spec for index, spec in enumerate(specs))


def axis_spec(machine: Machine, value: Value) -> Any:
    if value == NONE:
        return None
    if isinstance(value, Const) and isinstance(value.value, int):
        return FIRST if value.value == 0 else LATER
    if isinstance(value, Tuple):
        return tuple(axis_spec(machine, item) for item in value.items)
    if containers.is_closed_table(value):
        return {name: axis_spec(machine, held) for name, held in value.attributes.items()}
    return UNKNOWN


def spec_of(machine: Machine, value: Value) -> Any:
    if is_spec(value):
        return value
    if value == NONE:
        return None
    if containers.is_closed_table(value):
        return {name: spec_of(machine, held) for name, held in value.attributes.items()}
    items = containers.items_of(machine, value) if isinstance(value, Tuple) else None
    return tuple(spec_of(machine, item) for item in items) if items is not None else UNKNOWN


def is_spec(value: Value | None) -> bool:
    return isinstance(value, Object) and value.kind == SPEC


def is_layout(value: Value) -> bool:
    return isinstance(value, Object) and value.kind in (SPEC, NAMED)


def spec_axes(spec: Object) -> tuple[str, ...] | None:
    """The axis names of `P("data", ("x", "y"), None)`; None where a part is not known. An empty name is no axis."""
    call = spec.facts.get("call")
    if call is None:
        return None
    found: list[str] = []
    for value in call.arguments:
        if value in (NONE, Const("")) or is_whole(value):
            continue
        names = texts(value) or put_among(value)
        if not names:
            return None
        found += names
    return tuple(found)


def put_among(value: Value) -> tuple[str, ...]:
    """`spec = [None] * rank; spec[dim] = "data"`: the name that stands for one dimension, whichever it is."""
    held = repeated_in(value)
    key = held.symbol.key if isinstance(held, Unknown) else ("",)
    sides = [side.key for side in key if isinstance(side, Symbol)] if key[0] == "phi" else [key]
    put = next((side for side in sides if side[0] == "put" and side[1].key[:2] == (containers.REPEAT, (None,))), None)
    if put is None:
        return ()
    names = (put[2],) if isinstance(put[2], str) else put[2]
    return names if isinstance(names, tuple) and all(isinstance(name, str) for name in names) else ()


def divided_one(machine: Machine, layout: Object) -> Object:
    """Of the layouts that leaves of a tree may have, one that divides them over devices: so is the whole tree."""
    for one in (layout, *layout.instead):
        spec = one.attributes.get("spec") if one.kind == NAMED else one
        for inner in (spec, *spec.instead) if isinstance(spec, Object) else ():
            if inner.kind == SPEC and spec_axes(inner):
                if inner is spec:
                    return one
                made = machine.new(NAMED, machine.frame.mask)
                made.facts.update(one.facts)
                made.attributes.update(one.attributes | {"spec": inner})
                return made if one.kind == NAMED else inner
    return layout


def is_whole(value: Value) -> bool:
    """`*[None] * axis`: however many dimensions that are not divided."""
    held = repeated_in(value)
    return isinstance(held, Unknown) and held.symbol.key[:2] in ((containers.REPEAT, (None,)), ("op *", (None,)))


def repeated_in(value: Value) -> Value | None:
    """What `*names` hands over, where nobody knows how many of them there are."""
    if not isinstance(value, Object) or value.kind != "<spread>":
        return None
    held = value.attributes["value"]
    if isinstance(held, Object) and held.attributes.keys() == {"[]"}:
        held = held.attributes["[]"]
    return held


def varying_axes(spec: Any, mapping: Mapping) -> tuple[str, ...] | None:
    """Over which axes an argument differs: () for none, None when nobody knows."""
    if spec is None:
        return ()
    if isinstance(spec, Object):
        return spec_axes(spec)
    if spec in (FIRST, LATER, ONLY):
        return mapping.axes or ("?",)
    return None


def axes_of(thing: Object) -> tuple[str, ...] | None:
    """The names the transformation binds."""
    call = made_by(thing)
    if thing.facts["transform"] == "pmap":
        given = call.get("axis_name")
        if given is None or given == NONE:
            return (f"<axis {thing.number}>",)
        names = texts(given)
        return names or None
    manual = call.get("axis_names")
    if manual is not None and texts(manual):
        return texts(manual)
    return mesh_axes(call.get("mesh"))


def mesh_axes(mesh: Value | None) -> tuple[str, ...] | None:
    if isinstance(mesh, Object):
        found = mesh.facts.get("axis names")
        return found if isinstance(found, tuple) else None
    return None


def checked(thing: Object) -> bool | None:
    """shard_map follows which values vary, unless it is told not to; None where nobody knows what it is told."""
    if thing.facts["transform"] != "shard_map":
        return False
    call = made_by(thing)
    for name in ("check_vma", "check_rep"):
        value = call.get(name)
        if value is not None:
            return bool(value.value) if isinstance(value, Const) else None
    return True


# --- what is wrapped -------------------------------------------------------------------------------------------


def signature(function: Value, taken: int = 0) -> tuple[list[ir.Param], bool] | None:
    """The positional parameters that are left, and whether more are accepted; None when nobody knows."""
    if isinstance(function, Bound):
        extra = len(function.extra) + (1 if function.receiver is not None else 0)
        found = signature(function.function, taken + extra)
        if found is None:
            return None
        named = {name for name, _ in function.keywords}
        return [param for param in found[0] if param.name not in named], found[1]
    if isinstance(function, Object) and "transform" in function.facts:
        return signature(function.facts["function"], taken) if function.facts["transform"] != "grad" else None
    if not isinstance(function, FunctionRef):
        return None
    params = [param for param in function.node.params if param.kind in ("positional", "normal")]
    more = any(param.kind == "vararg" for param in function.node.params)
    return params[taken:], more


def check_construction(machine: Machine, made: Object, call: Invocation) -> None:
    """Indices that point behind the last positional parameter."""
    known = signature(made.facts["function"])
    if known is None or known[1]:
        return
    count = len(known[0])
    if isinstance(made.facts["function"], FunctionRef) and made.facts["function"].owner is not None:
        return  # a method that is wrapped in its class: the receiver comes later
    for option in ("static_broadcasted_argnums", "donate_argnums"):
        for index in indices(call.get(option)) or ():
            if index >= count:
                what = f"`{option}` names position {index}, but the function has {count} positional parameters left"
                jax_facts.note(machine, "axes", call.mask, None, (), what=what, effect="crash")


def check_result(machine: Machine, thing: Object, call: Invocation, result: Value) -> None:
    """`out_axes=(None, 0)` of a function that returns three values."""
    given = made_by(thing).get("out_axes")
    items = containers.items_of(machine, given) if isinstance(given, Tuple) else None
    if items is not None and isinstance(result, Tuple) and len(items) != len(result.items):
        what = f"`out_axes` has {len(items)} entries, the function returns {len(result.items)} values"
        here = machine.step("called here")
        jax_facts.note(machine, "axes", call.mask, thing.facts["where"], (here,), what=what, effect="crash")


# --- meshes ----------------------------------------------------------------------------------------------------


def check_specs(machine: Machine, call: Invocation) -> None:
    """Do the specs of a shard_map name axes of its mesh?"""
    for option in ("in_specs", "out_specs"):
        value = call.get(option)
        if value is not None:
            against_mesh(machine, call.get("mesh"), value, call.mask)


def against_mesh(machine: Machine, mesh: Value | None, value: Value, mask: int, depth: int = 3) -> None:
    axes = mesh_axes(mesh)
    if axes is None:
        return
    if isinstance(value, Object) and value.kind == SPEC:
        assert isinstance(mesh, Object)
        specs = (value, *(one for one in value.instead if one.kind == SPEC and not mesh.instead))
        for spec, name in ((one, name) for one in specs for name in spec_axes(one) or ()):
            if name not in axes:
                assert mesh.at is not None and spec.at is not None
                where = (spec.path, spec.at, machine.frame.scope)
                steps = (
                    jax_facts.step_at((mesh.path, mesh.at, ""), f"the mesh has {', '.join(map(repr, axes))}"),
                    machine.step("meets that mesh here"),
                )
                jax_facts.note(machine, "mesh axis", mask, where, steps, name=name, axes=axes)
                return
    elif depth:
        for item in containers.items_of(machine, value) or () if not isinstance(value, Const) else ():
            against_mesh(machine, mesh, item, mask, depth - 1)
        if isinstance(value, Object) and value.kind == "dict":
            for held in list(value.attributes.values()):
                against_mesh(machine, mesh, held, mask, depth - 1)


def option(thing: Object, name: str) -> Value | None:
    made: Invocation = thing.facts["call"]
    return made.get(name)


def of_this_host(mesh: Value | None) -> bool:
    """A mesh of devices that were asked for as this host's, and of some of them?"""
    return "local" in devices_of(mesh)


def of_all_hosts(mesh: Value | None) -> bool:
    return devices_of(mesh) == {"world"}


def devices_of(mesh: Value | None) -> set[object]:
    """Whose devices a mesh is made of, as far as it is known."""
    made = mesh.facts.get("call") if isinstance(mesh, Object) else None
    if made is None:
        return set()
    devices = made.get("devices")
    if devices is None:
        return {"world"}  # what `make_mesh` takes by itself
    held = (leaf for leaf in jax_facts.leaves(devices) if isinstance(leaf, Unknown))
    return {one.key[1] for leaf in held for one in symbols_in(leaf.symbol) if one.key[0] == "devices"}


def chosen(devices: Value | None, count: Any) -> bool:
    """`pmap(step, devices=jax.local_devices()[:4])`: may those be so many? All that a host has are no choice."""
    key = devices.symbol.key if isinstance(devices, Unknown) else ()
    if devices is None or devices == NONE or key[:1] == ("devices",):
        return False
    match key:
        case ("slice", _, None | 0, int() as stop, None) if stop > 0 and type(count) is int:
            return stop == count
    return not isinstance(devices, Tuple) or len(devices.items) == count or type(count) is not int
