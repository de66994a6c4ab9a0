"""Who uses a result that only the destination of a `reduce` or `gather` has?

The variable that was reduced or gathered into carries the mark `("off root", number)`. Computing with it elsewhere is
harmless while nothing comes of it; the use is noted when a rank without the result prints it, decides on it or stores
it where it takes effect. A list that is None elsewhere is used as soon as it is touched.
"""

from __future__ import annotations

from typing import Any

from dtlint.findings import Step
from dtlint.ir import nodes as ir
from dtlint.knowledge.rows import Api
from dtlint.machine.contents import containers
from dtlint.machine.core import Machine
from dtlint.machine.lanes import lanes_in, lowest, token
from dtlint.machine.library.computing import marks, provenance
from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.training import stepping
from dtlint.machine.library.training.modules import is_module
from dtlint.machine.logs import Event, Site
from dtlint.machine.names import classes
from dtlint.machine.values import (
    BY_RANK,
    NONE,
    TRUE,
    Bound,
    ClassRef,
    Const,
    External,
    FunctionRef,
    ModuleRef,
    Object,
    Row,
    Unknown,
    Value,
    lane_value,
)

OFF = "off root"
TO_ONE = "told to one"  # goes with it, also through tables and lists that hold others besides
SHOWS = frozenset({"builtins.print"})
ASKS_KIND = frozenset({"builtins.isinstance", "builtins.issubclass", "builtins.type", "builtins.hasattr"})
SHOWING_KINDS = frozenset({"log", "file-write", "scheduler-step"})
TOUCHES = frozenset(
    [
        "builtins.max",
        "builtins.min",
        "builtins.sum",
        "builtins.len",
        "builtins.sorted",
        "builtins.list",
        "builtins.enumerate",
        "builtins.zip",
        "itertools.chain.from_iterable",
        "functools.reduce",
        "builtins.any",
        "builtins.all",
        "torch.cat",
        "torch.stack",
        "torch.tensor",
        "numpy.concatenate",
        "numpy.stack",
        "numpy.mean",
    ]
)
OF_MODELS = frozenset({"wrapped", stepping.INNER, stepping.LEARNED, stepping.PLAIN})


# take the items of what they are given apart
FLATTENS = frozenset({"builtins.sum", "functools.reduce", "itertools.chain.from_iterable"})
SUMS = frozenset({"all_reduce", "reduce_scatter", "reduce_scatter_tensor"})  # each rank puts in what it has
GATHERS = frozenset({"gather", "gather_object"})  # nothing has come where it was not gathered; a sum may be put to zero
DECIDES = "and decide on it"


class Result:
    """One reduction: its event, the lanes that have the result, and where the others first computed with it."""

    def __init__(self, event: Event, holders: int, constant: bool, assumed: tuple[Any, ...]) -> None:
        self.event = event
        self.assumed = assumed  # what was answered in the branches that it was made on
        self.holders = holders
        self.constant = constant  # of no model: a loss that is reduced in place has the gradient it had before
        # the destination may make its call in a branch of its own: the others take part all the same
        self.lanes = event.group.members[lowest(holders)] if event.group is not None else event.mask
        self.first: Site | None = None


def landed(machine: Machine, call: Invocation, event: Event) -> None:
    """A collective with a destination has been made: mark what it filled there."""
    params = call.row.extra.get("root_only", ())
    holders = holders_of(machine, call, event)
    if not params or holders is None:
        return
    number = remember(machine, event, holders, not from_model(*map(call.get, params)))
    for param in params:
        value = call.get(param)
        for tag in (OFF, number), (TO_ONE, number):
            filled = lane_value(value, lowest(holders)) if isinstance(value, Row) else value
            if isinstance(filled, Object) and (filled is not value or not call.mask & ~holders):
                marks.put_into(machine, filled, tag, filled.birth)  # the others hold it too, as it was
            elif value is not None and value != NONE:
                marks.put(machine, call, param, tag)


def remember(machine: Machine, event: Event, holders: int, constant: bool = False) -> int:
    results: list[Result] = machine.facts.setdefault(OFF, [])
    results.append(Result(event, holders, constant, tuple(machine.assumed)))
    return len(results) - 1


def from_model(*values: Value | None) -> bool:
    """Did one of them come out of a model, wrapped or not?"""
    tags = marks.deep_tags(tuple(value for value in values if value is not None))
    return any(isinstance(tag, tuple) and tag[0] in OF_MODELS for tag in tags)


