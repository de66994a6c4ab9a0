"""Where does a JAX key come from, what is derived from it, and who draws from it?

A key is an unknown value whose symbol is its identity: the same symbol twice is the same key twice. Consumption
itself is the pack's `record = "key"`; `dtlint/timeline/arrays/reused_keys.py` reads it in program order.
"""

from __future__ import annotations

from typing import Any

from dtlint.findings import Step
from dtlint.machine.contents.opaque import deep_cause
from dtlint.machine.core import Machine
from dtlint.machine.lanes import token
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.jax import flow as jax_flow
from dtlint.machine.library.jax import key_splits, state_keys
from dtlint.machine.library.jax import shapes as jax_shapes
from dtlint.machine.library.jax.facts import fact, has, is_fact, words
from dtlint.machine.logs import Site
from dtlint.machine.names import classes
from dtlint.machine.values import BY_RANK, Bound, Cause, Const, FunctionRef, Row, Symbol, Tuple, Unknown, Value

CARRIERS = ("key", "rng", "rng_key", "seed", "prng_key")
AXIS_INDEX = "axis index"
DROPOUT = (("key", "dropout"),)  # in `rngs`: for layers that drop units while a model is trained
INNER = "jax keys of keys"  # by the symbol of a batch of batches: the sizes of what it holds
INNER_MADE = "jax keys taken from keys"
WRITTEN = "written"  # fact of a key: a mapped function makes it of a number that is written down
OUTSIDE = "made outside"  # fact of a key: where it is made that stands in no function, as the default of a field does
INHERITED = frozenset(
    {"varies", "may", "arg", "replica", "from host", "folded", "of row", "made equal", WRITTEN, OUTSIDE}
)
WRITTEN_THERE = "jax written"  # fact of the run: keys that a mapped function makes of a seed that is written there
SEEN_INSIDE = "seen inside"  # of a call of a library: the method of the project is run that gets its keywords
BEGUN = "jax parameters begun"  # fact of the run: where a layer hands a key of its own to who begins its parameter
FIXED = frozenset({"parameter", "loop", "attr", "scan", "missing", "keyword"})


def make_key(machine: Machine, call: Invocation) -> Value:
    jax_flow.started(machine)
    jax_facts.start_backend(machine, call.name)
    seed = call.get("seed") or (call.arguments[0] if call.arguments else None)
    if isinstance(seed, Row):
        call.extra["value"] = seed
        machine.emit_event("record", "key seed", call.name, call.mask, extra={"call": call})
    machine.objects += 1
    number = machine.objects
    text = "the key is made here"
    where = jax_facts.place(machine)
    machine.facts.setdefault("jax roots", {})[number] = (where, text)
    if isinstance(seed, Const) and jax_facts.device_mapping(machine) is not None:
        machine.facts.setdefault(WRITTEN_THERE, set()).add(number)
    own = [tag for tag in lineage(seed) if tag[1] in ("varies", "may", "folded")] if seed is not None else []
    if isinstance(seed, Const) and jax_facts.device_mapping(machine) is not None:
        own.append(fact(WRITTEN, number))
    if machine.frame.function is None:
        own.append(fact(OUTSIDE, where))
    return machine.fresh("key", seed.cause if seed is not None else None, frozenset((fact("key", number), *own)))


def key_of(call: Invocation) -> Value | None:
    return call.get("key") or (call.arguments[0] if call.arguments else None)


def lineage(value: Value) -> list[Any]:
    """The facts that children of a key inherit."""
    return [tag for tag in value.tags if jax_facts.is_jax(tag) and tag[1] in INHERITED]


def root_of(value: Value) -> Any:
    return roots_of(value)[0]


def roots_of(value: Value) -> tuple[Any, ...]:
    """Several, where it is the one key or the other: `key if given else PRNGKey(0)`."""
    found = words(value.tags, "key") or words(value.tags, "keys")
    return tuple(sorted({tag[2] for tag in found})) or (0,)


