"""Where do the ranks of one run part, and why?

The log is walked in program order. A call that all members of its group make is complete. One that only some of them
make is *pending*: others may make the same call on another path (the second half of a two-sided barrier). When a
complete call of the group comes while something is pending, or the scope ends, the ranks have parted, and the decision
that separates a rank that made the call from one that did not is the place to report.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from dtlint.machine.lanes import lanes_in
from dtlint.machine.library.iterators import ITEMS
from dtlint.machine.library.provenance import symbols_in
from dtlint.machine.library.tensors import SIZE_ONLY
from dtlint.machine.logs import (
    COMMUNICATES,
    Attempt,
    Call,
    Choice,
    Decision,
    Event,
    Group,
    HandlerLog,
    Log,
    LogNode,
    Loop,
    decisions,
    event_key,
    first_event,
    inner_logs,
    key,
    talks,
    walk,
)
from dtlint.machine.run import Run
from dtlint.machine.values import Cause, Object, Row, Symbol, Unknown, Value
from dtlint.timeline.untold import Untold

LEAVES = frozenset({"break", "return"})

Path = tuple[LogNode, ...]


@dataclass(slots=True)
class Divergence:
    """One place where ranks part.

    `shape`: guarded, exit, trip, order, argument, local, handler, swallowed. `event` is the first call not all ranks
    make (with the `path` of nodes above it), `here` the lanes that make it, `absent` those that never come,
    `other` what they do instead.
    """

    shape: str
    decision: Decision | None
    event: Event
    path: Path
    here: int
    absent: int
    other: Event | None = None
    other_path: Path = ()
    cause: Cause | None = None
    choice: Choice | None = None
    loop: Loop | None = None
    attempt: Attempt | None = None
    handler: HandlerLog | None = None
    argument: str = ""
    between: tuple[Event, Path] | None = None  # the call of all members that met what was pending
    further: list[Event] = field(default_factory=list)  # other calls behind the same decision


@dataclass(slots=True)
class Item:
    """One pending thing of one or several lanes: a call, a loop or an undecided branch that communicates."""

    node: LogNode
    path: Path
    mask: int
    keys: dict[int, object] = field(default_factory=dict)
    copied: Item | None = None

    @property
    def of(self) -> Item:
        return self.copied or self


Pending = dict[int, list[Item]]  # by the member mask of the communicator


def divergences(run: Run) -> list[Divergence]:
    """All places of a run, computed once."""
    found = run.cache.get("divergences")
    if found is None:
        found = run.cache["divergences"] = list(find(run))
    return found


def find(run: Run) -> Iterator[Divergence]:
    pending: Pending = {}
    certain = [*scan(run, run.log, (), pending, run.world.full), *flush(run, pending)]
    untold = Untold(run.log, run.world.full)
    certain = [one for one in certain if not follows_wrap(one, certain) and not untold.may_answer(one.here, one.absent)]
    yield from certain
    unsure = [one for one in undecided(run) if one.choice is None or not untold.below(one.choice)]
    yield from unsure
    if not certain and not unsure:
        yield from crossed(run)


def follows_wrap(divergence: Divergence, certain: list[Divergence]) -> bool:
    """Calls of a model that only some ranks wrapped: reported where it was wrapped."""
    return divergence.event.op in ("forward", "backward") and any(
        one.event.op == "wrap" and (one.here, one.absent) == (divergence.here, divergence.absent) for one in certain
    )


# --- lanes that part for certain -------------------------------------------------------------------------------


def scan(run: Run, log: Log, path: Path, pending: Pending, lanes: int) -> Iterator[Divergence]:
    if not talks(log, lanes):
        return
    for node in log.nodes:
        mask = node.mask & lanes
        if not mask:
            continue
        if isinstance(node, Event):
            yield from meet_event(run, node, mask, path, pending)
        elif isinstance(node, Call):
            yield from scan(run, node.log, (*path, node), pending, mask)
        elif isinstance(node, Attempt):
            yield from scan(run, node.body, (*path, node), pending, mask)
            if node.final is not None:
                yield from scan(run, node.final, (*path, node), pending, mask)
        else:
            yield from meet_block(run, node, mask, path, pending)


def meet_event(run: Run, event: Event, mask: int, path: Path, pending: Pending) -> Iterator[Divergence]:
    if event.kind == "end":
        loop = event.loop
        if loop is None or not communicates_without_end(loop.body, mask):
            return
        whole = loop.mask
        if mask & whole != whole:
            add(pending, run.world.full, Item(event, path, mask, dict.fromkeys(lanes_in(mask), ("end",))))
        elif pending.get(run.world.full):
            yield from report(run, pending, run.world.full)
        return
    if event.kind != "collective" or event.group is None:
        return
    for members in communicators(event.group, mask):
        present = mask & members
        item = Item(event, path, present, {lane: event_key(event, lane, None) for lane in lanes_in(present)})
        if present == members and not pending.get(members):
            continue
        if present == members:
            yield from report(run, pending, members, (event, path))
            continue
        add(pending, members, item)
        settle(pending, members)


def communicators(group: Group, mask: int) -> list[int]:
    return sorted({group.members[lane] for lane in lanes_in(mask) if group.members[lane]})


def add(pending: Pending, members: int, item: Item) -> None:
    pending.setdefault(members, []).append(item)


def settle(pending: Pending, members: int) -> None:
    """Forget what is pending once every member has made the same calls."""
    if agreed(pending.get(members, []), members):
        pending[members] = []


def agreed(items: list[Item], members: int) -> bool:
    first: list[object] | None = None
    for lane in lanes_in(members):
        mine = [item.keys[lane] for item in items if lane in item.keys]
        if first is None:
            first = mine
        elif mine != first:
            return False
    return True


def meet_block(run: Run, node: Choice | Loop, mask: int, path: Path, pending: Pending) -> Iterator[Divergence]:
    """A loop or an undecided branch: its own scope where all ranks enter it, one pending thing otherwise."""
    inner = (*path, node)
    full = run.world.full
    if not any(talks(log, mask) for log in inner_logs(node)) and not in_talking_loop(path, mask):
        return
    sides = (node.body,) if isinstance(node, Loop) else (node.then, node.other)
    if mask == full or (not any(pending.values()) and covers(run, node, mask) and not part_of_turn(path, mask)):
        if isinstance(node, Loop):
            if any(pending.values()) and communicates_without_end(node.body, mask):
                for members in list(pending):
                    yield from report(run, pending, members)
            own: Pending = {}
            yield from scan(run, node.body, inner, own, mask)
            yield from flush(run, own)
            return
        ends: list[Pending] = []
        for side in sides:
            own = {members: list(items) for members, items in pending.items()}
            yield from scan(run, side, inner, own, mask)
            ends.append(own)
        pending.clear()
        left, right = ends
        if isinstance(node, Choice) and ("raise" in node.exits) and node.exits[0] != node.exits[1]:
            # The side that raises has left for good; what is pending there nobody can complete.
            left = right = right if node.exits[0] == "raise" else left
        for members in {*left, *right}:
            one, other = left.get(members, []), right.get(members, [])
            pending[members] = one if len(one) >= len(other) else other
        return
    groups = block_communicators(node, mask, full)
    if in_talking_loop(path, mask) and full not in groups:
        groups.append(full)
    for members in groups:
        keys: dict[int, object] = {}
        for lane in lanes_in(mask & members):
            if isinstance(node, Loop):
                body = tuple(part for part in key(node.body, lane, members) if part != ("end",))
                if body:
                    keys[lane] = ("loop", body)
            else:
                then, otherwise = key(node.then, lane, members), key(node.other, lane, members)
                if then == otherwise:
                    if then:
                        keys[lane] = ("both", then)
                elif strip_ends(then) != strip_ends(otherwise) or in_talking_loop(path, mask):
                    keys[lane] = ("choice", then, otherwise)
        if keys:
            add(pending, members, Item(node, path, mask & members, keys))
            settle(pending, members)


def covers(run: Run, node: Choice | Loop, mask: int) -> bool:
    """Do these lanes contain every group that talks inside?"""
    return all(members & ~mask == 0 for members in block_communicators(node, mask, run.world.full))


def block_communicators(node: Choice | Loop, mask: int, full: int) -> list[int]:
    sides = (node.body,) if isinstance(node, Loop) else (node.then, node.other)
    found: set[int] = set()
    for side in sides:
        for lane in lanes_in(mask):
            collect(key(side, lane), found, full)
    return sorted(found)


def collect(parts: object, found: set[int], full: int) -> None:
    if not isinstance(parts, tuple):
        return
    for part in parts:
        if isinstance(part, tuple) and len(part) > 1 and isinstance(part[0], str) and isinstance(part[1], int):
            if part[0] == "loop":
                collect(part[2], found, full)
            else:
                found.add(part[1])
        elif isinstance(part, tuple):
            collect(part, found, full)


def strip_ends(parts: object) -> object:
    if isinstance(parts, tuple):
        return tuple(strip_ends(part) for part in parts if part != ("end",))
    return parts


def communicates_without_end(log: Log, mask: int) -> bool:
    return talks(log, mask)


def in_talking_loop(path: Path, mask: int) -> bool:
    for node in reversed(path):
        if isinstance(node, Loop):
            return communicates_without_end(node.body, mask)
        if isinstance(node, Call):
            return False
    return False


def part_of_turn(path: Path, mask: int) -> bool:
    """Are these only some of the lanes that turn in the innermost loop, and do the lanes talk there?"""
    for node in reversed(path):
        if isinstance(node, Loop):
            return bool(node.mask & ~mask) and talks(node.body, node.mask)
        if isinstance(node, Call):
            return False
    return False


def flush(run: Run, pending: Pending) -> Iterator[Divergence]:
    for members in list(pending):
        yield from report(run, pending, members)


def report(run: Run, pending: Pending, members: int, between: tuple[Event, Path] | None = None) -> Iterator[Divergence]:
    """Name the decisions behind what is pending, one after the other, until the rest agrees."""
    items = pending.get(members, [])
    pending[members] = []
    if any(isinstance(item.node, Loop) and obeys(item.node.body) for item in items):
        return
    for _ in range(12):
        if not items:
            return
        found = first_difference(run, items, members)
        if found is None:
            return
        divergence, position = found
        divergence.between = between
        if is_second_half(run, divergence, members):
            items = unexplained(items, divergence, members, position)
            continue
        yield divergence
        alone = left_alone(run, items, divergence, members)
        if alone is not None:
            yield alone
        items = unexplained(items, divergence, members, position)


def obeys(log: Log) -> bool:
    """A loop that ends, or goes on, by what it has received: the others tell it what to call next."""
    for node in log.nodes:
        if isinstance(node, Choice):
            if any(node.exits) and node.symbol is not None and node.cause is None and was_told(node.symbol):
                return True
            if obeys(node.then) or obeys(node.other):
                return True
    return False


def was_told(symbol: Symbol) -> bool:
    return any(one.key[0] in ("agreed", "received") for one in symbols_in(symbol))


def unexplained(items: list[Item], divergence: Divergence, members: int, position: int) -> list[Item]:
    """What is still pending once the place just reported is mended."""
    decision = divergence.decision
    if decision is None or divergence.choice is not None:
        return []
    mine = [item for item in items if behind(item, decision)]
    if divergence.shape == "guarded":
        divergence.further = further_events(mine, divergence.event)
    rest = [item for item in items if not behind(item, decision)]
    matched = {
        id([item for item in items if lane in item.keys][:position][-1])
        for lane in lanes_in(members)
        if position and len([item for item in items if lane in item.keys]) >= position
    }
    rest = [item for item in rest if id(item) not in matched]
    # mended means: the lanes the decision separates do what one of its sides does
    for side in (decision.taken, decision.before & ~decision.taken):
        copied = [widened_item(item, decision.before) for item in mine if item.mask & side]
        if agreed(sorted([*rest, *copied], key=lambda item: items.index(item.of)), members):
            return []
    if divergence.other is not None:
        # the counterpart named in the report: half of a pair that does not fit
        partners = [
            one
            for item in rest
            if item.mask & divergence.absent and not item.mask & divergence.here
            for one in chain(item.node, item.path)
        ]
        rest = [item for item in rest if not any(behind(item, one) for one in partners[:1])]
    box = {members: rest}
    settle(box, members)
    return box[members] if len(box[members]) < len(items) else []


def left_alone(run: Run, items: list[Item], divergence: Divergence, members: int) -> Divergence | None:
    """An exit further down behind the same decision: moving the call out of the branch does not mend it."""
    decision = divergence.decision
    if decision is None or divergence.shape not in ("guarded", "order") or decision.kind != "branch":
        return None
    for item in items:
        node = item.node
        if not isinstance(node, Choice) or node.decision.function != decision.function or node.cause is not None:
            continue
        choice = leaving(node)
        if choice is None or not set(choice.exits) & {"return", "break", "exit"}:
            continue
        if choice.decision.function == decision.function and behind(item, decision):
            return left_in_choice(run, item, dict.fromkeys(lanes_in(members)), members)
    return None


def further_events(items: list[Item], shown: Event) -> list[Event]:
    """What else is called behind the decision of a finding: a call per kind, in order."""
    found: dict[str, Event] = {shown.op: shown}
    for item in items:
        located = locate(item)
        if located is not None:
            found.setdefault(located[0].op, located[0])
    return [event for event in found.values() if event is not shown][:4]


def widened_item(item: Item, lanes: int) -> Item:
    shown = next(iter(item.keys.values()))
    return Item(item.node, item.path, lanes, dict.fromkeys(lanes_in(lanes), shown), item)


def behind(item: Item, decision: Decision) -> bool:
    if isinstance(item.node, Choice) and item.node.decision is decision:
        return True
    return any(same_place(one, decision) for one in chain(item.node, item.path))


def same_place(one: Decision, other: Decision) -> bool:
    return one is other or (one.path, one.at) == (other.path, other.at)


def chain(node: LogNode, path: Path) -> Iterator[Decision]:
    """All decisions on the way to a node, innermost first, over the calls and branches above it."""
    yield from decisions(node.guards)
    for above in reversed(path):
        if isinstance(above, Call):
            yield from decisions(above.guards)


def is_second_half(run: Run, divergence: Divergence, members: int) -> bool:
    """The other half of a pair whose first half has been reported: the barrier after a body that talked."""
    half = (members, divergence.event.op, divergence.here)
    halves = run.cache.setdefault("halves", {})
    first = halves.pop(half, None)
    if first is not None:
        if first.between is not None and first.shape == "guarded":
            # the halves would pair, were it not for what all ranks call between them
            first.shape = "order"
            first.other, first.other_path = first.event, first.path
            first.event, first.path = first.between
        return True
    if divergence.decision is not None and divergence.decision.kind == "branch":
        halves[members, divergence.event.op, divergence.absent] = divergence
    return False


def first_difference(run: Run, items: list[Item], members: int) -> tuple[Divergence, int] | None:
    lanes = list(lanes_in(members))
    sequences = {lane: [item for item in items if lane in item.keys] for lane in lanes}
    length = max(len(sequence) for sequence in sequences.values())
    for position in range(length):
        held = {lane: sequence[position] if position < len(sequence) else None for lane, sequence in sequences.items()}
        kinds = {lane: item.keys[lane] if item is not None else None for lane, item in held.items()}
        if len(set(kinds.values())) == 1:
            continue
        found = explain(run, held, kinds, members)
        if found is not None and found.shape == "argument" and exchanged(sequences, kinds, found, position):
            found.shape = "order"
        return (found, position) if found is not None else None
    return None


def exchanged(sequences: dict[int, list[Item]], kinds: dict[int, object], found: Divergence, position: int) -> bool:
    """Do both sides make the other's call as well, only later? Then it is not one call with another argument."""

    def later(lane: int, kind: object) -> bool:
        return any(item.keys[lane] == kind for item in sequences[lane][position + 1 :])

    mine = next((lane for lane in sequences if found.here >> lane & 1), None)
    theirs = next((lane for lane in sequences if found.absent >> lane & 1 and kinds[lane] is not None), None)
    if mine is None or theirs is None or kinds[mine] == kinds[theirs]:
        return False
    return later(mine, kinds[theirs]) and later(theirs, kinds[mine])


