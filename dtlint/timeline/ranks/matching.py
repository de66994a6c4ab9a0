"""Do the tensors fit together that several ranks bring to one collective?"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.findings import Step
from dtlint.machine.contents.dictionaries import entries
from dtlint.machine.control.agreeing import AGREED
from dtlint.machine.lanes import lanes_in, token
from dtlint.machine.library.computing.elements import COUNT, TYPE, known
from dtlint.machine.library.computing.tensors import method_of
from dtlint.machine.logs import Event
from dtlint.machine.values import Cause, Object, Symbol, Tuple, Unknown, Value, lane_value
from dtlint.timeline.ranks.parting import Divergence, Item, chain

FACTS = (TYPE, COUNT)
EQUAL_TYPES = frozenset(
    {"all_reduce", "reduce", "broadcast", "all_gather", "all_gather_into_tensor", "reduce_scatter", "gather"}
)
EQUAL_SHAPES = EQUAL_TYPES | {"process_allgather", "broadcast_one_to_all"}  # JAX makes double precision single


def wants_equal_shapes(event: Event) -> bool:
    """Pickled objects, and what is told the sizes of all parts, may be of any size."""
    call = event.extra.get("call")
    return event.op in EQUAL_SHAPES and not (call is not None and call.row.extra.get("own_sizes"))


def tensors_of(event: Event) -> Iterator[Object]:
    for value in given_to(event):
        if isinstance(value, Object) and value.kind == "torch.Tensor":
            yield value


def given_to(event: Event) -> Iterator[Value]:
    """The arguments, and what is in a tuple or a dictionary of several tensors: `gather((answers, labels))`. How it is
    to be done is given to nobody: the group, the root, whether to wait."""
    call = event.extra.get("call")
    if call is None:
        return
    named = (call.row.group, call.row.root, call.row.asynchronous, *call.row.agree)
    options = [call.get(name) for name in named if name]
    for value in call.values:
        if any(value is option for option in options):
            continue
        if isinstance(value, Tuple):
            yield from value.items
        elif isinstance(value, Object) and value.kind == "dict":
            yield from (held for _, held in entries(value))
        else:
            yield value


NARROW = ("half", "bfloat16", "double")  # nobody asks for them who has them already


def unlike(one: Value | None, other: Value | None) -> str:
    """What two tensors differ in, where it is known of both."""
    for fact, name in ((TYPE, "type"), (COUNT, "shape")):
        mine, theirs = known(one, fact), known(other, fact)
        if mine is not None and theirs is not None and mine != theirs:
            return name
    return "type" if converted(one, other) or converted(other, one) else ""


def converted(one: Value | None, other: Value | None) -> bool:
    """`total.half()`, where others hand over `total`: of another type, unless all of this was for nothing."""
    method = method_of(one.symbol) if isinstance(one, Unknown) else None
    return method is not None and other is not None and method == (token(other), method[1]) and method[1] in NARROW


def unmatched(items: list[Item], members: int) -> Divergence | None:
    """Ranks that meet in one call from several lines, with tensors that do not fit together."""
    by_lane = {lane: [item for item in items if lane in item.keys] for lane in lanes_in(members)}
    first, *others = by_lane
    for lane in others:
        for mine, theirs in zip(by_lane[first], by_lane[lane], strict=False):
            one, other = mine.node, theirs.node
            if one is other or not isinstance(one, Event) or not isinstance(other, Event):
                continue
            if not wants_equal_shapes(one) or one.op != other.op:
                continue
            pair = next(tensors_of(one), None), next(tensors_of(other), None)
            if crossed(by_lane[first], by_lane[lane], mine, theirs, (first, lane)):
                decision = next((known for known in chain(one, mine.path) if known.separates(first, lane)), None)
                return Divergence(
                    "order", decision, one, mine.path, one.mask, other.mask, other, theirs.path,
                    cause=decision.cause if decision is not None else None,
                )  # fmt: skip
            name = unlike(*pair)
            if name:
                decision = next((known for known in chain(other, theirs.path) if known.separates(first, lane)), None)
                cause = made_apart(decision.cause if decision is not None else None, *pair)
                return Divergence(
                    "argument", decision, other, theirs.path, other.mask, one.mask, one, mine.path,
                    cause=cause, argument=name,
                )  # fmt: skip
    return None


def crossed(all_mine: list[Item], all_theirs: list[Item], mine: Item, theirs: Item, lanes: tuple[int, int]) -> bool:
    """One side brings here what the other brings later, to the same kind of call, and the other way round."""
    one, other = brought(mine, lanes[0]), brought(theirs, lanes[1])
    if not one or not other or same_tensors(one, other):
        return False
    here = next(number for number, item in enumerate(all_mine) if item is mine)
    for mine_later, theirs_later in zip(all_mine[here + 1 :], all_theirs[here + 1 :], strict=False):
        back, forth = brought(mine_later, lanes[0]), brought(theirs_later, lanes[1])
        if mine_later.keys[lanes[0]] != mine.keys[lanes[0]] or not back or not forth or same_tensors(back, forth):
            continue
        unfit = any(unlike(*pair) for pair in zip(back, forth, strict=False))
        if same_tensors(back, other) and (same_tensors(forth, one) or alike(forth, one) or unfit):
            return True
        if same_tensors(forth, one) and (alike(back, other) or unfit):
            return True
    return False


def brought(item: Item, lane: int) -> list[Value]:
    """The tensors that a rank gives to a call."""
    call = item.node.extra.get("call") if isinstance(item.node, Event) else None
    held = [lane_value(value, lane) for value in call.values] if call is not None else []
    return [one for one in held if isinstance(one, Unknown) or (isinstance(one, Object) and one.kind == "torch.Tensor")]


def same_tensors(some: list[Value], others: list[Value]) -> bool:
    return [*map(origin, some)] == [*map(origin, others)]


def origin(value: Value) -> object:
    """Which tensor it is, whatever a collective has put into it since."""
    if isinstance(value, Object):
        return value
    held = token(value)
    while isinstance(held, Symbol) and held.key[0] == AGREED:
        held = held.key[1]
    return held


def alike(some: list[Value], others: list[Value]) -> bool:
    """Of the same type and size, as far as the program says both."""
    if len(some) != len(others):
        return False
    pairs = [(known(one, fact), known(other, fact)) for one, other in zip(some, others, strict=True) for fact in FACTS]
    return all(mine is not None and mine == theirs for mine, theirs in pairs)


def made_apart(cause: Cause | None, *tensors: Value | None) -> Cause | None:
    """The reason, and where the two tensors come from."""
    for one in tensors:
        if cause is not None and isinstance(one, Object) and one.at is not None:
            cause = cause.then(Step(one.path, one.at[0], "what some of the ranks bring is made here"))
    return cause