def child(key: Value, symbol: Any, cause: Any = None) -> Unknown:
    return Unknown(symbol, cause or key.cause, frozenset((fact("key", root_of(key)), *lineage(key))))


def split(machine: Machine, call: Invocation) -> Value | None:
    jax_flow.started(machine)
    key = key_of(call)
    if key is None:
        return None
    batch_used_as_key(machine, call, key)
    state_keys.used(machine, key, call)
    number = call.get("num")
    if number is None:
        pair = (machine.symbols.fresh("key"), machine.symbols.fresh("key"))
        key_splits.made(machine, call, *pair)
        return Tuple(tuple(child(key, symbol) for symbol in pair))
    numbers = number.items if isinstance(number, Tuple) else (number,)
    if not numbers:
        return key
    cause = key.cause or (None if counts_rows(numbers[0]) else number.cause)
    made = batch_of(machine, key, numbers, cause, jax_facts.place(machine))
    key_splits.made(machine, call, made.symbol)
    return made


def batch_of(machine: Machine, key: Value, numbers: tuple[Value, ...], cause: Cause | None, where: Any) -> Unknown:
    """As many keys as the numbers say, one number for each dimension."""
    scale, count = count_of(numbers[0])
    made = machine.fresh("keys", cause, frozenset((fact("keys", root_of(key), scale, count, where), *lineage(key))))
    if len(numbers) > 1:
        machine.facts.setdefault(INNER, {})[made.symbol] = (numbers[1:], where)
    return made


def count_of(number: Value) -> tuple[str, Any]:
    """How many keys: a scale (local, world), a plain number, or the samples of an array."""
    if isinstance(number, Const) and isinstance(number.value, int):
        return number.scale or "", number.value
    counted = counted_in(number) or (number.symbol if isinstance(number, Unknown) else None)
    return ("samples", counted) if counted is not None else ("?", None)


def counted_in(number: Value) -> Symbol | None:
    """The array whose samples are counted by `x.shape[0]`."""
    key = number.symbol.key if isinstance(number, Unknown) else ()
    if len(key) == 3 and key[0] == "item" and key[2] == 0 and isinstance(key[1], Symbol):
        shape = key[1].key
        if len(shape) == 3 and shape[0] == "attr" and shape[2] == "shape" and isinstance(shape[1], Symbol):
            return shape[1]
    return None


def counts_rows(number: Value) -> bool:
    """One key for each of the rows that a rank has: whose rows they are does not make the keys others."""
    return counted_in(number) is not None or (isinstance(number, Unknown) and number.symbol.key[0] == "len")


def one_of(machine: Machine, keys: Value, index: Value | None) -> Value | None:
    """`keys[i]`, or any key of a batch."""
    if not has(keys, "keys") or not isinstance(keys, Unknown):
        return None
    within = machine.facts.get(INNER, {}).get(keys.symbol)
    if within is not None and isinstance(index, Tuple) and index.items:
        part = one_of(machine, keys, index.items[0])
        rest = index.items[1:]
        return part if part is None or not rest else one_of(machine, part, rest[0] if len(rest) == 1 else Tuple(rest))
    if within is not None:
        known = machine.facts.setdefault(INNER_MADE, {})
        which = (keys.symbol, token(index) if index is not None else None)
        if which not in known:
            known[which] = batch_of(machine, keys, within[0], keys.cause, within[1])
        held: Value = known[which]
        return held
    if index is None:
        symbol = machine.symbols.of("item", keys.symbol)
    elif isinstance(index, Const) or (isinstance(index, Unknown) and index.symbol.key[0] in FIXED):
        symbol = machine.symbols.of("item", keys.symbol, token(index))
    else:
        symbol = machine.symbols.fresh("key")
    return child(keys, symbol, index.cause if index is not None else None)