def explain(run: Run, held: dict[int, Item | None], kinds: dict[int, object], members: int) -> Divergence | None:
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
    unsure_only = all(isinstance(entry[4].node, Choice) for entry in candidates)
    if exits and unsure_only and not any(guards_call_of(entry[3], exits[0]) for entry in candidates):
        return left_in_choice(run, exits[0], held, members)
    if not candidates:
        if exits:
            return left_in_choice(run, exits[0], held, members)
        item = held[first]
        assert item is not None
        return make(run, "guarded", None, item, item.mask, members & ~item.mask, held, first)
    _, lane, other, decision, item = min(candidates, key=lambda entry: (rank_first(entry[3]), entry[0], entry[1]))
    here = 0
    for one, kind in kinds.items():
        if kind == kinds[lane]:
            here |= 1 << one
    opposite = held[other]
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
            shape = "guarded"  # the counterpart comes under a further condition
            if opposite.node.decision.function != item.node.function:
                return None  # and asks elsewhere whether there is anything to wait for
    made = make(run, shape, decision, item, here, members & ~here, held, other)
    if made is not None and shape == "argument" and made.other is not None:
        theirs = dict(made.other.details)
        made.argument = next((name for name, value in made.event.details if theirs.get(name) != value), "arguments")
    return made


def guards_call_of(decision: Decision, item: Item) -> bool:
    """A function called by some ranks only has ways out of its own: the guard of the call is what parts the ranks."""
    assert isinstance(item.node, Choice)
    choice = leaving(item.node) or item.node
    return decision.kind == "branch" and decision.function != choice.decision.function


