"""What happens when a function that JAX has transformed is called?

`pmap`, `shard_map`, `vmap`, `jit`, `grad` and `value_and_grad` make an object that knows what it wraps. Calling it
runs the wrapped function of the project on what each device gets: mapped arguments vary over the axis, the others
are the same on all devices. What comes out is judged in `jax_outputs`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.computing import provenance
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import axes as jax_axes
from dtlint.machine.library.jax import copies as jax_copies
from dtlint.machine.library.jax import donation as jax_donation
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.jax import fitting as jax_fitting
from dtlint.machine.library.jax import flow as jax_flow
from dtlint.machine.library.jax import key_splits, state_keys
from dtlint.machine.library.jax import launch as jax_launch
from dtlint.machine.library.jax import outputs as jax_outputs
from dtlint.machine.library.jax.axes import option
from dtlint.machine.library.jax.facts import Mapping, fact, has, is_fact, words
from dtlint.machine.names import subscripts
from dtlint.machine.values import NONE, Bound, Const, External, Object, Row, Symbol, Tuple, Unknown, Value

KINDS = {
    "jax_pmap": "pmap",
    "jax_vmap": "vmap",
    "jax_jit": "jit",
    "jax_shard_map": "shard_map",
    "jax_grad": "grad",
    "jax_value_and_grad": "value_and_grad",
    "jax_pad_shard": "pad_shard",
}

MOST = 12  # items of a spread argument


def transform(kind: str) -> Any:
    def handler(machine: Machine, call: Invocation) -> Value | None:
        jax_flow.started(machine)
        function = call.get(call.row.params[0]) or (call.arguments[0] if call.arguments else None)
        if function is None:
            keywords = tuple((name, value) for name, value in call.keywords if name is not None)
            return Bound(External(call.name), None, (), keywords)
        made = machine.new(f"<jax {kind}>", call.mask)
        made.facts.update(transform=kind, function=function, call=call, where=jax_facts.place(machine))
        if kind == "pmap":
            jax_axes.check_construction(machine, made, call)
        elif kind == "shard_map":
            jax_axes.check_specs(machine, call)
        return made

    return handler


def is_transformed(value: Value) -> bool:
    return isinstance(value, Object) and "transform" in value.facts


STAGES = frozenset({"trace", "lower", "compile"})


def staged(receiver: Value, name: str) -> bool:
    """`train.lower(state, batch).compile()`: what comes out is called like the function itself, unless arguments that
    were static are part of it by now."""
    if name not in STAGES or not is_transformed(receiver):
        return False
    made: Invocation = receiver.facts["call"]  # type: ignore[attr-defined]
    return not any(name is not None and name.startswith("static_") for name, _ in made.keywords)


def call_transformed(machine: Machine, thing: Object, call: Invocation) -> Value:
    kind = thing.facts["transform"]
    if kind in ("pmap", "shard_map"):
        return over_devices(machine, thing, call)
    if kind == "vmap":
        return over_rows(machine, thing, call)
    if kind == "jit":
        return compiled(machine, thing, call)
    if kind == "pad_shard":
        return padded(machine, thing, call)
    return differentiated(machine, thing, call)


def inner(machine: Machine, thing: Object, arguments: tuple[Value, ...], keywords: Any, call: Invocation) -> Value:
    from dtlint.machine.functions import calls

    return calls.call_value(machine, thing.facts["function"], arguments, keywords, call.mask, None)


# --- pmap and shard_map ----------------------------------------------------------------------------------------


def over_devices(machine: Machine, thing: Object, call: Invocation) -> Value:
    machine.changed_nothing()
    kind = thing.facts["transform"]
    call, unsure = told_apart(machine, thing, call)
    arguments = call.arguments
    spread = any(is_spread(value) for value in arguments)
    specs = jax_axes.specs_of(machine, thing, len(arguments) if not spread else None)
    if not spread:
        jax_fitting.check_call(machine, thing, call, specs)
        unsure = [*unsure, *jax_fitting.arrays_as_statics(machine, thing, call)]
    if specs is not None and unsure:
        specs = tuple(jax_axes.UNKNOWN if index in unsure else spec for index, spec in enumerate(specs))
    mapping = Mapping(kind, jax_axes.axes_of(thing), thing.facts["where"], jax_axes.checked(thing))
    mapped = [spec for spec in (specs or ())[: len(arguments)] if spec is not None]
    only = mapped == [jax_axes.FIRST] and len(arguments) > 1
    mapping.copies = any(
        has(leaf, "replicated") and not has(leaf, "keys") for leaf in jax_facts.leaves(Tuple(arguments), 3)
    )
    entered = []
    records = []
    for index, value in enumerate(arguments):
        spec = specs[index] if specs is not None and index < len(specs) else jax_axes.UNKNOWN
        machine.objects += 1
        number = machine.objects
        if only and spec is jax_axes.FIRST:
            spec = jax_axes.ONLY  # the one argument that is mapped is data
        entered.append(enter(machine, value, spec, mapping, number))
        records.append((number, value))
        where = (
            (spec.path, spec.at, machine.frame.scope) if isinstance(spec, Object) and spec.at else thing.facts["where"]
        )
        machine.facts.setdefault("jax entered", {})[number] = (where, "spec")
    keywords = []
    for name, value in call.keywords:
        machine.objects += 1
        number = machine.objects
        keywords.append((name, enter(machine, value, jax_axes.FIRST, mapping, number)))
        records.append((number, value))
        machine.facts.setdefault("jax entered", {})[number] = (thing.facts["where"], "spec")
    here = jax_facts.place(machine)
    mapping.called = here
    running = jax_facts.mappings(machine)
    running.append(mapping)
    try:
        result = inner(machine, thing, tuple(entered), tuple(keywords), call)
    finally:
        running.pop()
    if mapping.kind == "pmap":
        jax_axes.check_result(machine, thing, call, result)
    jax_launch.mapped(machine, thing, mapping, call)
    told = jax_donation.donate(machine, thing, call)
    if mapping.reduced and not words(jax_facts.deep((result,)), "varies"):
        synced(machine, call)
    made = jax_outputs.leave(machine, thing, call, mapping, result, records, here)
    state_keys.returned(machine, tuple(entered), result, made, call.mask)
    jax_donation.taken_over(machine, told, made)
    return made


def is_spread(value: Value) -> bool:
    return isinstance(value, Object) and value.kind == "<spread>"


def told_apart(machine: Machine, thing: Object, call: Invocation) -> tuple[Invocation, Sequence[int]]:
    """`step(*state, batch, key)`: as many items as the function still needs, and which positions they have."""
    known = jax_axes.signature(thing.facts["function"])
    places = [index for index, value in enumerate(call.arguments) if is_spread(value)]
    if known is None or known[1] or len(places) != 1 or any(param.default is not None for param in known[0]):
        return call, range(0)
    first = places[0]
    missing = len(known[0]) - len(call.arguments) + 1 - len(call.keywords)
    if not 0 <= missing <= MOST or any(name is None for name, _ in call.keywords):
        return call, range(0)
    held = call.arguments[first]
    assert isinstance(held, Object)
    items = [subscripts.item(machine, held.attributes["value"], Const(index), call.mask) for index in range(missing)]
    arguments = (*call.arguments[:first], *items, *call.arguments[first + 1 :])
    return replace(call, arguments=arguments), range(first, first + missing)


def synced(machine: Machine, call: Invocation) -> None:
    """`cross_replica_mean(state.batch_stats)`: this part of the state is made equal again, as `state.others` is where
    its item `others["batch_stats"]` is."""
    names = machine.facts.setdefault("jax synced", set())
    for node in getattr(call.node, "args", ()):
        while isinstance(node, ir.Index):
            node = node.value
        if isinstance(node, ir.Attr):
            names.add(node.name)
    for value in call.arguments:
        key = value.symbol.key if isinstance(value, Unknown) else ()
        if len(key) > 2 and key[0] in ("attr", "item"):
            names.add(str(key[2][1]).strip("'") if isinstance(key[2], tuple) else key[2])


def enter(machine: Machine, value: Value, spec: Any, mapping: Mapping, number: int) -> Value:
    """What one device gets of an argument."""
    if isinstance(value, Object) and is_spread(value):
        made = Object("<spread>", value.birth, 0)
        made.attributes["value"] = enter(machine, value.attributes["value"], jax_axes.UNKNOWN, mapping, number)
        return made
    if isinstance(spec, tuple) and isinstance(value, Tuple) and len(spec) == len(value.items):
        return Tuple(
            tuple(enter(machine, item, one, mapping, number) for item, one in zip(value.items, spec, strict=True))
        )
    if isinstance(spec, dict):
        if isinstance(value, Object) and value.kind == "dict":
            return containers.mapped_items(
                value, lambda name, held: enter(machine, held, spec.get(name, jax_axes.UNKNOWN), mapping, number)
            )
        spec = jax_axes.UNKNOWN
    return jax_facts.mapped_tree(machine, value, lambda leaf: enter_leaf(machine, leaf, spec, mapping, number))


def enter_leaf(machine: Machine, leaf: Value, spec: Any, mapping: Mapping, number: int) -> Value:
    if isinstance(leaf, Row) and spec is jax_axes.FIRST:  # numbers of this host, one for each of its devices
        leaf = machine.unknown("rows", token(leaf), cause=leaf.cause)
    if not isinstance(leaf, Unknown):
        return leaf
    axes = jax_axes.varying_axes(spec, mapping)
    add = [fact("arg", number)]
    drop = frozenset({"device axis", "host tree", "put in", "state of", "plain", "global", "even", *jax_facts.INSIDE})
    outer = [tag for tag in leaf.tags if jax_facts.is_jax(tag) and tag[1] in ("varies", "may")]
    add += outer
    if axes == ():
        return jax_facts.with_facts(machine, leaf, [*add, fact("replica", number)], drop)
    if has(leaf, "even") and spec is not jax_axes.ONLY:
        return jax_facts.with_facts(machine, leaf, add, drop)  # alike at first; it may have been made to part
    if has(leaf, "replicated"):
        drop |= {"replicated", "host draw"}  # weights, which are to be alike
        if has(leaf, "keys"):
            return jax_facts.with_facts(machine, single(machine, leaf), [*add, fact("replica", number)], drop)
        return jax_facts.with_facts(machine, leaf, [*add, fact("replica", number)], drop)
    if has(leaf, "host tree"):
        return jax_facts.with_facts(machine, leaf, [*add, fact("replica", number)], drop)
    if axes is None:
        return jax_facts.with_facts(machine, leaf, [*add, fact("may", "?")], drop)
    if has(leaf, "keys"):
        return jax_facts.with_facts(machine, single(machine, leaf), [*add, *(fact("varies", a) for a in axes)], drop)
    if has(leaf, "device axis"):  # drawn for each device of a host, and on all hosts alike
        add = [*add, *(fact("host noise", tag[2]) for tag in words(leaf.tags, "host draw"))]
    own = mapping.copies and has(leaf, "begun apart")
    certain = mapping.kind == "shard_map" or spec is jax_axes.ONLY or own or is_data(leaf)
    word = "varies" if certain else "may"
    return jax_facts.with_facts(machine, leaf, [*add, *(fact(word, axis) for axis in axes)], drop)


def single(machine: Machine, keys: Unknown) -> Unknown:
    from dtlint.machine.library.jax import keys as jax_keys

    found = jax_keys.one_of(machine, keys, None)
    return found if isinstance(found, Unknown) else keys


def is_data(leaf: Unknown) -> bool:
    """Is this certainly a batch with one part for each device, not a state that may be replicated, as a whole or in
    parts?"""
    if has(leaf, "output"):
        return False
    if has(leaf, "device axis") or has(leaf, "spread out"):
        return True
    return (
        leaf.symbol.key[0] in ("item", "batch")
        or is_drawn(leaf.symbol)
        or has(leaf, "draw")
        or has(leaf, "host draw")
        or (leaf.cause is not None and leaf.cause.kind in ("rank", "data", "random"))
    )


SAME_ROWS = frozenset({"astype", "clip", "copy"})  # methods of an array: each row is made of the one there was


def is_drawn(symbol: Symbol, depth: int = 5) -> bool:
    """`rng.normal(size=(devices, 8)).astype("f4") @ weights`: random rows, and what is computed of each."""
    key = symbol.key
    if key[0] == "call" and isinstance(key[1], Symbol) and key[1].key[0] == "attr" and key[1].key[-1] in SAME_ROWS:
        parts = key[1].key[1:2]
    else:
        parts = key[1:] if str(key[0]).startswith(("op ", "unary ")) else ()
    return key[0] == "drawn" or (depth > 0 and any(type(one) is Symbol and is_drawn(one, depth - 1) for one in parts))


# --- the others ------------------------------------------------------------------------------------------------


def over_rows(machine: Machine, thing: Object, call: Invocation) -> Value:
    """`vmap`: one row at a time. A named axis can be reduced over, an anonymous one cannot."""
    from dtlint.machine.library.jax import keys as jax_keys
    from dtlint.machine.library.jax import rows as jax_rows

    specs = jax_axes.specs_of(machine, thing, len(call.arguments))
    jax_fitting.as_many_axes(machine, thing, call)
    jax_fitting.check_rows(machine, call, specs)
    names = jax_axes.texts(option(thing, "axis_name"))
    mapped = [one for one, spec in zip(call.arguments, specs or (), strict=False) if spec is not None]
    own = jax_rows.axis_of(machine, mapped)
    whole: dict[Symbol, Unknown] = {}  # the keys that a row is one of

    def row(value: Value, spec: Any) -> Value:
        def leaf(one: Value) -> Value:
            if spec is None or not isinstance(one, Unknown):
                return one
            taken = jax_keys.across(one) if spec is jax_axes.LATER else jax_keys.one_of(machine, one, None) or one
            more = [fact("may", name) for name in names] + ([fact("of row")] if has(one, "keys") else [])
            more += [fact("varies", own)] if own else []
            if taken is not one and has(one, "keys") and isinstance(taken, Unknown):
                whole[taken.symbol] = one
            return jax_facts.with_facts(machine, taken, more, frozenset({"device axis", "plain"}))

        return jax_facts.mapped_tree(machine, value, leaf)

    arguments = tuple(
        row(value, specs[index] if specs is not None and index < len(specs) else jax_axes.UNKNOWN)
        for index, value in enumerate(call.arguments)
    )
    mapping = Mapping("vmap", (*names, own) if own else names, thing.facts["where"], False)
    mapping.called = jax_facts.place(machine)
    running = jax_facts.mappings(machine)
    running.append(mapping)
    try:
        result = inner(machine, thing, arguments, tuple((n, row(v, jax_axes.FIRST)) for n, v in call.keywords), call)
    finally:
        running.pop()
    made = jax_keys.one_for_each(machine, strip_axes(machine, result, names, own), call.arguments)
    return jax_facts.mapped_tree(machine, made, lambda leaf: handed_back(leaf, whole))


def handed_back(leaf: Value, whole: dict[Symbol, Unknown]) -> Value:
    """What every row gives back as it was is all that was given."""
    return whole.get(leaf.symbol, leaf) if isinstance(leaf, Unknown) else leaf


def strip_axes(machine: Machine, value: Value, names: tuple[str, ...], own: str) -> Value:
    """What was computed for one row is a row of the result."""
    drop = {fact("may", name) for name in names} | {fact("varies", own), fact("may", own)}

    def leaf(one: Value) -> Value:
        if isinstance(one, Unknown) and (own or has(one, "plain") or not drop.isdisjoint(one.tags)):
            kept = jax_facts.without(one.tags - drop, frozenset({"plain"}))
            kept -= {tag for tag in kept if is_fact(tag, "draw") and tag[3] == own}
            return Unknown(one.symbol, one.cause, kept, one.like)
        return one

    return jax_facts.mapped_tree(machine, value, leaf)


def compiled(machine: Machine, thing: Object, call: Invocation) -> Value:
    saved, whole = machine.facts.get("jax compiled", 0), machine.facts.get(jax_facts.WHOLE, False)
    machine.facts["jax compiled"] = saved + 1
    machine.facts[jax_facts.WHOLE] = whole or option(thing, "in_shardings") not in (None, NONE)
    try:
        result = inner(machine, thing, call.arguments, call.keywords, call)
    finally:
        machine.facts["jax compiled"], machine.facts[jax_facts.WHOLE] = saved, whole
    jax_launch.jitted(machine, thing, call)
    told = jax_donation.donate(machine, thing, call)
    made = jax_donation.in_new_buffers(machine, result)
    machine.changed_nothing()
    if not jax_facts.mappings(machine):
        made = jax_outputs.placed(machine, thing, made, call)
    state_keys.returned(machine, call.values, result, made, call.mask)
    jax_donation.taken_over(machine, told, made)
    return made


def padded(machine: Machine, thing: Object, call: Invocation) -> Value:
    """`pad_shard_unpad(step)(params, batch, min_device_batch=8)`: it gives each device its part of what is not static,
    and keeps its own option for itself."""
    given = option(thing, "static_argnums")
    static = (0,) if given is None else jax_axes.indices(given)
    names = jax_axes.texts(option(thing, "static_argnames"))
    arguments = tuple(
        value if static is None or index in static else jax_copies.sharded(machine, value)
        for index, value in enumerate(call.arguments)
    )
    own = thing.facts["call"].row.extra.get("keeps", ())
    keywords = tuple(
        (name, value if name in names else jax_copies.sharded(machine, value))
        for name, value in call.keywords
        if name not in own
    )
    return inner(machine, thing, arguments, keywords, call)


def differentiated(machine: Machine, thing: Object, call: Invocation) -> Value:
    jax_facts.differentiating(machine, call.mask)
    numbers = jax_axes.indices(option(thing, "argnums"))
    wanted = numbers if numbers else (0,)
    learned = machine.facts.setdefault(jax_facts.LEARNED, {}).setdefault(jax_facts.place(machine)[:2], set())
    for number in wanted:
        jax_flow.meant_to_agree(machine, call.arguments[number : number + 1])
        learned.update(map(token, call.arguments[number : number + 1]))
        key_splits.learned(machine, call.arguments[number : number + 1])
    result = inner(machine, thing, call.arguments, call.keywords, call)
    auxiliary = option(thing, "has_aux")
    has_aux = isinstance(auxiliary, Const) and bool(auxiliary.value)
    loss, aux = result, None
    if has_aux and isinstance(result, Tuple) and len(result.items) == 2:
        loss, aux = result.items
    elif has_aux:
        aux = subscripts.item(machine, result, Const(1), call.mask)
        loss = subscripts.item(machine, result, Const(0), call.mask)
    made = tuple(
        gradient(machine, loss, call.arguments[number] if number < len(call.arguments) else NONE, number)
        for number in wanted
    )
    given = option(thing, "argnums")
    grads: Value = Tuple(made) if len(made) > 1 or isinstance(given, Tuple) else made[0]
    if thing.facts["transform"] == "value_and_grad":
        return Tuple((result, grads))
    return Tuple((grads, aux)) if aux is not None else grads


def parts_of(loss: Value, parameter: Value) -> set[Any]:
    """The names of what it is differentiated by, where these are known, or those that the loss has asked for."""
    if containers.is_closed_table(parameter):
        return {name[1] for name in parameter.attributes if type(name) is tuple and name[0] == "key"}
    if not isinstance(loss, Unknown) or not isinstance(parameter, Unknown):
        return set()
    items = (one.key for one in provenance.symbols_in(loss.symbol) if one.key[0] == "item" and len(one.key) == 3)
    return {key[2] for key in items if key[1] is parameter.symbol and isinstance(key[2], str)}


def gradient(machine: Machine, loss: Value, parameter: Value, place: int) -> Value:
    found = jax_facts.deep((loss,))
    own = jax_facts.deep((parameter,))
    mapping = jax_facts.device_mapping(machine)
    machine.objects += 1
    number = machine.objects
    tags: set[Any] = {fact("array")}
    axes = [tag for tag in words(found, "varies") if mapping is None or tag[2] in (mapping.axes or ())]
    if mapping is not None and not mapping.checked and not axes:
        # the derivative of a reduced loss is this device's own: reductions are transposed, not repeated
        axes = [fact("varies", tag[2]) for tag in words(found, "reduced") if tag[2] in (mapping.axes or ())]
    maybe = words(found, "may")
    if mapping is not None and (axes or maybe):
        info = {
            "where": jax_facts.place(machine),
            "args": frozenset(tag for tag in own if jax_facts.is_fact(tag, "arg")),
            "mean": any(jax_facts.is_fact(tag, "mean") for tag in found),
            "certain": bool(axes),
            "parts": parts_of(loss, parameter),
            "first": place == 0,
        }
        machine.facts.setdefault("jax grads", {})[number] = info
        alike = not any(words(own, word) for word in ("varies", "may", "own copy"))
        if mapping.checked and alike:
            if axes:
                tags |= {fact("over", number, tag[2]) for tag in axes}
        elif not words(own, "grad") and (words(own, "varies") or (words(own, "may") and len(words(own, "arg")) > 1)):
            tags |= {*axes, *maybe}  # by what was made of this device's samples: a divergence, an attack, no update
        else:
            tags |= {fact("grad", number), *axes, *maybe}
            if info["mean"]:
                tags.add(fact("mean"))
    tags |= {tag for tag in found if jax_facts.is_fact(tag, "draw")}
    return machine.fresh("gradient", loss.cause, frozenset(tags))


MODELS: dict[str, Any] = {name: transform(kind) for name, kind in KINDS.items()}
