"""Do the tensors fit together that several ranks bring to one collective?"""

from __future__ import annotations

from collections.abc import Iterator

from dtlint.findings import Step
from dtlint.machine.lanes import lanes_in
from dtlint.machine.library.elements import COUNT, TYPE, known
from dtlint.machine.logs import Event
from dtlint.machine.values import Cause, Object, Value
from dtlint.timeline.parting import Divergence, Item, chain

EQUAL_SHAPES = frozenset(
    {"all_reduce", "reduce", "broadcast", "all_gather", "all_gather_into_tensor", "reduce_scatter", "gather"}
    | {"process_allgather", "broadcast_one_to_all"}
)


def tensors_of(event: Event) -> Iterator[Object]:
    call = event.extra.get("call")
    for value in call.values if call is not None else ():
        if isinstance(value, Object) and value.kind == "torch.Tensor":
            yield value


def unlike(one: Value | None, other: Value | None) -> str:
    """What two tensors differ in, where it is known of both."""
    for fact, name in ((TYPE, "type"), (COUNT, "shape")):
        mine, theirs = known(one, fact), known(other, fact)
        if mine is not None and theirs is not None and mine != theirs:
            return name
    return ""


def unmatched(items: list[Item], members: int) -> Divergence | None:
    """Ranks that meet in one call from several lines, with tensors that do not fit together."""
    by_lane = {lane: [item for item in items if lane in item.keys] for lane in lanes_in(members)}
    first, *others = by_lane
    for lane in others:
        for mine, theirs in zip(by_lane[first], by_lane[lane], strict=False):
            one, other = mine.node, theirs.node
            if one is other or not isinstance(one, Event) or not isinstance(other, Event):
                continue
            if one.op not in EQUAL_SHAPES or one.op != other.op:
                continue
            pair = next(tensors_of(one), None), next(tensors_of(other), None)
            name = unlike(*pair)
            if name:
                decision = next((known for known in chain(other, theirs.path) if known.separates(first, lane)), None)
                cause = made_apart(decision.cause if decision is not None else None, *pair)
                return Divergence(
                    "argument", decision, other, theirs.path, other.mask, one.mask, one, mine.path,
                    cause=cause, argument=name,
                )  # fmt: skip
    return None


def made_apart(cause: Cause | None, *tensors: Value | None) -> Cause | None:
    """The reason, and where the two tensors come from."""
    for one in tensors:
        if cause is not None and isinstance(one, Object) and one.at is not None:
            cause = cause.then(Step(one.path, one.at[0], "what some of the ranks bring is made here"))
    return cause