def tags_of_result(machine: Machine, call: Invocation, event: Event | None) -> frozenset[Any]:
    """The mark of a value that a collective returns to its destination only."""
    holders = holders_of(machine, call, event) if event is not None else None
    if event is None or holders is None:
        return frozenset()
    number = remember(machine, event, holders)
    return frozenset({(OFF, number), (TO_ONE, number)})


def holders_of(machine: Machine, call: Invocation, event: Event) -> int | None:
    """The lanes that are the destination; None when nobody knows."""
    inside = call.get(str(call.row.extra.get("root_in_group", "")))
    if (inside is not None and inside != NONE) or event.group is None:
        return None
    root = call.get(call.row.root) if call.row.root else None
    if root is None or root == NONE:
        root = Const(0)
    if not (isinstance(root, Const) and isinstance(root.value, int) and 0 <= root.value < machine.world.size):
        return None
    if not event.group.members[root.value] >> root.value & 1:
        return None
    return 1 << root.value


# --- uses ------------------------------------------------------------------------------------------------------


def touched(machine: Machine, tags: frozenset[Any], mask: int) -> list[Result]:
    """The results behind these marks that some lane of the mask does not have."""
    results: list[Result] = machine.facts.get(OFF, [])
    found = []
    for tag in tags:
        if isinstance(tag, tuple) and tag[0] == OFF and tag[1] < len(results):
            result = results[tag[1]]
            lacking = mask & result.lanes & ~result.holders & ~gone_since(machine, result)
            if lacking and not on_another_side(machine, result):
                found.append(result)
    return found


def on_another_side(machine: Machine, result: Result) -> bool:
    """`if together: reduce(total)`, `if not together or rank == 0: print(total)`: who comes to the second by its first
    half has not reduced."""
    return any(machine.assumes(asked, not answer) for asked, answer in result.assumed)


def gone_since(machine: Machine, result: Result) -> int:
    """`if together: gather(parts); if rank != 0: return`: those lanes have gone on the side where it was made, and come
    here by the other one only."""
    found = 0
    for sides, lanes in machine.frame.left_on:
        if sides and all(one in result.assumed for one in sides):
            found |= lanes
    return found


def marks_in(*values: Value) -> frozenset[Any]:
    """The marks of results, on these values or on what they hold: whoever takes a part of one has no more of it."""
    return frozenset(tag for tag in marks.deep_tags(values) if type(tag) is tuple and tag[0] == OFF)


def there(machine: Machine, value: Value) -> Value | None:
    """What a call returns to its root alone is None elsewhere: whoever asks knows that."""
    if not isinstance(value, Unknown):
        return None
    results = touched(machine, value.tags, machine.world.full)
    if len(results) != 1:
        return None
    holders = results[0].holders
    numbers = tuple(bool(holders >> lane & 1) for lane in range(machine.world.size))
    return machine.rank_row(numbers, "rank", "only the root has the result")


def computed(machine: Machine, result: Result) -> None:
    if result.first is None:
        result.first = (machine.frame.path, machine.current_at, machine.frame.scope)


def note(machine: Machine, result: Result, mask: int, how: str) -> None:
    """What comes of it takes effect on a rank that does not have the result."""
    computed(machine, result)
    assert result.first is not None
    event = result.event
    path, at, scope = result.first
    steps = (
        Step.of(event, f"`{event.api.rpartition('.')[2]}()` leaves its result on one rank only"),
        Step(path, at[0], "the others compute with what they happen to hold"),
        Step(machine.frame.path, machine.current_at[0], how),
    )
    machine.emit_event(
        "record",
        "off-root-use",
        event.api,
        mask & ~result.holders,
        extra={"result": result, "site": (path, at, scope), "steps": steps, "decides": how == DECIDES},
    )


def beside_its_number(shown: tuple[Value, ...]) -> bool:
    """`print(f"rank {rank} holds {tensor}")`: what each shows as it is, beside its number, is what it holds."""
    said = [parts_of(value) for value in shown]
    numbered = any(
        all(provenance.number_in(part) == lane for lane, part in enumerate(parts))
        for lanes in said
        if len(lanes) > 1
        for parts in zip(*lanes, strict=False)
    )
    return numbered and any(getattr(part, "key", ("",))[0] == "marked" for lanes in said for part in lanes[0])


def parts_of(shown: Value) -> list[tuple[Any, ...]]:
    """What a text is made of, or the thing itself; lane by lane, if it differs by rank."""
    if isinstance(shown, Row) and shown.cause.kind in BY_RANK:
        return [part for one in shown.lanes for part in parts_of(one)]
    if isinstance(shown, Unknown) and shown.symbol.key[0] == "text":
        return [shown.symbol.key]
    return [(token(shown),)]


