"""Do the arguments of a mapped call fit what was said about their axes?"""

from __future__ import annotations

from typing import Any

from dtlint.ir import nodes as ir
from dtlint.machine.contents import containers
from dtlint.machine.contents.presence import begun_as
from dtlint.machine.core import Machine
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.jax import facts as jax_facts
from dtlint.machine.library.jax import shapes as jax_shapes
from dtlint.machine.library.jax.axes import FIRST, chosen, indices, made_by, of_all_hosts, signature, spec_axes
from dtlint.machine.library.jax.facts import has, is_jax, words
from dtlint.machine.library.jax.key_counts import CUT
from dtlint.machine.library.python import options
from dtlint.machine.values import NONE, ClassRef, Const, External, Object, Symbol, Tuple, Unknown, Value

CONSTANTS = frozenset({"numpy.pi", "math.pi", "jax.numpy.pi", "numpy.e", "math.e"})


OF_NUMBERS = frozenset({"builtins.min", "builtins.max", "builtins.abs", "builtins.round", "builtins.pow"})


COUNTED_BY = "keys counted by"  # note: beside what each device has its part of, as many keys as an option says, say
ARRAYS = frozenset({"array", "key", "keys", "device axis"})


PYTHON_NUMBERS = frozenset({"number", "index", "builtins.int", "builtins.float", "len"})


def check_call(machine: Machine, thing: Object, call: Invocation, specs: tuple[Any, ...] | None) -> None:
    if thing.facts["transform"] != "pmap":
        check_mesh(machine, thing, call, specs or ())
        return
    made = made_by(thing)
    where = thing.facts["where"]
    here = machine.step("called here")
    given = made.get("in_axes")
    explicit = given is not None and given != NONE
    statics = indices(made.get("static_broadcasted_argnums")) or ()
    alone = not thing.instead  # else the branch that made it may be the one that calls it otherwise
    if not as_many_axes(machine, thing, call, statics):
        return
    known = signature(thing.facts["function"])
    if alone and max(statics, default=-1) >= len(call.arguments) and not spread(call):
        name = static_name(known[0] if known is not None else [], call, statics)
        what = f"`static_broadcasted_argnums` names {name}, which the call does not give by position"
        jax_facts.note(machine, "axes", call.mask, where, (here,), what=what, effect="crash")
        return
    if specs is None:
        return
    names = [param.name for param in known[0]] if known is not None else []
    led = any(words(jax_facts.deep((value,)), "device axis") for value in call.arguments)
    for index, value in enumerate(call.arguments):
        if index in statics or index >= len(specs):
            continue
        name = names[index] if index < len(names) else f"argument {index}"
        spec = specs[index]
        plain = text_in(machine, value) or (truth_in(machine, value) if spec is FIRST else "")
        plain = plain or instance_in(machine, value)
        if plain:
            what = f"`{name}` is {plain}: not an array, and not in `static_broadcasted_argnums`"
            jax_facts.note(machine, "axes", call.mask, where, (here,), what=what, effect="crash")
            continue
        if spec is None:
            if broadcast_batch(value):
                what = f"`{name}` has one part for each device, but `in_axes` gives the whole of it to every device"
                jax_facts.note(machine, "axes", call.mask, where, (here,), what=what, effect="wrong")
            continue
        if spec is not FIRST:
            continue
        for tag in words(jax_facts.deep((value,)), "over copies"):
            jax_facts.note(machine, "restored over copies", call.mask, tag[2], (here,))
        for tag in words(jax_facts.deep((value,)), "put in"):
            op = "put in as stored" if tag[3] == "stored" else "put in"
            jax_facts.note(machine, op, call.mask, tag[4], (here,), text=tag[2])
        lack = lacks_axis(machine, value, led)
        restored = next((tag for tag in words(jax_facts.deep((value,)), "host tree") if tag[3] == "restored"), None)
        stored = next(iter(words(jax_facts.deep((value,)), "stored")), None)
        if lack and restored and machine.facts.get("jax replicated"):
            jax_facts.note(machine, "restored", call.mask, restored[4], (here,))
        elif lack and stored:
            jax_facts.note(machine, "restored as stored", call.mask, stored[3], (here,))
        elif lack and not explicit:
            what = f"`{name}` is {lack}"
            jax_facts.note(machine, "no axes", call.mask, where, (here,), what=what, name=name, index=index)
        elif lack:
            what = f"`{name}` is {lack}, but `in_axes` maps it over its first axis"
            jax_facts.note(machine, "axes", call.mask, where, (here,), what=what, effect="crash")
        check_counts(machine, call, value, led, here, made.get("devices"))
    for keyword, value in call.keywords:
        lack = lacks_axis(machine, value, led)
        if keyword is not None and lack:
            what = f"keyword arguments are always mapped over their first axis, and `{keyword}` is {lack}"
            jax_facts.note(machine, "no axes", call.mask, where, (here,), what=what, name=keyword, keyword=True)
    lost = [number for number in indices(made.get("donate_argnums")) or () if number >= len(call.arguments)]
    empty = {name for name, value in call.keywords if isinstance(value, Const)}  # nothing to donate
    lost = [number for number in lost if number >= len(names) or names[number] not in empty]
    if lost and call.keywords and not any(name is None for name, _ in call.keywords):
        what = "`donate_argnums` counts positional arguments; what pmap is given by keyword is not donated"
        steps = (jax_facts.step_at(where, "donate_argnums is set here"),)
        jax_facts.note(machine, "axes", call.mask, None, steps, what=what, effect="waste")