def across(keys: Unknown) -> Unknown:
    """`keys[:, i]` of rows of keys: one of each row, and nobody has counted the rows."""
    tags = (fact("keys", tag[2], "?", None, None) if is_fact(tag, "keys") else tag for tag in keys.tags)
    return Unknown(keys.symbol, keys.cause, frozenset(tags), keys.like)


def one_for_each(machine: Machine, result: Value, given: tuple[Value, ...]) -> Value:
    """A key made for one row is a batch of keys of all rows: as many as a batch of keys that was walked over."""
    batches = words(jax_facts.deep(given), "keys")
    scale, count = batches[0][3:5] if batches else ("?", None)

    def leaf(one: Value) -> Value:
        if not isinstance(one, Unknown) or not has(one, "key"):
            return one
        own = fact("keys", root_of(one), scale, count, jax_facts.place(machine))
        return jax_facts.with_facts(machine, one, [own], frozenset({"key"}))

    return jax_facts.mapped_tree(machine, result, leaf)


def fold_in(machine: Machine, call: Invocation) -> Value | None:
    jax_flow.started(machine)
    key = key_of(call)
    if key is None:
        return None
    batch_used_as_key(machine, call, key)
    data = call.get("data")
    if isinstance(data, Row):
        call.extra["value"] = data
        machine.emit_event("record", "fold", call.name, call.mask, extra={"call": call})
    symbol = (
        machine.symbols.of("fold_in", token(key), token(data))
        if data is not None and is_steady(data) and isinstance(key, Unknown)
        else machine.symbols.fresh("key")
    )
    made: Value = child(key, symbol, data.cause if data is not None else None)
    if data is None:
        return made
    if not (isinstance(data, Const | Row) or is_own_index(data)):
        made = jax_facts.with_facts(machine, made, (), frozenset({WRITTEN}))  # another one in every step, it may be
    more = [tag for tag in jax_facts.deep((data,)) if is_fact(tag, "varies") or is_fact(tag, "may")]
    more += [fact("folded")] if more and not counts_own_devices(data) else []
    if (
        data.cause is not None
        and data.cause.kind in ("rank", "node", "local rank")
        and jax_facts.device_mapping(machine)
    ):
        machine.objects += 1
        machine.facts.setdefault("jax folds", {})[machine.objects] = jax_facts.place(machine)
        more.append(fact("from host", machine.objects))
    return jax_facts.with_facts(machine, made, more)


def is_steady(data: Value) -> bool:
    """The same whenever it is asked for: a number, what somebody was given, which device or process this is."""
    if isinstance(data, Row):
        return data.cause.kind in BY_RANK and all(isinstance(lane, Const) for lane in data.lanes)
    return isinstance(data, Const) or (isinstance(data, Unknown) and data.symbol.key[0] in (*FIXED, AXIS_INDEX))


def counts_own_devices(data: Value) -> bool:
    """`jnp.arange(jax.local_device_count())`, a number for each device: every host gives its devices the same ones."""
    return isinstance(data, Unknown) and counted_here(data.symbol)


def counted_here(symbol: Symbol) -> bool:
    if symbol.key[0] == "phi":  # or none where there is one device
        ways = [part for part in symbol.key[2:] if isinstance(part, Symbol)]
        return bool(ways) and all(map(counted_here, ways))
    parts = symbol.key[1:]
    numbers = not any(isinstance(part, Symbol) for part in parts)
    return numbers and any(isinstance(part, tuple) and part[-1:] == ("local",) for part in parts)


def is_own_index(data: Value) -> bool:
    """`axis_index(axis)`: the same in every step."""
    return isinstance(data, Unknown) and data.symbol.key[0] == AXIS_INDEX


def batch_used_as_key(machine: Machine, call: Invocation, key: Value) -> None:
    """`split(key, 1)` is a batch of one key, no key."""
    for tag in words(key.tags, "keys"):
        if tag[3] == "" and tag[4] == 1 and not has(key, "key"):
            steps = (machine.step("the batch of one is used as if it were a key"),)
            jax_facts.note(machine, "batch of one", call.mask, tag[5], steps)