def number_of(event: Event) -> int:
    return event.group.number if event.group is not None else 0


def first_op(item: Item) -> str:
    found = locate(item)
    return found[0].op if found is not None else ""


def leaving(node: Choice, depth: int = 4) -> Choice | None:
    """The branch, this or one inside it, of which one side left."""
    if any(node.exits):
        return node
    if depth:
        for log in (node.then, node.other):
            for inner in log.nodes:
                found = leaving(inner, depth - 1) if isinstance(inner, Choice) else None
                if found is not None:
                    return found
    return None


def rank_first(decision: Decision) -> int:
    return 0 if decision.kind != "exit" else 1


def order(item: Item | None) -> tuple[int, int]:
    if item is None:
        return (1 << 30, 0)
    place = item.node.at if isinstance(item.node, Event | Call | Attempt) else item.node.decision.at
    return (place[0], place[1])


def left_in_choice(run: Run, item: Item, held: dict[int, Item | None], members: int) -> Divergence | None:
    """One side of a branch that only some lanes decide left; the others go on to the next call."""
    outer = item.node
    assert isinstance(outer, Choice)
    node = leaving(outer) or outer
    other = next((one for one in held.values() if one is not None and one is not item), None)
    staying = first_event(node.other if node.exits[0] else node.then, node.mask)
    found = None
    if other is not None:
        found = locate(other)
    if found is None and staying is not None:
        found = (staying[0], (*item.path, node, *staying[1]))
    if found is None:
        ahead = next_in_loop(item.path, members)
        found = (ahead[0], (*item.path, node, *ahead[1])) if ahead is not None else None
    if found is None:
        return None
    event, path = found
    return Divergence(
        "exit",
        node.decision,
        event,
        path,
        members & ~node.mask,
        node.mask & members,
        cause=cause_of(node, item.path),
        choice=node,
    )