def as_many_axes(machine: Machine, thing: Object, call: Invocation, statics: tuple[int, ...] = ()) -> bool:
    """Does `in_axes` of a `pmap` or a `vmap` speak of as many arguments as the call gives by position?"""
    given = made_by(thing).get("in_axes")
    items = containers.items_of(machine, given) if given is not None and not isinstance(given, Const) else None
    if not isinstance(given, Tuple) or thing.instead or items is None or spread(call):
        return True
    if fits(len(items), len(call.arguments), statics):
        return True
    what = f"`in_axes` has {len(items)} entries, the call gives {len(call.arguments)} positional arguments"
    steps = (machine.step("called here"),)
    jax_facts.note(machine, "axes", call.mask, thing.facts["where"], steps, what=what, effect="crash")
    return False


def spread(call: Invocation) -> bool:
    return any(isinstance(value, Object) and value.kind == "<spread>" for value in call.arguments)


def static_name(params: list[ir.Param], call: Invocation, statics: tuple[int, ...]) -> str:
    missing = next(index for index in sorted(statics) if index >= len(call.arguments))
    return f"`{params[missing].name}`" if missing < len(params) else f"argument {missing}"


def arrays_as_statics(machine: Machine, thing: Object, call: Invocation) -> list[int]:
    """Positions that are said to be static, where the call gives arrays: these cannot be hashed."""
    statics = indices(made_by(thing).get("static_broadcasted_argnums")) or ()
    known = signature(thing.facts["function"])
    found = []
    for index, value in enumerate(call.arguments):
        if index in statics and is_array(machine, value):
            name = known[0][index].name if known is not None and index < len(known[0]) else f"argument {index}"
            what = f"`{name}` is an array, and `static_broadcasted_argnums` says it is static: it cannot be hashed"
            steps = (machine.step("called here"),)
            jax_facts.note(machine, "axes", call.mask, thing.facts["where"], steps, what=what, effect="crash")
            found.append(index)
    return found


def is_array(machine: Machine, value: Value) -> bool:
    """What a thing that nobody knows holds beside its arrays, like the name of a task, need not be one."""
    if isinstance(value, Unknown) and value.symbol.key[0] in ("item", "attr"):
        return False
    if isinstance(value, Object) and isinstance(value.kind, ClassRef) and plain_class(machine, value.kind):
        return False  # `self`, which is hashed by what it is
    return any(is_jax(tag) and tag[1] in ARRAYS for tag in jax_facts.deep((value,)))


def plain_class(machine: Machine, kind: ClassRef) -> bool:
    """Neither a dataclass nor made from a class that JAX takes apart: a train state is a tree of arrays, a data set is
    none."""
    if not isinstance(kind.node, ir.Class) or kind.node.decorators or len(kind.bases) != len(kind.node.bases):
        return False
    return not any(is_tree(machine, one) for one in kind.bases)


def is_tree(machine: Machine, base: Value) -> bool:
    if isinstance(base, ClassRef):
        return not plain_class(machine, base)
    known = machine.knowledge.types.get(base.name) if isinstance(base, External) else None
    return known is not None and known.tree


