"""What is the first thing that lanes do not do alike, and which pair of lanes shows it best?"""

from __future__ import annotations

from dtlint.machine.consistent import NOTHING
from dtlint.machine.lanes import lanes_in
from dtlint.machine.logs import Attempt, Call, Choice, Decision, Event, Place, told
from dtlint.machine.run import Run
from dtlint.machine.spoken import first_event
from dtlint.timeline.parting import Divergence, Item, cause_of, chain, leaving, locate, next_in_loop, same_place

Coming = dict[int, list[Item]]  # what each lane has still to say


def first_difference(run: Run, items: list[Item], members: int) -> tuple[Divergence, int] | None:
    lanes = list(lanes_in(members))
    sequences = {lane: [item for item in items if lane in item.keys] for lane in lanes}
    length = max(len(sequence) for sequence in sequences.values())
    for position in range(length):
        held = {lane: sequence[position] if position < len(sequence) else None for lane, sequence in sequences.items()}
        kinds = {lane: item.keys[lane] if item is not None else None for lane, item in held.items()}
        if len(set(kinds.values())) == 1:
            continue
        coming = {lane: sequence[position:] for lane, sequence in sequences.items()}
        found = explain(run, coming, held, kinds, members)
        if found is not None and found.shape == "guarded" and found.decision is None:
            found = left_without_a_word(run, items, coming, found)
        if found is not None and found.shape == "argument" and exchanged(sequences, kinds, found, position):
            found.shape = "order"
        return (found, position) if found is not None else None
    return None


def left_without_a_word(run: Run, items: list[Item], coming: Coming, found: Divergence) -> Divergence | None:
    """A way out that those who never come may have taken, though they would have nothing to say if they had stayed."""
    for item in items:
        if not item.keys and item.mask & found.absent and not item.mask & found.here:
            return left_in_choice(run, item, coming, found.here | found.absent)
    return found


def exchanged(sequences: dict[int, list[Item]], kinds: dict[int, object], found: Divergence, position: int) -> bool:
    """Do both sides make the other's call as well, only later? Then it is not one call with another argument."""

    def later(lane: int, kind: object) -> bool:
        return any(item.keys[lane] == kind for item in sequences[lane][position + 1 :])

    mine = next((lane for lane in sequences if found.here >> lane & 1), None)
    theirs = next((lane for lane in sequences if found.absent >> lane & 1 and kinds[lane] is not None), None)
    if mine is None or theirs is None or kinds[mine] == kinds[theirs]:
        return False
    return later(mine, kinds[theirs]) and later(theirs, kinds[mine])


def explain(
    run: Run, coming: Coming, held: dict[int, Item | None], kinds: dict[int, object], members: int
) -> Divergence | None:
    """Choose the pair of lanes to show: one that makes a call, one that does not, split by the nearest decision."""
    there = {lane: item for lane, item in held.items() if item is not None}
    present = list(there)
    first = min(
        present, key=lambda lane: (there[lane].node.guards is None and not there[lane].path, order(there[lane]), lane)
    )
    candidates = []
    for lane in present:
        item = held[lane]
        assert item is not None
        for other in held:
            if kinds[other] == kinds[lane]:
                continue
            decision = next((one for one in chain(item.node, item.path) if one.separates(lane, other)), None)
            if decision is not None:
                unsure = isinstance(item.node, Choice)
                candidates.append(((unsure, *order(item)), lane, other, decision, item))
    choice_items = [item for item in held.values() if item is not None and isinstance(item.node, Choice)]
    exits = [item for item in choice_items if leaving(item.node) is not None]  # type: ignore[arg-type]
    if (
        len({id(item) for item in exits}) > 1
        and len(exits) == len(held)
        and len({way_out(item) for item in exits}) == 1
    ):
        exits = []  # all may leave there alike
    unsure_only = all(isinstance(entry[4].node, Choice) for entry in candidates)
    alone = len({id(item) for item in held.values() if item is not None}) == 1 and staying_talks(exits)
    if exits and unsure_only and not any(guards_call_of(entry[3], exits[0]) for entry in candidates):
        # what parts these lanes from others that call nothing has come before
        if not alone or all(is_way_out(entry[3], exits[0]) for entry in candidates):
            left = left_in_choice(run, exits[0], coming, members)
            if left is not None or not candidates or not parting_talks(exits[0]):
                return left
    if not candidates:
        if exits:
            return left_in_choice(run, exits[0], coming, members)
        item = held[first]
        assert item is not None
        return make(run, "guarded", None, item, item.mask, members & ~item.mask, held, first)
    _, lane, other, decision, item = min(candidates, key=lambda entry: (rank_first(entry[3]), entry[0], entry[1]))
    here = sum(1 << one for one, kind in kinds.items() if kind == kinds[lane])
    if decision.kind == "exit":
        here = sum(1 << one for one in present if not decision.taken >> one & 1)  # all that have not left there
    opposite = held[other]
    if opposite is not None and item in exits and meets(item, opposite):
        return left_in_choice(run, item, coming, members)  # who does not leave makes the same call
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
        elif isinstance(item.node, Event) and isinstance(opposite.node, Choice) and first_op(opposite) == item.node.op:
            if leaving(opposite.node) is not None:
                return left_in_choice(run, opposite, coming, members)  # the counterpart comes unless its side leaves
            shape = "guarded"  # the counterpart comes under a further condition
            if opposite.node.decision.function not in functions_around(item):
                return None  # and asks elsewhere whether there is anything to wait for
    made = make(run, shape, decision, item, here, members & ~here, held, other)
    if made is not None and shape == "order" and made.event is made.other:
        return None  # one call behind questions put in another way
    if made is not None and shape == "argument" and made.other is not None:
        theirs = dict(made.other.details)
        made.argument = next((name for name, value in made.event.details if theirs.get(name) != value), "arguments")
    return made