def cause_of(node: LogNode, path: Path) -> Cause | None:
    if isinstance(node, Choice) and node.cause is not None:
        return node.cause
    return next((one.cause for one in chain(node, path) if one.cause is not None), None)


def locate(item: Item) -> tuple[Event, Path] | None:
    """The first communicating call of a pending thing."""
    node = item.node
    if isinstance(node, Event):
        return node, item.path
    logs = (node.body,) if isinstance(node, Loop) else (node.then, node.other) if isinstance(node, Choice) else ()
    for log in logs:
        found = first_event(log, item.mask)
        if found is not None:
            return found[0], (*item.path, node, *found[1])
    return None


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


def crossed(run: Run) -> Iterator[Divergence]:
    """Two ranks that meet in two groups must meet in the same order."""
    groups = block_communicators_of(run.log, run.world.full)
    if len(groups) < 2:
        return
    for lane in range(run.world.size):
        for other in range(lane + 1, run.world.size):
            shared = frozenset(members for members in groups if members >> lane & 1 and members >> other & 1)
            if len(shared) < 2:
                continue
            mine, theirs = key(run.log, lane, shared), key(run.log, other, shared)
            if mine == theirs:
                continue
            position = next((index for index, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a != b), None)
            if position is None or mine[position] not in theirs or theirs[position] not in mine:
                continue
            found = event_at(run.log, lane, shared, position)
            across = event_at(run.log, other, shared, position)
            if found is None or across is None:
                continue
            decision = next((one for one in chain(found[0], found[1]) if one.separates(lane, other)), None)
            yield Divergence(
                "order",
                decision,
                found[0],
                found[1],
                1 << lane,
                1 << other,
                across[0],
                across[1],
                decision.cause if decision else None,
            )
            return