def check_mesh(machine: Machine, thing: Object, call: Invocation, specs: tuple[Any, ...]) -> None:
    """One spec for each argument; keys for the devices of one host, over a mesh of the devices of all hosts."""
    given = made_by(thing).get("in_specs")
    if isinstance(given, Tuple) and not thing.instead and len(given.items) != len(call.arguments):
        what = f"`in_specs` has {len(given.items)} entries, the call gives {len(call.arguments)} positional arguments"
        steps = (machine.step("called here"),)
        jax_facts.note(machine, "axes", call.mask, thing.facts["where"], steps, what=what, effect="crash")
    if not machine.facts.get("jax hosts") or not of_all_hosts(made_by(thing).get("mesh")):
        return
    for value, spec in zip(call.arguments, specs, strict=False):
        counted = words(value.tags, "keys") if isinstance(spec, Object) and spec_axes(spec) else ()
        for tag in counted:
            if tag[3] == "local" and tag[5] is not None and is_split(value):
                what = "as many keys as this host has devices, for a mesh over the devices of all hosts"
                jax_facts.note(machine, "key count", call.mask, tag[5], (machine.step("called here"),), what=what)


def text_in(machine: Machine, value: Value) -> str:
    """A text, one of those that branches leave, or an option of the command line that nothing converts."""
    if isinstance(value, Const):
        return f"the text {value.value!r}" if isinstance(value.value, str) else ""
    key = value.symbol.key if isinstance(value, Unknown) else ()
    sides = key[2:] if key[:1] == ("phi",) else ()
    if sides and all(type(side) is str for side in sides):
        return f"the text {sides[0]!r}"
    return "a text" if options.is_text(machine, value) else ""


def truth_in(machine: Machine, value: Value) -> str:
    """A truth value, or the answer to a question about numbers or texts."""
    if isinstance(value, Const):
        return f"the truth value {value.value}" if isinstance(value.value, bool) else ""
    symbol = value.symbol if isinstance(value, Unknown) else None
    while symbol is not None and symbol.key[0] == "not":
        symbol = symbol.key[1]
    asked = symbol.key if symbol is not None else ("",)
    answered = isinstance(asked[0], str) and asked[0].startswith("compare ")
    return "a truth value" if answered and all(type(one) is str or is_number(machine, one) for one in asked[1:]) else ""


REGISTERS = ("register_dataclass", "register_pytree", "register_static")


def instance_in(machine: Machine, value: Value) -> str:
    """An instance of a plain dataclass, of which nobody has told JAX that it is a tree."""
    kind = value.kind if isinstance(value, Object) else None
    if not isinstance(kind, ClassRef) or kind.bases or kind.decorated != ("dataclasses.dataclass",):
        return ""
    told = any(machine.project.mentioning(word) for word in REGISTERS)
    return "" if told else f"an instance of `{kind.name}`"


def fits(entries: int, arguments: int, statics: tuple[int, ...]) -> bool:
    """Is there an axis for every argument? What is static needs none, and may have one."""
    if not statics:
        return entries == arguments
    return all(index < entries for index in range(arguments) if index not in statics)


def lacks_axis(machine: Machine, value: Value, led: bool = False) -> str:
    """Why this argument visibly has no axis of devices; `led` when another one has it."""
    if isinstance(value, Const):
        if isinstance(value.value, int | float) and not isinstance(value.value, bool):
            return f"the number {value.value}" if not value.scale else "a number"
        return ""
    if isinstance(value, Unknown) and is_number(machine, value.symbol):
        return "a Python number"
    found = jax_facts.deep((value,))
    if any(jax_facts.is_fact(tag, "replicated") or jax_facts.is_fact(tag, "stored") for tag in found):
        return next(filter(None, map(one_way_restored, jax_facts.leaves(value, 3))), "")
    for leaf in jax_facts.leaves(value, 3):
        if has(leaf, "key") and not has(leaf, "keys") and not has(leaf, "device axis") and not has(leaf, "output"):
            return "one unsplit key"
        for tag in words(leaf.tags, "state of"):
            if set(tag[3]) & machine.facts.get(jax_facts.COPIED, set()):
                return str(tag[2])
        host = words(leaf.tags, "host tree")
        if host and not has(leaf, "device axis"):
            return str(host[0][2])
    if number_beside_rows(machine, value):
        return "a container with a plain number beside its arrays"
    return jax_shapes.lacking([leaf for leaf in jax_facts.leaves(value) if isinstance(leaf, Unknown)]) if led else ""


def number_beside_rows(machine: Machine, value: Value) -> bool:
    """`{"x": x, "temperature": 0.1}`, of which `x` has one part for each device? Copies of a state are made of its
    numbers as well."""
    if not isinstance(value, Tuple) and not (isinstance(value, Object) and value.kind in ("dict", "list")):
        return False
    held = list(jax_facts.leaves(value, 3))
    divided = any(has(leaf, "device axis") and not has(leaf, "replicated") and not has(leaf, "output") for leaf in held)
    return divided and any(
        type(leaf.value) in (int, float)
        if isinstance(leaf, Const)
        else isinstance(leaf, Unknown) and is_number(machine, leaf.symbol)
        for leaf in held
    )


