"""Which facts travel with JAX values, what is noted of them, and which mapped functions are being run?

A fact is a tag `("jax", word, …)` on an unknown value. What computations make of it is said by `jax_flow`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from dtlint.findings import Step
from dtlint.machine.contents import containers
from dtlint.machine.contents.opaque import first_cause
from dtlint.machine.core import Machine
from dtlint.machine.logs import Event, Site
from dtlint.machine.values import CONTAINERS, Bound, ClassRef, Object, Row, Tuple, Unknown, Value

Tag = tuple[Any, ...]
Tags = frozenset[Any]

# facts about the inside of one mapped call; they end where the call returns
INSIDE = frozenset(
    {
        "varies",
        "may",
        "reduced",
        "arg",
        "replica",
        "grad",
        "agreed",
        "partly",
        "made equal",
        "summed",
        "each summed",
        "sum meaned",
        "over",
        "mean",
        "draw",
        "from host",
        "folded",
        "host noise",
        "own copy",
    }
)
KEYS = frozenset({"key", "keys"})
ROWS = "rows "  # begins the name of the axis over which `vmap` maps a batch
ARRAY = "jax.Array"
DONATED = "jax donated"  # fact of the run: the buffers that were given away
READ_BACK = "jax read back"  # fact of the run: it reads a file that may hold what it wrote
SAVED_ALONE = "jax saved alone"  # fact of the run: the copy of one device was written to a checkpoint
HOST_WEIGHTS = "jax host weights"  # fact of the run: why the first weights differ between hosts
GRADIENT = "gradient"  # note: something is differentiated here
TOLD_APART = "jax hosts told apart"  # fact of the run: it asks which host it is, or joins the others
MEANED = "jax meaned"  # fact of the run: gradients that were already sums over the devices, and of which a mean is made
LEARNED = "jax learned at"  # fact of the run: what is differentiated by, by the place of the call
ORIGIN = "origin"  # fact of an array: a draw it is made by, or a split that the key of the draw came from
AS_EXAMPLE = (
    "jax examples"  # fact of the run: the draws of which something that begins parameters was given the numbers
)
COMPUTED_WITH = "jax computed with"  # and those whose numbers went into anything else
FIRST_RUN = "flax first run"  # fact of the run: is the module that runs being initialised? None where none runs
UNSURE = "flax questions"  # fact of the run: how many questions were open when it began
CLASSES = "jax state classes"  # fact of the run: classes of the project that train states were made of
ALL_DEVICES = "jax devices of all hosts"  # fact of the run: the numbers that `device_count()` gave, of this very kind
OWN_DEVICES = "jax devices of one host"  # the same of `local_device_count()`
INITIALISED = "initialised"  # symbol of what `init` gives
COPIED = "jax copied symbols"  # fact of the run: what was copied to the devices
WEIGHTS = "jax weights"  # fact of the run: by the symbol of a train state, those of the parameters it was given
WHOLE = "jax whole"  # fact of the run: is what runs one program over the arrays of all hosts, as its shardings say?


def fact(word: str, *rest: Any) -> Tag:
    return ("jax", word, *rest)


def is_jax(tag: Any) -> bool:
    return type(tag) is tuple and tag[0] == "jax"


def is_fact(tag: Any, word: str) -> bool:
    return type(tag) is tuple and tag[0] == "jax" and tag[1] == word


def words(tags: Iterable[Any], word: str) -> list[Tag]:
    return [tag for tag in tags if is_fact(tag, word)]


def has(value: Value, word: str) -> bool:
    return any(is_fact(tag, word) for tag in value.tags)


def leaves(value: Value, depth: int = 4) -> Iterable[Value]:
    """The arrays of a tree: tuples, lists, dictionaries and instances of project classes."""
    if isinstance(value, Tuple):
        if depth:
            for item in value.items:
                yield from leaves(item, depth - 1)
    elif isinstance(value, Object) and (value.kind in CONTAINERS or isinstance(value.kind, ClassRef)):
        if depth:
            for held in list(value.attributes.values())[:40]:
                yield from leaves(held, depth - 1)
    elif isinstance(value, Row):
        yield from leaves(value.lanes[0], depth - 1) if depth else ()
    else:
        yield value


def paths(value: Value, depth: int = 4, above: tuple[Any, ...] = ()) -> Iterable[tuple[tuple[Any, ...], Value]]:
    """The arrays of a tree, each with the way to it."""
    if isinstance(value, Tuple) and depth:
        for index, item in enumerate(value.items):
            yield from paths(item, depth - 1, (*above, index))
    elif isinstance(value, Object) and (value.kind in CONTAINERS or isinstance(value.kind, ClassRef)) and depth:
        for name, held in list(value.attributes.items())[:40]:
            yield from paths(held, depth - 1, (*above, name))
    elif isinstance(value, Unknown):
        yield above, value


def beside(value: Value, other: Value, depth: int = 6) -> Iterable[tuple[Value, Value]]:
    """The arrays of a tree, each with what another tree has in its place; where that has other branches, with all that
    it has there."""
    if isinstance(value, Tuple) and depth:
        same = isinstance(other, Tuple) and len(other.items) == len(value.items)
        parts: Iterable[Value] = other.items if same and isinstance(other, Tuple) else (other,) * len(value.items)
        for item, part in zip(value.items, parts, strict=True):
            yield from beside(item, part, depth - 1)
    elif isinstance(value, Object) and (value.kind in CONTAINERS or isinstance(value.kind, ClassRef)) and depth:
        held = other.attributes if isinstance(other, Object) and other.kind == value.kind else {}
        for name, one in list(value.attributes.items())[:40]:
            yield from beside(one, held.get(name, other), depth - 1)
    else:
        yield value, other


def deep(values: Iterable[Value]) -> set[Any]:
    found: set[Any] = set()
    for value in values:
        if type(value) is Unknown:
            found |= value.tags
        elif isinstance(value, Tuple | Object | Row):
            for leaf in leaves(value):
                found |= leaf.tags
    return found


def of_items(tags: Tags, items: Iterable[Value]) -> Tags:
    """The facts of what a comprehension collected: which numbers the leaves hold that it walked over says nothing of
    what it made of each, and there are equally many of them on all devices."""
    inside = {tag for tag in tags if is_jax(tag) and tag[1] in INSIDE}
    return tags - (inside - deep(items)) if inside else tags


def partly_agreed(trees: Iterable[Value]) -> set[Any]:
    """The marks of trees in which some gradients have been agreed on, and others of the same are this device's own."""
    found: set[Any] = set()
    for tree in trees:
        if not isinstance(tree, Object) or tree.kind != "dict" or "[]" in tree.attributes:
            continue  # what is under keys nobody knows may have been replaced
        agreed, own = set[Any](), set[Any]()
        for leaf in leaves(tree):
            told = {tag[2] for tag in words(leaf.tags, "agreed")}
            agreed |= told
            own |= {tag[2] for tag in words(leaf.tags, "grad") if words(leaf.tags, "varies")} - told
        found |= {fact("partly", number) for number in own & agreed}
    return found