def block_communicators_of(log: Log, full: int) -> list[int]:
    found: set[int] = set()
    for lane in lanes_in(full):
        collect(key(log, lane), found, full)
    return sorted(found)


def event_at(log: Log, lane: int, groups: frozenset[int], position: int) -> tuple[Event, Path] | None:
    """The event behind the n-th part of a lane's key."""
    count = 0

    def search(inner: Log, path: Path) -> tuple[Event, Path] | None:
        nonlocal count
        for node in inner.nodes:
            if not node.mask >> lane & 1:
                continue
            if isinstance(node, Event):
                if event_key(node, lane, groups) is not None:
                    if count == position:
                        return node, path
                    count += 1
            elif isinstance(node, Call):
                found = search(node.log, (*path, node))
                if found is not None:
                    return found
            else:
                single = Log()
                single.nodes = [node]
                parts = len(key(single, lane, groups))
                if count <= position < count + parts:
                    below = first_event(single, 1 << lane)
                    return (below[0], (*path, node, *below[1])) if below else None
                count += parts
        return None

    return search(log, ())


# --- lanes that may part ---------------------------------------------------------------------------------------


def undecided(run: Run) -> Iterator[Divergence]:
    """Branches, loops and attempts that each rank decides for itself, and arguments that differ."""
    seen: set[tuple[object, ...]] = set()
    origins: set[object] = set()
    for node, path in walk(run.log):
        if isinstance(node, Choice) and node.cause is not None:
            found = may_split(run, node, path)
        elif isinstance(node, Loop) and node.cause is not None:
            found = may_differ(run, node, path)
        elif isinstance(node, Attempt):
            found = next(
                (run_dry(one.ends, node, path) for one in node.handlers if one.ends and one.exit in LEAVES), None
            )
        elif isinstance(node, Event) and node.kind in COMMUNICATES:
            found = differing_argument(run, node, path)
        else:
            continue
        if found is None:
            continue
        if found.shape == "local" and found.cause is not None:
            origins.add(origin(found.cause))
        elif found.shape == "trip" and found.cause is not None and origin(found.cause) in origins:
            continue  # reported where the difference first decided something
        decided: Decision | Event = found.decision or found.event
        place = (found.shape, decided.path, *decided.at)
        if place not in seen:
            seen.add(place)
            yield found


