"""What is the first thing that lanes do not do alike, and which pair of lanes shows it best?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from dtlint.machine.lanes import lanes_in
from dtlint.machine.logs import Attempt, Call, Choice, Decision, Event, Loop, Place
from dtlint.timeline.ranks.assuming import Case
from dtlint.timeline.ranks.parting import Divergence, Item, Path, cause_of, chain, locate, next_in_loop

Coming = dict[int, list[Item]]  # what each lane has still to say


def first_difference(case: Case, members: int) -> tuple[Divergence, int] | None:
    for position, held, coming in differing(case.items, members):
        kinds = kinds_of(held)
        gone = way_out_before(case.items, coming, kinds)
        found = left(gone, coming, members) if gone is not None else None
        found = found or explain(coming, held, kinds, members)
        if found is not None and found.shape == "argument" and exchanged(coming, kinds, found):
            found.shape = "order"
        if found is None or hangs_on_another_question(case, found):
            return None
        return found, position
    return None


def differing(items: list[Item], members: int) -> Iterator[tuple[int, dict[int, Item | None], Coming]]:
    """Where the lanes do not say the same: what each does there, and all that is still to come."""
    sequences = {lane: [item for item in items if lane in item.keys] for lane in lanes_in(members)}
    for position in range(max(map(len, sequences.values()))):
        coming = {lane: sequence[position:] for lane, sequence in sequences.items()}
        held = {lane: rest[0] if rest else None for lane, rest in coming.items()}
        if len(set(kinds_of(held).values())) > 1:
            yield position, held, coming


def kinds_of(held: dict[int, Item | None]) -> dict[int, object]:
    return {lane: item.keys[lane] if item is not None else None for lane, item in held.items()}


def loops_apart(items: list[Item], members: int) -> list[Item]:
    """The loops, where the first thing that the lanes do not do alike is to turn in one loop. Others may turn in it as
    well and say nothing."""
    held = next((held for _, held, _ in differing(items, members)), {})
    turning = [item for item in held.values() if item is not None and isinstance(item.node, Loop)]
    places = {(item.node.decision.path, item.node.decision.at) for item in turning if isinstance(item.node, Loop)}
    if len(places) != 1 or any(item is not None and not isinstance(item.node, Loop) for item in held.values()):
        return []
    silent = [lane for lane, item in held.items() if item is None]
    if any(parted(item, other) for item in turning for other in silent):
        return []
    return turning


def parted(item: Item, other: int) -> bool:
    """Does a decision say why this lane does not come to what the others do?"""
    return any(one.separates(lane, other) for one in chain(item.node, item.path) for lane in item.keys)


def way_out_before(items: list[Item], coming: Coming, kinds: dict[int, object]) -> Item | None:
    """Where some lanes have left since they last did what the others did."""
    places = {id(item): index for index, item in enumerate(items)}

    def since(item: Item, lane: int) -> bool:
        ahead = coming[lane][0] if coming[lane] else None
        before = [one for one in items if lane in one.keys and all(one is not rest for rest in coming[lane])]
        start = places[id(before[-1])] if before else -1
        return start < places[id(item)] < (places[id(ahead)] if ahead is not None else len(items))

    for item in items:
        if item.keys or not isinstance(item.node, Choice):
            continue
        mask = left_by(item.node, items)
        gone = [lane for lane in kinds if mask >> lane & 1]
        if gone and all(since(item, lane) for lane in gone):
            if any(kinds[lane] not in {kinds[one] for one in gone} for lane in kinds if lane not in gone):
                return item
    return None


def left_by(way_out: Choice, items: list[Item]) -> int:
    """Who takes this way out? Others may come to it on a way of their own."""
    mask = 0
    for item in items:
        if not item.keys and isinstance(item.node, Choice) and item.node.decision.place == way_out.decision.place:
            mask |= item.mask
    return mask


def left(gone: Item, coming: Coming, members: int) -> Divergence | None:
    """Those that have taken a way out are not where the others call next."""
    staying = (items[0] for lane, items in coming.items() if items and not gone.mask >> lane & 1)
    found = next((one for held in staying if (one := locate(held)) is not None), None)
    if found is None:
        ahead = next_in_loop(gone.path, members)
        found = (ahead[0], (*gone.path, gone.node, *ahead[1])) if ahead is not None else None
    return left_at(gone, found, members) if found is not None else None


def left_at(gone: Item, found: tuple[Event, Path], members: int) -> Divergence:
    node = gone.node
    assert isinstance(node, Choice)
    cause = cause_of(node, gone.path)
    here, absent = members & ~gone.mask, members & gone.mask
    return Divergence("exit", node.decision, *found, here, absent, cause=cause, choice=node)


def hangs_on_another_question(case: Case, found: Divergence) -> bool:
    """Do those that never come ask, in another function, whether there is anything to wait for?"""
    around = functions_around(found.event, found.path)
    return found.shape != "exit" and any(
        not any(node.exits) and node.decision.function not in around for node in case.turned
    )


def exchanged(coming: Coming, kinds: dict[int, object], found: Divergence) -> bool:
    """Do both sides make the other's call as well, only later? Then it is not one call with another argument."""

    def later(lane: int, kind: object) -> bool:
        return any(item.keys[lane] == kind for item in coming[lane][1:])

    mine = next((lane for lane in coming if found.here >> lane & 1), None)
    theirs = next((lane for lane in coming if found.absent >> lane & 1 and kinds[lane] is not None), None)
    if mine is None or theirs is None or kinds[mine] == kinds[theirs]:
        return False
    return later(mine, kinds[theirs]) and later(theirs, kinds[mine])