def called(
    machine: Machine,
    callee: Value,
    base: Value | None,
    arguments: tuple[Value, ...],
    keywords: Any,
    mask: int,
    value: Value,
) -> Value:
    """A library function is called with a marked value: the result is marked, printing and logging is a use."""
    if project_code(callee):
        return value
    values = (*arguments, *(one for _, one in keywords))
    absent(machine, callee, values, mask)
    tags = marks.deep_tags((*((base,) if base is not None else ()), *values, *made_of(machine, callee)))
    results = touched(machine, tags, mask)
    if not results:
        return value
    name = callee.name if isinstance(callee, External) else ""
    if isinstance(callee, Bound) and isinstance(callee.function, External):
        name = callee.function.name
    if name == "builtins.len" and arguments and isinstance(arguments[0], Object):
        return value  # how many there are in a container says nothing of what they are
    if name in ASKS_KIND:  # what kind of thing it is, is the same on all ranks
        return without_marks(value)
    row = machine.knowledge.api(name) if name else None
    if row is None and isinstance(callee, Bound) and callee.receiver is not None:
        row = classes.method_row(machine, callee.receiver, name.rpartition(".")[2])
    shown = marks.deep_tags(values)
    for result in results:
        if name in SHOWS or (row is not None and row.record in SHOWING_KINDS):
            if touched(machine, shown, mask) and not (name in SHOWS and beside_its_number(values)):
                note(machine, result, mask, "and show it")
        elif row is not None and row.does == "collective":
            return value
        elif (changes_model(callee, base) or sets_steps(machine, value)) and touched(machine, shown, mask):
            note(machine, result, mask, "and put it to use")
        elif learns(callee, row) and (result.event.op == "gather" or (result.constant and from_model(base, *values))):
            note(machine, result, mask, "and learn from it")
        elif is_module(machine, callee) and touched(machine, shown, mask):
            note(machine, result, mask, "and run a model on it")
        elif not name.startswith("builtins."):
            computed(machine, result)
    if name in SHOWS or (isinstance(value, Object | Const) and value != NONE):
        return value
    kept = frozenset(tag for tag in tags if isinstance(tag, tuple) and tag[0] == OFF)
    filled(machine, callee, kept.intersection(shown), mask)
    return Unknown(value.symbol, value.cause, value.tags | kept, value.like) if isinstance(value, Unknown) else value


def added_up(machine: Machine, call: Invocation, held: Value | None) -> None:
    """Every rank puts into a sum what it holds, by then: asked before the sum is there."""
    if OFF not in machine.facts or held is None or call.row.op not in SUMS:
        return
    for result in touched(machine, marks.deep_tags((held,)), call.mask):
        given = call.mask & holding(machine, result, held) if result.event.op in GATHERS else 0
        if given & result.lanes & ~result.holders:
            note(machine, result, given, "and add it to what the others have")


def holding(machine: Machine, result: Result, held: Value) -> int:
    """The lanes that have the marked value itself: some may have put zeros in its place, each by its rank."""
    results: list[Result] = machine.facts[OFF]
    tag = OFF, results.index(result)
    found = 0
    for lane in range(machine.world.size):
        own = lane_value(held, lane)
        by_rank = own.cause is not None and own.cause.kind in BY_RANK
        found |= (tag in marks.deep_tags((own,)) and not by_rank) << lane
    return found


def chosen_by(machine: Machine, index: Value, value: Value) -> Value:
    """`rates[int(losses.argmin())]`: another rank chooses another one of them."""
    kept = marks_in(index) if OFF in machine.facts else frozenset()
    return Unknown(value.symbol, value.cause, value.tags | kept, value.like) if isinstance(value, Unknown) else value


def without_marks(value: Value) -> Value:
    if not isinstance(value, Unknown):
        return value
    return Unknown(value.symbol, value.cause, value.tags - marks_in(value), value.like)


def changes_model(callee: Value, base: Value | None) -> bool:
    """`parameter.grad.mul_(factor)`"""
    name = method_of_unknown(callee)
    in_place = name.endswith("_") and not name.endswith("__")
    return in_place and isinstance(base, Unknown) and bool(provenance.modules_of(base.symbol))


def sets_steps(machine: Machine, made: Value) -> bool:
    """`SGD(model.parameters(), lr=rate)`"""
    kind = made.kind if isinstance(made, Object) and isinstance(made.kind, str) else ""
    return bool(kind) and stepping.OPTIMIZER in machine.knowledge.ancestors(kind)