def taken_apart(machine: Machine, value: Value, names: int, mask: int) -> None:
    """`a, b, c = split(key)`: more or fewer names than keys."""
    if isinstance(value, Tuple):
        count = len(value.items) if all(has(item, "key") for item in value.items) else names
        places = []
    else:
        sized = [tag for tag in words(value.tags, "keys") if tag[3] == "" and isinstance(tag[4], int)]
        count = sized[0][4] if len(sized) == 1 and not has(value, "key") else names
        places = [tag[5] for tag in sized]
    if count != names:
        steps = tuple(Step(path, at[0], f"{count} keys are made here") for path, at, _ in places)
        what = f"{count} keys are taken apart into {names} names"
        jax_facts.note(machine, "taken apart", mask, None, steps, what=what, count=names)


def draw(machine: Machine, call: Invocation) -> Value | None:
    jax_flow.started(machine)
    key = key_of(call)
    state_keys.used(machine, key, call)
    return key_splits.remembered(machine, call, key, numbers_of(machine, call, key)) if key is not None else None


def numbers_of(machine: Machine, call: Invocation, key: Value) -> Value:
    """Numbers from a key; they remember the mapped axes over which the key is the same."""
    batch_used_as_key(machine, call, key)
    others = tuple(value for value in call.values if value is not key)
    if one_number(call, others) and jax_facts.device_mapping(machine) is not None and not has(key, "of row"):
        # the whole batch shares it, and so may the devices
        return machine.fresh("drawn", key.cause, frozenset((fact("array"), *lineage(key))))
    if root_of(key) in machine.facts.get(WRITTEN_THERE, ()) and not as_many(call):
        # of a written seed in each step: a table, like random features, that all devices are to have
        return machine.fresh("drawn", key.cause, of_numbers(others) | frozenset(lineage(key)))
    if call.row.extra.get("reorders"):
        # each brings its own rows into one order, which connects nothing
        made: Value = machine.fresh("drawn", key.cause or deep_cause(machine, others), of_numbers(others))
    else:
        made = drawn(machine, key, others, f"drawn by `{call.name.rpartition('.')[2]}`", call.mask)
    return jax_facts.with_facts(machine, made, jax_shapes.described(machine, call), jax_shapes.LAYOUT)


def as_many(call: Invocation) -> bool:
    """`normal(key, rows.shape)`: something for each row of an array."""
    shape = call.get("shape")
    return isinstance(shape, Unknown) and shape.symbol.key[0] == "attr" and shape.symbol.key[-1] == "shape"


def one_number(call: Invocation, others: tuple[Value, ...]) -> bool:
    """Drawn without a shape, from nothing that is an array itself?"""
    if "shape" not in call.row.params or call.get("shape") not in (None, Tuple(())):
        return False
    return not any(jax_facts.is_jax(tag) for tag in jax_facts.deep(others))


def makes_a_layer(machine: Machine) -> bool:
    """In the constructor of something that is called later: these are its first weights, and are to be alike."""
    return any(
        frame.owner is not None
        and frame.node is not None
        and frame.node.name == "__init__"
        and classes.in_class(machine, frame.owner, "__call__") is not None
        for frame in machine.frame.and_callers()
    )