def certain(values: Iterable[Value]) -> set[Any]:
    """The same, but for gradients that a helper reduces or leaves alone, as it knows of their layout."""
    found: set[Any] = set()
    for leaf in (leaf for value in values for leaf in leaves(value)):
        agreed = {tag[2] for tag in words(leaf.tags, "agreed")}
        found |= {tag for tag in leaf.tags if not (is_fact(tag, "grad") and tag[2] in agreed)}
    return found


def mapped_tree(machine: Machine, value: Value, change: Callable[[Value], Value], depth: int = 5) -> Value:
    """The same tree with other leaves."""
    if isinstance(value, Tuple) and depth:
        return Tuple(tuple(mapped_tree(machine, item, change, depth - 1) for item in value.items))
    if isinstance(value, Object) and depth and (value.kind in CONTAINERS or isinstance(value.kind, ClassRef)):
        return containers.mapped_items(value, lambda name, held: mapped_tree(machine, held, change, depth - 1))
    return change(value)


def copied_tree(machine: Machine, value: Value, change: Callable[[Value], Value]) -> Value:
    """The same with copies of the leaves: what holds it keeps nothing of what it was made of."""
    made = mapped_tree(machine, value, change)
    if isinstance(made, Object) and made is not value:
        machine.objects += 1
        made.number = machine.objects
    return made