def one_way_restored(value: Value) -> str:
    """Did one branch leave copies for the devices there, and the other what it read from a checkpoint?"""
    if not isinstance(value, Unknown):
        return ""
    symbol = begun_as(value.symbol)
    restored = [str(tag[2]) for tag in words(value.tags, "host tree") if tag[3] == "restored"]
    restored += [str(tag[2]) for tag in words(value.tags, "stored")]
    return next(iter(restored), "") if symbol.key[0] in ("phi", "split") else ""


def is_number(machine: Machine, part: object, depth: int = 12) -> bool:
    """A count, or arithmetic on counts and on numbers that the program writes down."""
    if not isinstance(part, Symbol):
        return (
            type(part) in (int, float)
            or part in CONSTANTS
            or (isinstance(part, tuple) and part[:1] in (("int",), ("float",)))
        )
    what, *parts = part.key
    if what in PYTHON_NUMBERS or options.is_number(machine, part):
        return True
    if what == "phi":  # whatever the branches left there
        return bool(depth) and all(is_number(machine, one, depth - 1) for one in parts[1:])
    if not depth or not isinstance(what, str) or not parts:
        return False
    if what == "call" and is_schedule(machine, parts[0]):
        return all(is_number(machine, one, depth - 1) for one in parts[1:])
    return scalar_function(machine, what) and all(is_number(machine, one, depth - 1) for one in parts)


def is_schedule(machine: Machine, part: object) -> bool:
    """A function of a library that gives a number for the number of a step."""
    row = machine.knowledge.api(str(part.key[0])) if isinstance(part, Symbol) else None
    return row is not None and bool(row.extra.get("schedule"))


def scalar_function(machine: Machine, what: str) -> bool:
    """Does this make a number of numbers?"""
    if what.startswith(("op ", "unary ", "math.")) or what in OF_NUMBERS:
        return what != "op @"
    row = machine.knowledge.api(f"jax.{what}") if what.startswith("numpy.") else None
    return row is not None and bool(row.extra.get("rowwise"))


def broadcast_batch(value: Value) -> bool:
    found = jax_facts.deep((value,))
    return (
        any(tag[2] == "local" for tag in words(found, "device axis"))
        and not words(found, "replicated")
        and not words(found, "keys")
        and not words(found, "output")
    )


def check_counts(
    machine: Machine, call: Invocation, value: Value, led: bool, here: Any, devices: Value | None = None
) -> None:
    """Keys and batches that count something else than this host's devices, or than those that were chosen."""
    hosts = machine.facts.get("jax hosts")
    for leaf in jax_facts.leaves(value, 3):
        for tag in words(leaf.tags, "keys"):
            if has(leaf, "replicated") or tag[5] is None or not is_split(leaf) or chosen(devices, tag[4]):
                continue
            if tag[3] == "world" and hosts:
                what = "as many keys as all hosts have devices, for a pmap over this host's devices"
                jax_facts.note(machine, "key count", call.mask, tag[5], (here,), what=what)
            elif led and tag[3] == "local" and type(tag[4]) is int and 0 < tag[4] < machine.world.per_host:
                what = "fewer keys than this host has devices, where the mapped axis has one entry for each of them"
                jax_facts.note(machine, "key count", call.mask, tag[5], (here,), what=what)
            elif tag[3] == "local" and type(tag[4]) is int and tag[4] > machine.world.per_host:
                what = "more keys than this host has devices, where the mapped axis has one entry for each of them"
                jax_facts.note(machine, "key count", call.mask, tag[5], (here,), what=what)
            elif tag[3] == "" and tag[4] not in (None, 1) and (led or divided_elsewhere(machine, tag[4])):
                what = f"{tag[4]} keys, where the mapped axis has one entry for each device"
                jax_facts.note(machine, "key count", call.mask, tag[5], (here,), what=what)
            elif tag[3] == "samples" and (
                divided(call, tag[4]) or divided_elsewhere(machine, tag[4]) or multiplied(tag[4])
            ):
                what = "one key for each sample, where the mapped axis has one entry for each device"
                jax_facts.note(machine, "key count", call.mask, tag[5], (here,), what=what)
            elif tag[3] == "samples" and led and of_one_device(machine, call, tag[4]):
                what = (
                    "as many keys as each device has of something else, where the mapped axis has one for each device"
                )
                jax_facts.note(machine, "key count", call.mask, tag[5], (here,), what=what)
            elif tag[3] == "samples":
                jax_facts.note(machine, COUNTED_BY, call.mask, tag[5], (here,), count=tag[4])
        for tag in words(leaf.tags, "device axis"):
            if tag[2] == "world":
                counted = machine.facts.get("jax all counted", {}).get(tag[3][2])
                steps = (here,) if counted is None else (counted, here)
                jax_facts.note(machine, "world axis", call.mask, tag[3], steps)