def drawn(machine: Machine, key: Value, others: tuple[Value, ...], text: str, mask: int) -> Value:
    tags = of_numbers(others)
    own = {tag for tag in lineage(key) if tag[1] in ("varies", "may", "arg")}
    cause = key.cause or deep_cause(machine, others)
    mapping = jax_facts.device_mapping(machine)
    rows = jax_facts.rows_around(machine, key)
    if rows and known_key(key) and is_shared(key, rows):
        own.add(fact("draw", remember(machine, key, text, ()), rows))
    if mapping is None:
        alike = made_alike(machine, key) and not machine.facts.get(jax_facts.WHOLE)
        if alike and not makes_a_layer(machine):
            own.add(fact("host draw", remember(machine, key, text, ())))
    else:
        alike = has(key, "made equal")
        fixed = [axis for axis in mapping.axes or () if is_shared(key, axis) and not alike]
        hosts = words(key.tags, "from host")
        if fixed and hosts:
            where = machine.facts["jax folds"][hosts[0][2]]
            steps = (machine.step(f"{text}: the same numbers on all devices of a host"), told(mapping))
            jax_facts.note(machine, "host index", mask, where, steps)
        elif fixed and (known_key(key) or has(key, "replica")):
            number = remember(machine, key, text, (told(mapping),))
            own |= {fact("draw", number, axis) for axis in fixed}
        elif not fixed and not alike and same_on_hosts(machine, key):
            own.add(fact("host noise", remember(machine, key, text, (told(mapping),))))
    result = tags | own
    if tags and any(is_fact(tag, "draw") for tag in own):
        jax_flow.shared_draws(machine, tags | own)
    return machine.fresh("drawn", cause, result)


def of_numbers(others: tuple[Value, ...]) -> frozenset[Any]:
    """What numbers that are made of these keep of them."""
    tags = {tag for tag in jax_facts.deep(others) if jax_facts.is_jax(tag)}
    kept = frozenset(tag for tag in tags if tag[1] not in ("key", "keys", "host tree", "output"))
    return kept | {fact("array")}


def same_on_hosts(machine: Machine, key: Value) -> bool:
    """Does every host make this key alike, and give its devices the same children of it as the other hosts do?"""
    return made_alike(machine, key) and not has(key, "folded")


def made_alike(machine: Machine, key: Value) -> bool:
    known = root_of(key) in machine.facts.get("jax roots", {}) and bool(machine.facts.get("jax hosts"))
    return known and key.cause is None


def is_shared(key: Value, axis: str) -> bool:
    """Is the key certainly the same on all devices of this axis?"""
    return not any((tag[1] in ("varies", "may")) and tag[2] in (axis, "?") for tag in lineage(key))


def known_key(key: Value) -> bool:
    return has(key, "key") or (isinstance(key, Unknown) and has(key, "keys"))


def told(mapping: jax_facts.Mapping) -> Step:
    return jax_facts.step_at(mapping.where, f"the function is mapped over the devices by {mapping.kind}")


def remember(machine: Machine, key: Value, text: str, steps: tuple[Step, ...]) -> int:
    machine.objects += 1
    number = machine.objects
    root = machine.facts.get("jax roots", {}).get(root_of(key))
    entered = machine.facts.get("jax entered", {})
    where, spread = (root[0], "made") if root else (jax_facts.place(machine), "drawn")
    lines = [machine.step(text)]
    if root:
        lines.insert(0, jax_facts.step_at(root[0], root[1]))
    copied = machine.facts.get("jax copied", {}).get(root_of(key))
    for tag in words(key.tags, "arg"):
        if tag[2] in entered:
            where, spread = entered[tag[2]]
    if copied is not None and spread != "made":
        where, spread = copied_at(copied, root[0] if root else None, jax_facts.device_mapping(machine)), "copied"
    machine.facts.setdefault("jax draws", {})[number] = {
        "where": where,
        "spread": spread,
        "steps": (*steps, *lines),
    }
    return number


def copied_at(ways: list[Site], made: Site | None, mapping: jax_facts.Mapping | None) -> Any:
    """A helper that copies whatever it is given is right by itself: where it is given the key, an author would edit."""
    called = mapping.called if mapping is not None else None
    if made is None or called is None or ways[0][2] == made[2]:
        return ways[0]
    return next((way for way in ways if (way[0], way[2]) == (called[0], called[2])), called)