def explain(coming: Coming, held: dict[int, Item | None], kinds: dict[int, object], members: int) -> Divergence | None:
    """Choose the pair of lanes to show: one that makes a call, one that does not, split by the nearest decision."""
    there = {lane: item for lane, item in held.items() if item is not None}
    candidates = []
    for lane, item in there.items():
        for other in held:
            if kinds[other] == kinds[lane]:
                continue
            decision = next((one for one in chain(item.node, item.path) if one.separates(lane, other)), None)
            if decision is not None:
                ahead = comes_to(coming[other], other, item, kinds[lane])  # the other does something more before
                candidates.append(((ahead, isinstance(item.node, Choice), *order(item)), lane, other, decision, item))
    if not candidates:
        return None  # nobody can say why
    _, lane, other, decision, item = min(candidates, key=lambda entry: (rank_first(entry[3]), entry[0], entry[1]))
    here = sum(1 << one for one, kind in kinds.items() if kind == kinds[lane])
    if decision.kind == "exit":
        here = sum(1 << one for one in there if not decision.taken >> one & 1)  # all that have not left there
    opposite = held[other]
    if opposite is not None and comes_to(coming[lane], lane, opposite, kinds[other]):
        if not comes_to(coming[other], other, item, kinds[lane]) and not reordered(coming, lane, other):
            opposite = None  # these do something more before they come there too
    if opposite is not None and isinstance(opposite.node, Event) and opposite.node.kind == "end":
        # the others are done with this turn: an exit further inside says why
        opposite = None
        found = locate(item)
        if found is not None:
            gone = (one for one in chain(*found) if one.kind == "exit" and one.separates(lane, other))
            decision = next(gone, decision)
    shape = {"exit": "exit", "loop": "trip", "handler": "handler"}.get(decision.kind, "guarded")
    if shape == "guarded" and opposite is not None:
        shape = "order"
        if isinstance(item.node, Event) and isinstance(opposite.node, Event) and item.node.op == opposite.node.op:
            shape = "argument" if number_of(item.node) == number_of(opposite.node) else "order"
    made = make(shape, decision, item, here, members & ~here, held[other])
    if made is not None and shape == "order" and made.event is made.other:
        return None  # one call behind questions put in another way
    if made is not None and shape == "argument" and made.other is not None:
        theirs = dict(made.other.details)
        made.argument = next((name for name, value in made.event.details if theirs.get(name) != value), "arguments")
    return made


def comes_to(coming: list[Item], lane: int, item: Item, key: object) -> bool:
    """Is this call or loop, at its very place, among what a lane has still to do?"""
    place = spot(item)
    return place is not None and any(spot(one) == place and one.keys.get(lane) == key for one in coming)


def reordered(coming: Coming, lane: int, other: int) -> bool:
    """Have both as many calls of each kind before them, whatever lines these are made in?"""
    return Counter(item.keys[lane] for item in coming[lane]) == Counter(item.keys[other] for item in coming[other])


def spot(item: Item) -> tuple[str, Place] | None:
    """Where a call is made, or what is walked over by a loop of calls."""
    node = item.node
    if isinstance(node, Event):
        return (node.path, node.at) if node.kind != "end" else None
    return (node.decision.path, node.decision.at) if isinstance(node, Loop) else None


def functions_around(event: Event, path: tuple[object, ...]) -> set[str]:
    """The functions that a call stands in, and those that have called them."""
    return {event.function} | {node.caller for node in path if isinstance(node, Call)}


def number_of(event: Event) -> int:
    return event.group.number if event.group is not None else 0


def rank_first(decision: Decision) -> int:
    return 0 if decision.kind != "exit" else 1


def order(item: Item) -> tuple[int, int]:
    place = item.node.at if isinstance(item.node, Event | Call | Attempt) else item.node.decision.at
    return (place[0], place[1])


def make(
    shape: str, decision: Decision | None, item: Item, here: int, absent: int, opposite: Item | None
) -> Divergence | None:
    located = locate(item)
    if located is None:
        if not isinstance(item.node, Event):
            return None
        located = (item.node, item.path)
    found = locate(opposite) if opposite is not None else None
    return Divergence(
        shape,
        decision,
        *located,
        here,
        absent,
        other=found[0] if found else None,
        other_path=found[1] if found else (),
        cause=decision.cause if decision is not None else None,
    )