def way_out(item: Item) -> tuple[str, Place] | None:
    left = leaving(item.node) if isinstance(item.node, Choice) else None
    return left.decision.place if left is not None else None


def functions_around(item: Item) -> set[str]:
    """The functions that a call stands in, and those that have called them."""
    own = {item.node.function} if isinstance(item.node, Event) else set()
    return own | {node.caller for node in item.path if isinstance(node, Call)}


def guards_call_of(decision: Decision, item: Item) -> bool:
    """A function called by some ranks only has ways out of its own: the guard of the call is what parts the ranks."""
    assert isinstance(item.node, Choice)
    choice = leaving(item.node) or item.node
    return decision.kind == "branch" and decision.function != choice.decision.function


def is_way_out(decision: Decision, item: Item) -> bool:
    """`if failed or rank > 0: return`: the same line parts the lanes and lets one of them go on."""
    assert isinstance(item.node, Choice)
    choice = leaving(item.node) or item.node
    return same_place(decision, choice.decision)


def staying_talks(exits: list[Item]) -> bool:
    """Do the lanes that stay, of those that decide, make a call of their own?"""
    for item in exits:
        node = leaving(item.node) if isinstance(item.node, Choice) else None
        if node is not None and first_event(node.other if node.exits[0] else node.then, node.mask) is not None:
            return True
    return False


def parting_talks(item: Item) -> bool:
    """Do the lanes that leave make a call before, which nobody else makes?"""
    node = leaving(item.node) if isinstance(item.node, Choice) else None
    return node is not None and first_event(node.then if node.exits[0] else node.other, node.mask) is not None


def number_of(event: Event) -> int:
    return event.group.number if event.group is not None else 0


def meets(item: Item, opposite: Item) -> bool:
    """Is the first call on the side that stays the one that the others make?"""
    assert isinstance(item.node, Choice)
    node = leaving(item.node) or item.node
    staying = first_event(node.other if node.exits[0] else node.then, node.mask)
    theirs = locate(opposite)
    return staying is not None and theirs is not None and staying[0].op == theirs[0].op


def first_op(item: Item) -> str:
    found = locate(item)
    return found[0].op if found is not None else ""


def rank_first(decision: Decision) -> int:
    return 0 if decision.kind != "exit" else 1


def order(item: Item | None) -> tuple[int, int]:
    if item is None:
        return (1 << 30, 0)
    place = item.node.at if isinstance(item.node, Event | Call | Attempt) else item.node.decision.at
    return (place[0], place[1])


def left_in_choice(run: Run, item: Item, coming: Coming, members: int) -> Divergence | None:
    """One side of a branch that only some lanes decide left; the others go on to the next call."""
    outer = item.node
    assert isinstance(outer, Choice)
    node = leaving(outer) or outer
    others = [lane for lane in coming if not node.mask >> lane & 1]
    alone = any(coming.values()) and not any(coming[lane] for lane in others)  # the others have left already
    here = members & node.mask if alone else members & ~node.mask
    leaves = bool(node.exits[0])
    known = frozenset(told(node.symbol, leaves is not alone))
    theirs = next((items for items in coming.values() if items and items[0] is not item), ())
    found = next((one for held in theirs if (one := locate(held, known)) is not None), None)
    if found is None and not theirs:
        staying = first_event(node.other if leaves else node.then, node.mask, known if alone else NOTHING)
        found = (staying[0], (*item.path, node, *staying[1])) if staying is not None else None
    if found is None:
        ahead = next_in_loop(item.path, members, known)
        found = (ahead[0], (*item.path, node, *ahead[1])) if ahead is not None else None
    if found is None:
        return None
    event, path = found
    return Divergence(
        "exit",
        node.decision,
        event,
        path,
        here,
        members & ~here,
        cause=cause_of(node, item.path),
        choice=node,
    )


def make(
    run: Run,
    shape: str,
    decision: Decision | None,
    item: Item,
    here: int,
    absent: int,
    held: dict[int, Item | None],
    other: int,
) -> Divergence | None:
    located = locate(item)
    if located is None:
        if isinstance(item.node, Event):
            located = (item.node, item.path)
        else:
            return None
    event, path = located
    opposite = held.get(other)
    found = locate(opposite) if opposite is not None else None
    cause = decision.cause if decision is not None else None
    return Divergence(
        shape,
        decision,
        event,
        path,
        here,
        absent,
        other=found[0] if found else None,
        other_path=found[1] if found else (),
        cause=cause,
    )