def with_facts(machine: Machine, value: Value, add: Iterable[Tag], drop: frozenset[str] = frozenset()) -> Value:
    """One leaf with more and fewer facts; constants and callables stay what they are."""
    if not isinstance(value, Unknown):
        return value
    kept = [tag for tag in value.tags if not (is_jax(tag) and tag[1] in drop)]
    return Unknown(value.symbol, value.cause, frozenset((*kept, *add)), value.like)


def without(tags: Iterable[Any], drop: frozenset[str]) -> Tags:
    return frozenset(tag for tag in tags if not (is_jax(tag) and tag[1] in drop))


def array(machine: Machine, what: str, *more: Tag, values: tuple[Value, ...] = ()) -> Unknown:
    """A new JAX array."""

    return machine.fresh(what, first_cause(*values), frozenset((fact("array"), *more)))


def questions(machine: Machine) -> int:
    """How many branches and attempts nobody knows the end of are we in?"""
    return len(machine.assumed) + machine.trying


# --- what is noted ---------------------------------------------------------------------------------------------


def place(machine: Machine) -> Site:
    return (machine.frame.path, machine.current_at, machine.frame.scope)


def places(machine: Machine) -> list[Site]:
    """Where we are, and where we were called from, outwards."""
    found = [place(machine)]
    frame: Any = machine.frame
    while frame.caller is not None and frame.called_at is not None:
        found.append((frame.caller.path, frame.called_at, frame.caller.scope))
        frame = frame.caller
    return found


def step_at(where: Site, text: str) -> Step:
    return Step(where[0], where[1][0], text)


def of_class(machine: Machine, kind: ClassRef) -> Tag:
    """What is made of a train state remembers the project's class of it."""
    machine.facts.setdefault(CLASSES, {})[kind.path, kind.name] = kind
    return fact("of class", (kind.path, kind.name))


def state_class(machine: Machine, state: Value) -> ClassRef | None:
    known = machine.facts.get(CLASSES)
    marks = words(state.tags, "of class") if known else ()
    return known[marks[0][2]] if known and len(marks) == 1 else None


OWN_FIELD = "own field"  # fact of a state with copies for the devices: in this field each of them has its own


def own_part(machine: Machine, array: Unknown, name: str) -> Unknown:
    """An array as seen through an attribute: of what only shows this host's part, no other host holds anything. Of
    copies, what was put in for each device is its own."""
    if fact(OWN_FIELD, name) in array.tags:
        tags = without(array.tags, frozenset({"replicated", "replica"}))
        own = frozenset({fact("may", "?")}) if has(array, "replica") else frozenset()
        return Unknown(array.symbol, array.cause, tags | own, array.like)
    if not has(array, "global"):
        return array
    row = machine.knowledge.attribute(ARRAY, name)
    if row is None or not row.extra.get("own_part"):
        return array
    return Unknown(array.symbol, array.cause, without(array.tags, frozenset({"global"})), array.like)


def counts_own(machine: Machine, count: Value | None) -> bool:
    """Is this what `jax.local_device_count()` gave?"""
    return any(count is counted for counted in machine.facts.get(OWN_DEVICES, ()))