def carried_by_keyword(machine: Machine, call: Invocation) -> Value | None:
    """`model.apply(…, rngs={"dropout": key})`, `Layer(…, key=key)`: a library draws from the key."""
    if makes_parameters(call.name.rpartition(".")[2]) or may_only_hold(machine, call):
        return None
    if any(map(draws_its_own_way, call.values)):
        return None
    for name, value in call.keywords:
        if name != "rngs" and (name not in CARRIERS or call.extra.get(SEEN_INSIDE)):
            continue
        for way, key in jax_facts.paths(value, 2):
            batch_used_as_key(machine, call, key)
            state_keys.used(machine, key, call)
            if has(key, "key"):
                weak = name == "rngs"
                machine.emit_event(
                    "record",
                    "key",
                    call.name,
                    call.mask,
                    subject=key,
                    extra={"call": call, "weak": weak, "keyword": name},
                )
                if evaluated(machine) and (way == DROPOUT or told_to_be_still(machine, call)):
                    continue  # what noise is left there is of the model's answer, and the same for all rows if need be
                if way == DROPOUT:
                    always_alike(machine, call, key)
                others = tuple(held for held in call.values if held is not value)
                if call.receiver is not None:
                    others = (call.receiver, *others)
                made = drawn(machine, key, others, f"handed over as `{name}`", call.mask)
                return key_splits.remembered(machine, call, key, made)
    return None


def may_only_hold(machine: Machine, call: Invocation) -> bool:
    """`Stage(config, key=key)` of a module that nobody can see: it may be a record with a field for the key."""
    last = call.name.rpartition(".")[2]
    return call.receiver is None and last[:1].isupper() and not machine.knowledge.describes(call.name)


def makes_parameters(name: str) -> bool:
    """`init`, `init_with_output`, and what libraries call theirs: `initialize_model`, `init_params`."""
    return name.startswith("init") or name in ("lazy_init", "eval_shape")


def always_alike(machine: Machine, call: Invocation, key: Value) -> None:
    """Layers that drop units draw from a key which the step makes of a written number: the same units in every step."""
    mapping = jax_facts.device_mapping(machine)
    if mapping is None or any(is_shared(key, axis) for axis in mapping.axes or ()):
        return  # told as a key that all devices share
    if told_to_be_still(machine, call):
        return
    for tag in words(key.tags, WRITTEN):
        where = machine.facts["jax roots"][tag[2]][0]
        jax_facts.note(machine, "written key", call.mask, where, (machine.step("units are dropped by it here"),))


def told_to_be_still(machine: Machine, call: Invocation) -> bool:
    """`model.apply(…, train=False)`: the model is asked for its answer, without the noise of a training."""
    still = machine.knowledge.still
    return any(name in still and value == Const(still[name]) for name, value in call.keywords if name is not None)


def evaluated(machine: Machine) -> bool:
    """Is nothing learned in this mapped function?"""
    mapping = jax_facts.device_mapping(machine)
    return mapping is not None and not mapping.learns


def draws_its_own_way(value: Value) -> bool:
    """`sampler=partial(combined, row)`: with numbers of its own, the same key may give others each time."""
    return (
        isinstance(value, Bound)
        and isinstance(value.function, FunctionRef)
        and value.receiver is None
        and any(isinstance(one, Unknown) for one in (*value.extra, *(held for _, held in value.keywords)))
    )


def shard_prng_key(machine: Machine, call: Invocation) -> Value | None:
    key = call.arguments[0] if call.arguments else None
    if key is None:
        return None
    jax_flow.started(machine)
    if call.row.extra.get("by_host"):
        machine.facts["jax hosts"] = machine.facts[jax_facts.TOLD_APART] = True
    tags = frozenset((fact("keys", root_of(key), "local", None, None), *lineage(key)))
    made = machine.fresh("keys", key.cause, tags)
    return made


MODELS: dict[str, Any] = {
    "jax_random_key": make_key,
    "jax_random_split": split,
    "jax_random_fold_in": fold_in,
    "jax_random_draw": draw,
    "jax_shard_prng_key": shard_prng_key,
}
