"""Where may ranks part, because each of them decides for itself?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.lanes import lanes_in, token
from dtlint.machine.library.computing.tensors import SIZE_ONLY, counted_by_content, wide_by_content
from dtlint.machine.library.feeding.own_rows import of_uneven_share
from dtlint.machine.library.meeting.groups import PARTED
from dtlint.machine.library.python.iterators import ITEMS
from dtlint.machine.logs import Attempt, Choice, Decision, Event, Log, Loop, inner_logs
from dtlint.machine.run import Run
from dtlint.machine.spoken import first_event, key, talks
from dtlint.machine.values import BY_RANK, NONE, Cause, Const, Object, Row, Symbol, Tuple, Unknown, Value, lane_value
from dtlint.machine.walks import walk
from dtlint.timeline.ranks import merged
from dtlint.timeline.ranks.matching import (
    EQUAL_TYPES,
    given_to,
    made_apart,
    tensors_of,
    unlike,
    wants_equal_shapes,
)
from dtlint.timeline.ranks.obeying import takes_orders
from dtlint.timeline.ranks.parting import (
    LEAVES,
    Divergence,
    Path,
    communicates_without_end,
    communicators,
    in_talking_loop,
    next_in_loop,
    strip_ends,
)
from dtlint.timeline.ranks.rounds import counted_alike, goes_round
from dtlint.timeline.records import guards_over

# causes of a number that ranks cannot have in common: who they are, and what each sees or draws for itself
OF_OWN = frozenset({"rank", "local rank", "node", "process", "host", "data", "clock", "random", "memory"})
Said = tuple[Any, ...]  # what a log says for one lane


def undecided(run: Run) -> list[Divergence]:
    """Branches, loops and attempts that each rank decides for itself, and arguments that differ. A loop that turns as
    often as a branch lets it is told where that branch decides."""
    found = list(decided_alone(run))
    branches = {origin(one.cause) for one in found if one.shape == "local" and one.cause is not None}
    return [one for one in found if one.shape != "trip" or one.cause is None or origin(one.cause) not in branches]


def decided_alone(run: Run) -> Iterator[Divergence]:
    seen: set[tuple[object, ...]] = set()
    parted: set[tuple[str, int]] = set()
    for node, path in run.walk():
        if isinstance(node, Choice | Loop) and node.cause is not None and is_in_rounds(run, node, path):
            continue
        if isinstance(node, Choice) and node.cause is not None:
            found = may_split(run, node, path) or other_group(node, path)
        elif isinstance(node, Choice):
            found = asked_of_merged(run, node, path)
        elif isinstance(node, Loop) and node.cause is not None:
            found = may_differ(node, path)
        elif isinstance(node, Attempt):
            found = next(
                (run_dry(one.ends, node, path) for one in node.handlers if one.ends and one.exit in LEAVES), None
            )
        elif isinstance(node, Event) and node.kind == "collective":
            found = differing_argument(run, node, path)
        else:
            continue
        if found is None:
            continue
        decided: Decision | Event = found.decision or found.event
        place = (found.shape, decided.path, *decided.at)
        if found.shape == "local" and found.cause is not None:
            here = (decided.path, decided.at[0])
            if any((step.path, step.line) in parted - {here} for step in found.cause.steps()):
                continue  # what was set where they parted already
            parted.add(here)
        if place not in seen:
            seen.add(place)
            yield found


def is_in_rounds(run: Run, node: Choice | Loop, path: Path) -> bool:
    """Is it a part that is begun anew where it ends, or asked how many turns there were over all of them?"""
    return (isinstance(node, Loop) and goes_round(node, path)) or counted_alike(run, node, path)


def asked_of_merged(run: Run, node: Choice, path: Path) -> Divergence | None:
    """A question that has one answer as far as anybody sees, of a number that the ranks merge."""
    if not talks(node.then, node.mask) and not talks(node.other, node.mask):
        return None
    cause = merged.cause_of(run, node)
    found = may_split(run, node, path) if cause is not None else None
    if found is not None:
        found.cause = cause
    return found


def origin(cause: Cause) -> object:
    """Where a difference other than of data begins."""
    first = next(iter(cause.steps()), None)
    return (first.path, first.line, first.text) if first is not None and cause.kind != "data" else cause


def may_split(run: Run, node: Choice, path: Path) -> Divergence | None:
    if node.decision.taken != node.decision.before:
        return None  # who left is known, and those it parts from are compared with them
    if not talks(node.then, node.mask) and not talks(node.other, node.mask) and not in_talking_loop(path, node.mask):
        return None
    if any(isinstance(one, Choice) and takes_orders(one) for one in (node, *path)):
        return None  # those who give the orders are on the other side
    for lane in lanes_in(node.mask):
        then, other = key(node.then, lane), key(node.other, lane)
        if then == other:
            continue
        if strip_ends(then) == strip_ends(other) and not in_talking_loop(path, node.mask):
            continue
        if loops_of_both_say_the_same(then, other) or made_up_for(run, node, path):
            return None
        return split_of(node, path)
    return None


def other_group(node: Choice, path: Path) -> Divergence | None:
    """`new_group(teachers) if rank in teachers else new_group(students)`: as many groups, and not the same ones."""
    if node.cause is None or node.cause.kind not in BY_RANK:
        return None
    then, other = (list(groups_made(log, node.mask)) for log in (node.then, node.other))
    if len(then) != len(other):
        return None
    for (one, above), (opposite, _) in zip(then, other, strict=True):
        lists = [written(dict(event.details).get("ranks")) for event in (one, opposite)]
        if None not in lists and lists[0] != lists[1]:
            inner = (*path, node, *above)
            return Divergence("argument", None, one, inner, node.mask, 0, cause=node.cause, argument="ranks")
    return None


def groups_made(log: Log, mask: int) -> Iterator[tuple[Event, Path]]:
    for one, above in walk(log):
        if isinstance(one, Event) and one.kind == "collective" and one.op == "new_group" and one.mask & mask:
            yield one, above


def written(ranks: Value | None) -> object:
    """What a list says, where two that say another thing are other lists."""
    if isinstance(ranks, Object):
        held = ranks.attributes.get("[]")
        return token(held) if isinstance(held, Tuple) else None
    return ranks.symbol if isinstance(ranks, Unknown) and "fresh" not in ranks.symbol.key else None


def loops_of_both_say_the_same(then: Said, other: Said) -> bool:
    """Two parts to play, each in a loop of its own, with the same calls: how they take turns nobody can say here."""
    looped = all(any(part[0] == "loop" for part in side) for side in (then, other))
    return looped and set(spoken(then)) == set(spoken(other))


def spoken(parts: Said) -> Iterator[Said]:
    for part in parts:
        if part[0] == "loop":
            yield from spoken(part[2])
        elif part[0] == "choice":
            yield from spoken((*part[1], *part[2]))
        elif part != ("end",):
            yield part


def made_up_for(run: Run, node: Choice, path: Path) -> bool:
    """`if not first: barrier()` and, later or before, `if first: barrier()`: whatever a rank answers, it does both."""
    for log in inner_logs(path[-1]) if path else (run.log,):
        if not any(one is node for one in log.nodes):
            continue
        for other in log.nodes:
            if isinstance(other, Choice) and other is not node and opposite(node.symbol, other.symbol):
                lanes = list(lanes_in(node.mask | other.mask))
                if all(key(node.then, lane) == key(other.then, lane) for lane in lanes):
                    return all(key(node.other, lane) == key(other.other, lane) for lane in lanes)
    return False


def opposite(one: Symbol | None, other: Symbol | None) -> bool:
    if one is None or other is None:
        return False
    return one.key == ("not", other) or other.key == ("not", one)


def split_of(node: Choice, path: Path) -> Divergence | None:
    inner = (*path, node)
    if node.cause is not None and node.cause.kind == ITEMS and LEAVES.intersection(node.exits):
        return run_dry(node.decision, node, path)
    for log in (node.then, node.other):
        opposite = node.other if log is node.then else node.then
        found = first_event(log, node.mask)
        if found is None:
            continue
        across = first_event(opposite, node.mask)
        if across is not None and (across[0].op, across[0].at) == (found[0].op, found[0].at):
            continue
        return Divergence(
            "local",
            node.decision,
            found[0],
            (*inner, *found[1]),
            node.mask,
            node.mask,
            other=across[0] if across else None,
            other_path=(*inner, *across[1]) if across else (),
            cause=node.cause,
            choice=node,
        )
    event = next_in_loop(path, node.mask) or first_event(node.then, node.mask) or first_event(node.other, node.mask)
    if event is None:
        return None
    return Divergence(
        "local", node.decision, event[0], (*inner, *event[1]), node.mask, node.mask, cause=node.cause, choice=node
    )


def run_dry(decision: Decision, node: Choice | Attempt, path: Path) -> Divergence | None:
    """A loop is left when an iterator has nothing more to give, which is sooner on some ranks."""
    event = next_in_loop(path, node.mask) if in_talking_loop(path, node.mask) else None
    if event is None:
        return None
    loop = next(one for one in reversed(path) if isinstance(one, Loop))
    return Divergence(
        "trip", decision, event[0], (*path, *event[1]), node.mask, node.mask, cause=decision.cause, loop=loop
    )


def may_differ(node: Loop, path: Path) -> Divergence | None:
    if not communicates_without_end(node.body, node.mask):
        return None
    found = first_event(node.body, node.mask)
    if found is None:
        return None
    return Divergence(
        "trip",
        node.decision,
        found[0],
        (*path, node, *found[1]),
        node.mask,
        node.mask,
        cause=node.cause,
        loop=node,
    )


def differing_argument(run: Run, event: Event, path: Path) -> Divergence | None:
    if event.kind != "collective" or only_who_fails(event, path):
        return None
    own = partly_of_all(event)
    if own is not None:
        name = event.extra["call"].row.group
        return Divergence("argument", None, event, path, event.mask, 0, cause=own, argument=name)
    if event.group is None:
        outside = without_root_somewhere(run, event, path)
        name = event.extra["call"].row.root if outside else ""
        found = Divergence("argument", None, event, path, event.mask & ~outside, outside, argument=name)
        return found if outside else None
    for tensor in tensors_of(event) if wants_equal_shapes(event) else ():
        for fact, name in (("shape", "shape"), ("dtype", "type")):
            differs = tensor.facts.get(fact)
            if differs is not None and not on_one_side(event, path, differs):
                return Divergence("argument", None, event, path, event.mask, 0, cause=differs, argument=name)
    for differing in rows_of_tensors(event):
        for members in communicators(event.group, event.mask):
            held = [differing.lanes[lane] for lane in lanes_in(members & event.mask)]
            other = next((one for one in held[1:] if unlike(held[0], one)), None)
            if other is not None:
                cause, name = made_apart(differing.cause, held[0], other), unlike(held[0], other)
                return Divergence("argument", None, event, path, event.mask, 0, cause=cause, argument=name)
    for value, one, other in event.extra.get("parted", ()) if event.op in EQUAL_TYPES else ():
        if value.cause is not None and (name := unlike(one, other)) and not on_one_side(event, path, value.cause):
            return Divergence("argument", None, event, path, event.mask, 0, cause=value.cause, argument=name)
    for value in given_to(event) if wants_equal_shapes(event) else ():
        if value.cause is None or on_one_side(event, path, value.cause):
            continue
        if sized_by_content(value) or of_uneven_share(value):
            return Divergence("argument", None, event, path, event.mask, 0, cause=value.cause, argument="shape")
    own = takes_its_own_for_theirs(event)
    if own is not None:
        return Divergence("argument", None, event, path, event.mask, 0, cause=own, argument="shape")
    outside = without_root(event)
    if outside:
        name = event.extra["call"].row.root
        return Divergence("argument", None, event, path, event.mask & ~outside, outside, argument=name)
    for name, value in event.details:
        if disagrees(value, event):
            return Divergence(
                "argument",
                None,
                event,
                path,
                event.mask,
                0,
                cause=value.cause,
                argument=name,
            )
    return None


def only_who_fails(event: Event, path: Path) -> bool:
    """In a handler of what one rank alone runs into: whatever it says there, it says for itself."""
    return any(one.kind == "handler" and one.cause is not None for one in guards_over(event, path))


def partly_of_all(event: Event) -> Cause | None:
    """`reduce(load, group=mine)`, with None for those that have no group: without one it is a call of all ranks."""
    call = event.extra.get("call")
    given = call.get(call.row.group) if call is not None and call.row.group else None
    if not isinstance(given, Row):
        return None
    lacking = sum(1 << lane for lane in lanes_in(event.mask) if given.lanes[lane] == NONE)
    return given.cause if lacking and event.mask & ~lacking else None


def takes_its_own_for_theirs(event: Event) -> Cause | None:
    """How much comes is what the others send: as much as this rank sends to each of them it is by chance."""
    call = event.extra.get("call")
    if call is None:
        return None
    for theirs, mine in call.row.extra.get("told_by_others", {}).items():
        coming, going = call.get(theirs), call.get(mine)
        if isinstance(coming, Unknown) and isinstance(going, Unknown) and coming.symbol is going.symbol:
            return coming.cause
    return None


def without_root_somewhere(run: Run, event: Event, path: Path) -> int:
    """The ranks of another group than that of the root, where the program makes several and nobody knows how large they
    are: two halves of the world stand for them."""
    call = event.extra.get("call")
    if call is None or not call.row.group or "root_in_group" not in call.row.extra:
        return 0
    group, root = call.get(call.row.group), call.get(call.row.root)
    group = group.like if isinstance(group, Unknown) and group.like is not None else group
    if not isinstance(group, Object) or not group.facts.get(PARTED) or not isinstance(root, Const):
        return 0
    if any(one.cause is not None and one.cause.kind in BY_RANK for one in guards_over(event, path)):
        return 0  # of one group alone, maybe
    first = run.world.full >> run.world.size // 2
    return event.mask & ~first if root.value == 0 and root.scale is None else 0


def without_root(event: Event) -> int:
    """The ranks that name a root which is no member of their own group, where ranks are counted over the world."""
    call, group = event.extra.get("call"), event.group
    if call is None or group is None or "root_in_group" not in call.row.extra:
        return 0
    root, outside = call.get(call.row.root), 0
    for lane in lanes_in(event.mask) if root is not None else ():
        held, members = lane_value(root, lane), group.members[lane]
        if isinstance(held, Const) and type(held.value) is int and members >> lane & 1:
            outside |= 0 if members >> held.value & 1 else 1 << lane
    return outside


def sized_by_content(value: Value) -> bool:
    """Does its size depend on what this rank has in it?"""
    if isinstance(value, Row):
        return all(sized_by_content(held) for held in value.lanes)
    if not isinstance(value, Unknown):
        return False
    one = value.symbol
    return one.key[0] in SIZE_ONLY or counted_by_content(one) or wide_by_content(one)


def on_one_side(event: Event, path: Path, differs: Cause) -> bool:
    """Do those who make this call stand on one side of the branch that makes the difference?"""
    first = differs.steps()[:1]
    return any(
        one.kind == "branch" and one.taken != one.before and one.cause is not None and one.cause.steps()[:1] == first
        for one in guards_over(event, path)
    )


def rows_of_tensors(event: Event) -> Iterator[Row]:
    call = event.extra.get("call")
    for value in call.values if call is not None and event.op in EQUAL_TYPES else ():
        if isinstance(value, Row):
            yield value


def disagrees(value: Value, event: Event) -> bool:
    """Does an argument that all ranks must agree on differ between lanes of one communicator?"""
    if isinstance(value, Row):
        assert event.group is not None
        for members in communicators(event.group, event.mask):
            held = [value.lanes[lane] for lane in lanes_in(members & event.mask)]
            if any(one != held[0] for one in held[1:]):
                return True
        return False
    if not isinstance(value, Unknown) or value.cause is None or value.cause.kind not in OF_OWN:
        return False
    assert event.group is not None
    together = any(members & event.mask == event.mask for members in communicators(event.group, event.mask))
    return together or value.cause.kind not in BY_RANK  # by world rank, it may still be one thing for those of a group