def check_rows(machine: Machine, call: Invocation, specs: tuple[Any, ...] | None) -> None:
    """Within what runs on each device: `vmap` over the samples of one, and as many keys as there are devices."""
    if specs is None or not any(one.kind in ("pmap", "shard_map") for one in jax_facts.mappings(machine)):
        return
    rows = [value for value, spec in zip(call.arguments, specs, strict=False) if spec is FIRST]
    leaves = [leaf for value in rows for leaf in jax_facts.leaves(value, 2)]
    if not any(has(leaf, "varies") and not has(leaf, "keys") and not has(leaf, "key") for leaf in leaves):
        return
    for leaf in leaves:
        for tag in words(leaf.tags, "keys"):
            devices = {"local": machine.world.per_host, "world": machine.world.size}.get(tag[3])
            if devices and tag[5] is not None and is_split(leaf) and (type(tag[4]) is not int or tag[4] == devices):
                what = "one key for each device, where `vmap` takes one for each of the samples of this device"
                here, remedy = machine.step("called here"), "split into one key for each sample: `x.shape[0]`"
                jax_facts.note(machine, "key count", call.mask, tag[5], (here,), what=what, remedy=remedy)


def divided_elsewhere(machine: Machine, count: Any) -> bool:
    """`paths // local_device_count`: then as many keys as paths are not one for each device."""
    shares: list[Any] = machine.facts.get("shares", [])
    return any(share.op == "//" and share.by == "local" and same_count(share.left, count) for share in shares)


def same_count(whole: Value, count: Any) -> bool:
    """Is this the count, or its negative, as `-(-paths // devices)` divides it to round up?"""
    if isinstance(whole, Const):
        return type(count) is int and whole.value in (count, -count)
    symbol = whole.symbol if isinstance(whole, Unknown) else None
    if symbol is not None and symbol.key[:1] == ("unary -",):
        symbol = symbol.key[1]
    return symbol is not None and symbol is count


def of_one_device(machine: Machine, call: Invocation, count: Symbol) -> bool:
    """`local_device_count() * minibatches`, `batch // local_device_count()`, `x.shape[1]` of an array that is divided
    between the devices: what is there for each device is not their number."""
    if count.key[0] == "op //" and any(isinstance(one, tuple) and one[-1:] == ("local",) for one in count.key[2:]):
        return True
    if behind_the_first_axis(call, count):
        return True
    shares: list[Any] = machine.facts.get("shares", [])
    both = ((share.left, share.right) for share in shares if share.op == "*")
    return any(
        isinstance(one, Unknown) and one.symbol is count and isinstance(other, Const) and other.scale == "local"
        for left, right in both
        for one, other in ((left, right), (right, left))
    )


def behind_the_first_axis(call: Invocation, count: Symbol) -> bool:
    """`x.shape[1]` of an argument"""
    match count.key:
        case ("item", Symbol(key=("attr", Symbol() as array, "shape")), int(axis)) if axis > 0:
            leaves = (leaf for value in call.arguments for leaf in jax_facts.leaves(value, 3))
            return any(
                leaf.symbol is array and has(leaf, "device axis") for leaf in leaves if isinstance(leaf, Unknown)
            )
    return False


def is_split(keys: Value) -> bool:
    """What `split` gave, if only for the first turn of a loop, or so many of it; not another shape of it."""
    return isinstance(keys, Unknown) and begun_as(keys.symbol).key[0] in ("keys", CUT)


def multiplied(count: Symbol) -> bool:
    """`devices * per_device`"""
    return count.key[0] == "op *" and any(isinstance(one, tuple) and one[-1:] == ("local",) for one in count.key[1:])


def divided(call: Invocation, whole: Symbol) -> bool:
    """Does the call get the samples of this array (or this many samples), divided between the devices?"""
    return any(
        isinstance(leaf, Unknown)
        and has(leaf, "device axis")
        and (jax_shapes.is_cut(leaf, whole) or jax_shapes.holds(leaf, whole))
        for argument in call.values
        for leaf in jax_facts.leaves(argument, 3)
    )
