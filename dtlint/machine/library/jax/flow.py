"""What does a computation make of the facts that travel with JAX values?

`flow` is called for every result the machine cannot compute, once a program has shown that it uses JAX; torch programs
never come here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from dtlint.machine.contents.opaque import deep_cause
from dtlint.machine.core import Machine
from dtlint.machine.library.jax.facts import (
    COMPUTED_WITH,
    DONATED,
    ORIGIN,
    ROWS,
    Tags,
    deep,
    device_mapping,
    fact,
    has,
    is_fact,
    is_jax,
    leaves,
    mapping_of,
    mappings,
    note,
    partly_agreed,
    without,
    words,
)
from dtlint.machine.starts.given import is_option
from dtlint.machine.values import ITEMS, Cause, Const, Symbol, Unknown, Value

OF_SOME = "divided by some"  # note: a sum over all devices is divided by the number of those of one host
DRAWN = frozenset({"draw", "host draw", "host noise"})
MOST = 20  # branches that are looked through
LENT = "jax lent"  # fact of the run: symbols of the buffers that the thread which is followed just now has read
LEAVES = "jax leaves"  # fact of the run: which tree some leaf stands for that a branch may have kept
FOLLOWERS = "jax followers"  # fact of the run: symbols of what calls that donate gave back
PICKS = frozenset({"item", "slice"})
SCALED = frozenset({"op *", "op /", "jax.numpy.multiply", "jax.numpy.divide"})
STRUCTURAL = frozenset({"item", "slice", "tuple", "any", "comprehension", "for each", "call attribute"})


def started(machine: Machine) -> None:
    """This program uses JAX: facts flow from here on."""
    machine.flow = flow
    machine.facts["jax"] = True


def flow(machine: Machine, what: str, values: tuple[Value, ...], tags: Tags) -> Tags:
    """The facts of a result that is not computed."""
    found = deep(values) if any(type(value) is not Unknown for value in values) else set(tags)
    donated = machine.facts.get(DONATED)
    if donated:
        used(machine, values, donated, one_item=what in PICKS)
    if not found:
        return tags
    if LENT in machine.facts:
        machine.facts[LENT].update(leaf.symbol for leaf in buffers_in(values))
    seen = {tag[1] for tag in found if is_jax(tag)}
    if not seen:
        return tags
    if not seen.isdisjoint(DRAWN) and contracts(machine, what) and not onto_weights(machine, values):
        found, tags = set(without(found, DRAWN)), without(tags, DRAWN)
        seen -= DRAWN
    if "draw" in seen:
        shared_draws(machine, found)
    if what in ("item", "slice") and "host draw" in seen and deep_cause(machine, values[1:]) is not None:
        # each host takes its own part of what all of them have drawn
        return frozenset(tag for tag in without(found, frozenset({"host draw"})) if tag in tags or is_jax(tag))
    for word in ("host draw", "host noise"):
        if word in seen and what != "call":  # a writer that one host has shows what it is given
            host_draws(machine, found, values, word)
    if ORIGIN in seen and what not in STRUCTURAL:
        machine.facts.setdefault(COMPUTED_WITH, set()).update(tag[2] for tag in words(found, ORIGIN))
    drop: set[str] = {"device axis"} if what in ("compare in", "compare is") else set()  # else each item is compared
    if asks(machine, what):
        drop |= {"grad", "partly", "summed", "over", "mean"}  # an answer about gradients is none
    if "plain" in seen and not keeps_shape(what, values):
        drop |= {"plain"}
    if "global" in seen and what not in STRUCTURAL and not rowwise(machine, what, values):
        drop |= {"global"}
    if what not in STRUCTURAL:
        drop |= {"key", "keys", "output", "one of", "each summed"}
        if what == "op @" or not what.startswith("op "):
            drop |= {ORIGIN}
        if not what.startswith(("optax.", "op ")):
            drop |= {"host tree", "state of", "replicated", "over copies", "stored", "put in"}
        if what.startswith("op ") and not all(has(value, "replicated") for value in values if type(value) is Unknown):
            drop |= {"replicated"}
        drop |= {"even"}
    if what in ("op /", "op //", "jax.numpy.divide", "jax.numpy.true_divide") or scaled(what, values):
        drop |= {"summed", "sum meaned", "over", "mean"}
        if "summed" in seen and isinstance(values[-1], Const) and values[-1].scale == "local":
            note(machine, OF_SOME, machine.frame.mask)
    if ("summed" in seen or "over" in seen) and scale_free(machine, what):
        drop |= {"summed", "over", "mean"}
    if reduces_inside(found, what) or ("grad" in seen and out_of_sight(what, values)) or told_axis(machine, values):
        drop |= {"grad", "partly", "varies", "may", "summed", "over"}
    if "grad" in seen and what == "call" and is_model(values[0]):
        drop |= {"grad", "partly", "summed", "over"}
    kept = without(found, frozenset(drop))
    if "agreed" in seen and "grad" in seen and "grad" not in drop:
        kept |= partly_agreed(values)
    if "agreed" in seen and what in SCALED:
        kept -= {fact("agreed", number) for number in own_gradients(values)}
    if not_followed(what, values):
        kept = perhaps(kept)
    if is_mean(what, values):
        kept |= {fact("mean"), *(fact("sum meaned", tag[2]) for tag in words(found, "each summed"))}
    return frozenset(tag for tag in kept if tag in tags or is_jax(tag))


def buffers_in(values: Iterable[Value]) -> Iterator[Unknown]:
    for value in values:
        yield from (leaf for leaf in leaves(value, 3) if isinstance(leaf, Unknown) and is_buffer(leaf))


def is_buffer(leaf: Value) -> bool:
    return has(leaf, "array") or has(leaf, "replicated") or has(leaf, "output")


def own_gradients(values: tuple[Value, ...]) -> set[Any]:
    """Gradients of this device alone are that, too, where they are scaled by a norm on which all have agreed."""
    own: set[Any] = set()
    for value in values:
        agreed = {tag[2] for tag in words(value.tags, "agreed")}
        own |= {tag[2] for tag in words(value.tags, "grad")} - agreed
    return own


def not_followed(what: str, values: tuple[Value, ...]) -> bool:
    """The result of a function of the program whose body was not run this time, or of what such a function gave."""
    if what != "call":
        return what == "depth"
    callee = values[0] if values else None
    key = callee.symbol.key if isinstance(callee, Unknown) else ("",)
    if isinstance(callee, Const):  # a function by its place, or a layer of a library by its class
        return not is_layer(callee)
    return key[0] == "depth" or (key[0] == "call" and isinstance(key[1], str))


def is_layer(callee: Value) -> bool:
    """An instance of a class of a library that works with JAX: it answers for every row of what it is given."""
    return isinstance(callee, Const) and str(callee.value).partition(".")[0] in SIGHT


def perhaps(tags: Iterable[Any]) -> Tags:
    """What is made out of sight from values that vary over an axis may vary, or have been reduced there."""
    return frozenset(fact("may", tag[2]) if is_fact(tag, "varies") else tag for tag in tags)


VIEWS = ("items", "values")  # of a tree: what it holds, as it is
CHOICES = frozenset({"argmax", "argmin", "argsort"})  # an answer for every row, along another axis than the rows


REDUCED = frozenset({"mean", "sum", "max", "min", "prod", "std", "var", "any", "all"})


def along_a_row(name: str, options: tuple[Value, ...]) -> bool:
    """A choice is hardly ever made of numbers without rows; a sum along the last axis may well be one of all rows."""
    axis = options[0].value if options and isinstance(options[0], Const) else None
    return type(axis) is int and ((name in CHOICES and axis != 0) or (name in REDUCED and axis > 0))


def rowwise(machine: Machine, what: str, values: tuple[Value, ...]) -> bool:
    """Does every host still have its own rows of the result?"""
    if what == "call" and isinstance(values[0], Unknown) and values[0].symbol.key[0] == "attr":
        name = values[0].symbol.key[-1]
        return name in VIEWS or along_a_row(name, values[1:])
    if what == "call" and is_layer(values[0]):
        return True
    if what.startswith("jax.numpy.") and along_a_row(what.rpartition(".")[2], values[1:]):
        return True
    if what == "op @":
        return has(values[0], "global")
    if what.startswith(("op ", "compare", "unary")):
        return True
    row = machine.knowledge.api(what)
    return row is not None and bool(row.extra.get("rowwise"))


def contracts(machine: Machine, what: str) -> bool:
    """A product over an axis, as of samples and weights. Numbers that were drawn for that are the weights of a model,
    which all replicas share; noise has the form of what it is added to."""
    row = machine.knowledge.api(what)
    return what == "op @" or (row is not None and bool(row.extra.get("contracts")))


def onto_weights(machine: Machine, values: tuple[Value, ...]) -> bool:
    """`noise @ weights`: what stands before something that all devices share is the input of a layer."""
    if len(values) != 2:
        return False
    given, by = (deep((value,)) for value in values)
    words_by = {tag[1] for tag in by if is_jax(tag)}
    drawn = any(is_fact(tag, word) for tag in given for word in DRAWN)
    return drawn and words_by.isdisjoint({*DRAWN, "varies", "may"}) and deep_cause(machine, values[1:]) is None


def asks(machine: Machine, what: str) -> bool:
    """Is the result true or false?"""
    row = machine.knowledge.apis.get(what)
    return what.startswith("compare") or (row is not None and bool(row.extra.get("asks")))


def scale_free(machine: Machine, what: str) -> bool:
    """Is the result the same for a sum as for a mean?"""
    row = machine.knowledge.api(what)
    return row is not None and bool(row.extra.get("scale_free"))


def keeps_shape(what: str, values: tuple[Value, ...]) -> bool:
    """Is the result as large as what is known of the operands?"""
    if what == "item":
        return len(values) == 2 and isinstance(values[1], Const) and isinstance(values[1].value, str)
    if what.startswith("op "):
        return all(has(value, "plain") or is_number(value) for value in values)
    return what == "tuple" or what.startswith(("optax.", "unary"))


def is_number(value: Value) -> bool:
    """A number, or a function of numbers that the program writes down: `np.sqrt(2 / 64)`."""
    if isinstance(value, Const):
        return True
    return type(value) is Unknown and not any(type(part) is Symbol for part in value.symbol.key[1:])


def scaled(what: str, values: tuple[Value, ...]) -> bool:
    """A product with something unknown that is no gradient may be the division by the number of devices. An option,
    as it is given, knows nothing of them."""
    if what != "op *":
        return False
    sums = ("grad", "summed", "over", "arg")
    return any(
        type(value) is Unknown and not any(has(value, word) for word in sums) and not is_option(value.symbol)
        for value in values
    )


def is_mean(what: str, values: tuple[Value, ...]) -> bool:
    if what in ("jax.numpy.mean", "jax.numpy.average", "jax.numpy.nanmean"):
        return True
    first = values[0] if values else None
    key = first.symbol.key if what == "call" and type(first) is Unknown else ()
    return len(key) == 3 and key[0] == "attr" and key[2] == "mean"


def reduces_inside(found: set[Any], what: str) -> bool:
    return what == "call" and any(is_fact(tag, "reduces") for tag in found)


def told_axis(machine: Machine, values: tuple[Value, ...]) -> bool:
    """`statistics.update(state, batch, pmap_axis_name="devices")`: who is told the name of the axis reduces over it."""
    names = {value.value for value in values if isinstance(value, Const) and isinstance(value.value, str)}
    return bool(names) and any(not names.isdisjoint(one.axes or ()) for one in mappings(machine))


SIGHT = (
    "jax",
    "optax",
    "numpy",
    "flax",
    "chex",
    "builtins",
    "equinox",
    "haiku",
    "operator",
    "op",
    "compare",
    "item",
    "slice",
    "tuple",
    "unary",
)

UPDATES = ("update", "apply", "apply_updates")


def out_of_sight(what: str, values: tuple[Value, ...]) -> bool:
    """Do gradients go into something nobody knows, which may reduce them?"""
    if what != "call":
        return what.partition(".")[0].partition(" ")[0] not in SIGHT and what not in STRUCTURAL
    callee = values[0] if values else None
    if isinstance(callee, Unknown):
        if has(callee, "grad"):
            return False
        return not (callee.symbol.key[0] == "attr" and callee.symbol.key[-1] in UPDATES)
    return True


def is_model(callee: Value) -> bool:
    """What is called has gone into the parameters of a model; what a model answers is no update of them."""
    return isinstance(callee, Unknown) and has(callee, "grad") and callee.symbol.key[0] != "attr"


def shared_draws(machine: Machine, found: set[Any] | Tags) -> None:
    """Numbers drawn from one key meet values that differ between the devices."""
    varying = {tag[2] for tag in words(found, "varies")}
    drawn_alike(machine, [tag for tag in words(found, "draw") if tag[3] in varying])


def meaned_alone(machine: Machine, found: Tags, axes: tuple[str, ...]) -> None:
    """Numbers drawn from one key, and nothing that differs between the devices: the mean of them says nothing new."""
    if not words(found, "varies") and not words(found, "may"):
        drawn_alike(machine, [tag for tag in words(found, "draw") if tag[3] in axes])


def drawn_alike(machine: Machine, draws: list[Any]) -> None:
    for tag in draws:
        rows = tag[3].startswith(ROWS)
        mapping = mapping_of(machine, tag[3]) if rows else device_mapping(machine)
        info = machine.facts["jax draws"][tag[2]]
        if mapping is None or tag[2] in mapping.noted:
            continue
        mapping.noted.add(tag[2])
        if rows:
            note(machine, "shared by rows", machine.frame.mask, mapping.called, info["steps"])
        else:
            note(machine, "shared key", machine.frame.mask, info["where"], info["steps"], spread=info["spread"])


def host_draws(machine: Machine, found: set[Any], values: tuple[Value, ...], word: str) -> None:
    """Numbers that all hosts draw alike, on the host or on its devices, meet what each of them has for itself."""
    cause = deep_cause(machine, values)
    if (
        cause is None
        or cause.kind not in ("rank", "node", "data", "shard")
        or (word == "host draw" and device_mapping(machine) is not None)
        or any(has(value, "global") for value in values)
    ):
        return
    for tag in words(found, word):
        drawn_on_hosts(machine, tag, cause, "meets this host's own data")


def drawn_on_hosts(machine: Machine, draw: Any, cause: Cause, text: str) -> None:
    info = machine.facts["jax draws"][draw[2]]
    if info.get("noted") is None:
        steps = (*info["steps"], *cause.steps()[:2], machine.step(text))
        note(machine, "host key", machine.frame.mask, info["where"], steps)


def host_parts(machine: Machine, part: Value) -> None:
    """Numbers that all hosts draw alike are the part of each in an array of all hosts, beside another array of which
    every host gives what it has for itself."""
    draws, causes = machine.facts.setdefault("jax host parts", ([], []))
    draws.extend(words(deep((part,)), "host draw"))
    cause = deep_cause(machine, (part,))
    if cause is not None:
        causes.append(cause)
    while draws and causes:
        drawn_on_hosts(machine, draws.pop(), causes[0], "each host gives its part of an array of all hosts")


def meant_to_agree(machine: Machine, parameters: tuple[Value, ...]) -> None:
    """What a loss is differentiated by are weights: all hosts are to draw the same for them."""
    for tag in words(deep(parameters), "host draw"):
        machine.facts["jax draws"][tag[2]]["noted"] = "weights"


def used(machine: Machine, values: tuple[Value, ...], donated: dict[Symbol, Any], one_item: bool = False) -> None:
    """A value that was given away may be read here; `one_item`: of a list, no more than that."""
    for value in values:
        for leaf in leaves(value, 3):
            if type(leaf) is Unknown:
                base = base_of(leaf.symbol, donated)
                if base is not None:
                    whole = donated[base]
                    note(machine, "read", machine.frame.mask, symbol=whole if isinstance(whole, Symbol) else base)
                    return
                symbol = machine.facts.get(LEAVES, {}).get(leaf.symbol, leaf.symbol)
                base = None if one_item else given_away_behind(symbol, donated)
                if base is not None:
                    note(machine, "read", machine.frame.mask, symbol=base)
                    return
                kept = kept_follower(machine, symbol, one_item)
                if kept is not None:
                    note(machine, "read kept", machine.frame.mask, symbol=symbol, follower=kept)
                    return


def given_away_behind(symbol: Symbol, donated: dict[Symbol, Any]) -> Symbol | None:
    """`snapshots.append(params)`, and a call that donates them behind that: what all of a list has in it."""
    while symbol.key[0] in ("attr", "item") and isinstance(symbol.key[1], Symbol):
        symbol = symbol.key[1]
    sides = (side for side in symbol.key[1:] if isinstance(side, Symbol)) if symbol.key[0] == ITEMS else ()
    return next((base for side in sides if (base := base_of(side, donated)) is not None), None)


def kept_follower(machine: Machine, symbol: Symbol, one_item: bool = False) -> Symbol | None:
    """`if loss < best: kept = params`, `snapshots.append(params)`: what some turn kept of the results of a call that
    donates. Of a list only all of it: the last item is the one that is still there."""
    followers: dict[Any, Symbol] = machine.facts.get(FOLLOWERS, {})
    if not followers:
        return None
    merging = {"phi"} if one_item else {"phi", ITEMS}
    for _ in range(6):
        if symbol.key[0] in merging or symbol.key[0] not in ("attr", "item") or not isinstance(symbol.key[1], Symbol):
            break
        symbol = symbol.key[1]
        merging = {"phi"}
    sides = [symbol] if symbol.key[0] in merging else []
    for merged in sides:  # grows: a branch within a branch may have kept it
        for side in merged.key[1 if merged.key[0] == ITEMS else 2 :]:
            if not isinstance(side, Symbol):
                if side in followers:
                    return followers[side]
            elif side.key[0] not in merging:
                base = base_of(side, followers)
                if base is not None:
                    return base
            elif side not in sides and len(sides) < MOST:
                sides.append(side)
    return None


def base_of(symbol: Symbol, known: dict[Symbol, Any]) -> Symbol | None:
    """The symbol itself, or the tree it was taken from."""
    for _ in range(6):
        if symbol in known:
            return symbol
        if symbol.key[0] not in ("attr", "item") or len(symbol.key) < 2 or not isinstance(symbol.key[1], Symbol):
            return None
        symbol = symbol.key[1]
    return None