def remainder(machine: Machine, left: Value, right: Value) -> None:
    """`jax.process_index() % jax.local_device_count()`: a host is none of its own devices."""
    if left.cause is not None and left.cause.kind == "rank" and counts_own(machine, right):
        note(machine, "host by devices", machine.frame.mask, None, left.cause.steps())


def note(
    machine: Machine,
    op: str,
    mask: int,
    where: Site | None = None,
    steps: tuple[Step, ...] = (),
    **more: Any,
) -> Event:
    """Something a rule may report: `op` says what, `where` the line an author would edit."""
    frame = machine.frame
    extra = {"place": where or place(machine), "steps": steps, **more}
    event = Event("jax", op, "", mask, frame.guards, frame.path, machine.current_at, frame.scope, extra=extra)
    machine.emit(event)
    return event


# --- mapped functions that are being run -----------------------------------------------------------------------


class Mapping:
    """One pmap, shard_map or named vmap around what is being run. `axes` is None when nobody knows the names."""

    __slots__ = ("axes", "called", "checked", "copies", "kind", "learns", "noted", "reduced", "where")

    def __init__(self, kind: str, axes: tuple[str, ...] | None, where: Site, checked: bool | None) -> None:
        self.kind = kind
        self.axes = axes
        self.where = where
        self.called: Site | None = None  # the line of the call
        self.checked = checked  # shard_map(check_vma=True): differentiation sums over the devices
        self.copies = False  # it is given copies of something, weights that are to be alike
        self.learns = False  # something has been differentiated inside
        self.reduced: list[Any] = []  # collectives met inside
        self.noted: set[Any] = set()


def mappings(machine: Machine) -> list[Mapping]:
    found: list[Mapping] = machine.facts.setdefault("jax mappings", [])
    return found


def device_mapping(machine: Machine) -> Mapping | None:
    """The innermost pmap or shard_map."""
    for mapping in reversed(mappings(machine)):
        if mapping.kind in ("pmap", "shard_map"):
            return mapping
    return None


def rows_around(machine: Machine, key: Value) -> str:
    """The innermost axis of rows, if there is one. The rows of a row, as the pictures of a film, are meant to have what
    that was given."""
    running = mappings(machine)
    axes = running[-1].axes or () if running else ()
    return next((name for name in axes if name.startswith(ROWS)), "") if not has(key, "of row") else ""


def mapping_of(machine: Machine, axis: str) -> Mapping | None:
    """Whose axis is it?"""
    return next((one for one in mappings(machine) if axis in (one.axes or ())), None)


def differentiating(machine: Machine, mask: int) -> None:
    note(machine, GRADIENT, mask)
    mapping = device_mapping(machine)
    if mapping is not None:
        mapping.learns = True


def imported_now(machine: Machine) -> str:
    """The module whose import makes this call, perhaps through functions of other modules."""
    frame = machine.frame
    while frame.function is not None and frame.caller is not None:
        frame = frame.caller
    return str(frame.path)


STARTS = 12  # backend starts that are written down per run


def start_backend(machine: Machine, name: str) -> None:
    """The backend is up after this call."""
    if machine.loading:
        known = machine.notes.setdefault("jax starts", {})
        path = imported_now(machine)
        if path not in machine.notes.get("jax initialised", ()):
            known.setdefault(path, (place(machine), name))
        return
    count = machine.facts.get("jax start count", 0)
    if count < STARTS and not mappings(machine) and not machine.facts.get("jax compiled"):
        machine.facts["jax start count"] = count + 1
        note(machine, "backend", machine.frame.mask, api=name)


# --- the flow --------------------------------------------------------------------------------------------------


def layers(function: Value) -> Iterator[Value]:
    """A function that libraries and `functools.partial` have made something of, and what it is below that."""
    while True:
        yield function
        if isinstance(function, Bound):
            function = function.function
        elif isinstance(function, Object) and "transform" in function.facts and "function" in function.facts:
            function = function.facts["function"]
        else:
            return