def origin(cause: Cause) -> object:
    """Where a difference other than of data begins."""
    first = next(iter(cause.steps()), None)
    return (first.path, first.line, first.text) if first is not None and cause.kind != "data" else cause


def may_split(run: Run, node: Choice, path: Path) -> Divergence | None:
    if not talks(node.then, node.mask) and not talks(node.other, node.mask) and not in_talking_loop(path, node.mask):
        return None
    for lane in lanes_in(node.mask):
        then, other = key(node.then, lane), key(node.other, lane)
        if then == other:
            continue
        if strip_ends(then) == strip_ends(other) and not in_talking_loop(path, node.mask):
            continue
        return split_of(run, node, path)
    return None


def split_of(run: Run, node: Choice, path: Path) -> Divergence | None:
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


def next_in_loop(path: Path, mask: int) -> tuple[Event, tuple[Call, ...]] | None:
    for node in reversed(path):
        if isinstance(node, Loop):
            return first_event(node.body, mask)
        if isinstance(node, Call):
            return None
    return None


def may_differ(run: Run, node: Loop, path: Path) -> Divergence | None:
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
    if event.kind != "collective" or event.group is None:
        return None
    for tensor in tensors_of(event) if event.op in EQUAL_SHAPES else ():
        for fact, name in (("shape", "tensor shape"), ("dtype", "tensor type")):
            differs = tensor.facts.get(fact)
            if differs is not None:
                return Divergence("argument", None, event, path, event.mask, 0, cause=differs, argument=name)
    call = event.extra.get("call")
    for value in call.values if call is not None and event.op in EQUAL_SHAPES else ():
        if isinstance(value, Unknown) and value.cause is not None and value.symbol.key[0] in SIZE_ONLY:
            return Divergence("argument", None, event, path, event.mask, 0, cause=value.cause, argument="array shape")
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


def tensors_of(event: Event) -> Iterator[Object]:
    call = event.extra.get("call")
    for value in call.values if call is not None else ():
        if isinstance(value, Object) and value.kind == "torch.Tensor":
            yield value


EQUAL_SHAPES = frozenset(
    {"all_reduce", "reduce", "broadcast", "all_gather", "all_gather_into_tensor", "reduce_scatter", "gather"}
    | {"process_allgather", "broadcast_one_to_all"}
)


def disagrees(value: Value, event: Event) -> bool:
    """Does an argument that all ranks must agree on differ between lanes of one communicator?"""
    if isinstance(value, Row):
        assert event.group is not None
        for members in communicators(event.group, event.mask):
            held = [value.lanes[lane] for lane in lanes_in(members & event.mask)]
            if any(one != held[0] for one in held[1:]):
                return True
        return False
    return isinstance(value, Unknown) and value.cause is not None and value.cause.kind in ("rank", "local rank", "node")