def made_of(machine: Machine, callee: Value) -> tuple[Value, ...]:
    """`CrossEntropyLoss(weight=counts)` computes with what it was made of, and not with its arguments alone."""
    made = callee.facts.get("call") if isinstance(callee, Object) and is_module(machine, callee) else None
    return made.values if isinstance(made, Invocation) else ()


def learns(callee: Value, row: Api | None) -> bool:
    """`loss.backward()`, `accelerator.backward(loss)`"""
    return method_of_unknown(callee) == "backward" or (row is not None and row.record == "backward")


def method_of_unknown(callee: Value) -> str:
    return str(callee.symbol.key[-1]) if isinstance(callee, Unknown) and callee.symbol.key[0] == "attr" else ""


def filled(machine: Machine, callee: Value, tags: frozenset[Any], mask: int) -> None:
    """`total.update(table)`: what is put into a container is in it."""
    if not isinstance(callee, Bound):
        return
    into = callee.receiver
    if isinstance(into, Object) and into.kind in ("list", "dict", "set"):
        for tag in tags:
            marks.put_into(machine, into, tag, mask)
        taken_apart = isinstance(callee.function, External) and callee.function.name.endswith((".update", ".extend"))
        for result in touched(machine, tags, mask) if taken_apart else ():
            if result.event.op == "gather_object":
                note(machine, result, mask, "and take None apart there")


def project_code(callee: Value) -> bool:
    if isinstance(callee, Bound):
        return callee.receiver is None or isinstance(callee.function, FunctionRef)
    if isinstance(callee, Object):
        return isinstance(callee.kind, ClassRef)
    return isinstance(callee, FunctionRef | ClassRef | ModuleRef)


def absent(machine: Machine, callee: Value, values: tuple[Value, ...], mask: int) -> None:
    """A list that is None on the ranks that are not the destination is handed to something that needs it."""
    if not (isinstance(callee, External) and machine.knowledge.canonical(callee.name) in TOUCHES):
        return
    for value in values:
        missing(machine, value, mask, "but it is None there")
    if machine.knowledge.canonical(callee.name) in FLATTENS:
        for item in (item for value in values for item in containers.items_of(machine, value) or ()):
            missing(machine, item, mask, "but it is None there")


def taken_from(machine: Machine, value: Value, mask: int) -> None:
    """What only the root of a gather has is None elsewhere, and None has nothing to be taken from it."""
    if OFF in machine.facts:
        missing(machine, value, mask, "but it is None there")


def missing(machine: Machine, value: Value, mask: int, how: str) -> None:
    """What the destination has, None on other lanes of the mask, is read."""
    if isinstance(value, Unknown) and (value.symbol.key[0] == "on root or none" or left_empty(value)):
        for result in touched(machine, value.tags, mask):
            note(machine, result, mask, how)
    if not isinstance(value, Row):
        return
    none = sum(1 << lane for lane in lanes_in(mask) if value.lanes[lane] == NONE)
    if not none:
        return
    for result in touched(machine, marks.deep_tags((value,)), none):
        note(machine, result, none, how)


def left_empty(value: Unknown) -> bool:
    """A place in `[None] * world`, made for a gather, into which nothing comes but on the root."""
    return value.symbol.key == (marks.MARKED, token(NONE))


def by_lane(machine: Machine, value: Value) -> Value:
    """`for part in parts: if part: …`: nobody but the root has anything there."""
    there_is = there(machine, value) if isinstance(value, Unknown) and left_empty(value) else None
    if not isinstance(there_is, Row):
        return value
    return Row(tuple(value if held == TRUE else NONE for held in there_is.lanes), there_is.cause)


def decided(machine: Machine, value: Value, mask: int) -> None:
    if isinstance(value, Row):  # `better and rank == 0`: only whoever gets to the question decides on it
        mask = sum(1 << lane for lane in lanes_in(mask) if value.lanes[lane].tags)
    for result in touched(machine, value.tags, mask):
        note(machine, result, mask, DECIDES)


def stored(machine: Machine, target: ir.Expr, value: Value, mask: int) -> None:
    """`group["lr"] = …`, `scaler.factor = …`: in something the program did not make itself, it takes effect."""
    if not isinstance(target, ir.Index | ir.Attr):
        return
    results = touched(machine, value.tags, mask)
    if not results:
        return

    base = machine.evaluate(target.value, mask)
    own = isinstance(base, Object) and (isinstance(base.kind, ClassRef) or base.kind in ("list", "dict", "set"))
    if not own:
        for result in results:
            note(machine, result, mask, "and put it to use")
