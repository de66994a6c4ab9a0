"""Which lanes part for certain?

The log is walked in program order. A call that all members of its group make is complete. One that only some of them
make is *pending*: others may make the same call on another path (the second half of a two-sided barrier). When a
complete call of the group comes while something is pending, or the scope ends, the ranks have parted, and the decision
that separates a rank that made the call from one that did not is the place to report.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.control.consistent import Answers
from dtlint.machine.lanes import lanes_in, lowest
from dtlint.machine.logs import EXITS, FAILS, Attempt, Call, Choice, Decision, Event, Log, LogNode, Loop, inner_logs
from dtlint.machine.run import Run
from dtlint.machine.spoken import choice_key, event_key, key, talks
from dtlint.timeline.ranks.assuming import Assuming, Case, Collect, answered, forked
from dtlint.timeline.ranks.difference import comes_to, first_difference, left_at, left_by, loops_apart
from dtlint.timeline.ranks.matching import unmatched
from dtlint.timeline.ranks.obeying import follows_orders, is_taking_orders
from dtlint.timeline.ranks.parting import (
    Divergence,
    Fork,
    Item,
    Path,
    Pending,
    behind,
    block_communicators,
    chain,
    communicates_without_end,
    communicators,
    in_talking_loop,
    leaving,
    locate,
    part_of_turn,
    strip_ends,
)
from dtlint.timeline.steps.plain_models import plain_model

ENDS = EXITS | FAILS
TURNS = frozenset({"", "break", "continue"})  # what they leave out stands on the other side of their branch


ASKED = "asked who parts"  # of a run: how often something was pending where nothing should have been
QUIET = "parts nobody"  # of a run: logs that part nobody and leave nothing pending, with the groups that meet there


def scan(run: Run, log: Log, path: Path, pending: Pending, lanes: int) -> Iterator[Divergence]:
    """Logs share what follows a branch: one that has parted nobody is not gone through again on another way to it."""
    if not talks(log, lanes) and not in_talking_loop(path, lanes):
        return
    if any(pending.values()):
        yield from go_through(run, log, path, pending, lanes)
        return
    quiet: dict[tuple[int, ...], tuple[Log, Pending]] = run.cache.setdefault(QUIET, {})
    index = id(log), lanes, *turn_to(path)
    if index in quiet:
        own = quiet[index][1]
    else:
        own = {}
        asked, told = run.cache.get(ASKED, 0), False
        for one in go_through(run, log, path, own, lanes):
            told = True
            yield one
        if not told and not any(own.values()) and run.cache.get(ASKED, 0) == asked:
            quiet[index] = log, own
    for members, items in own.items():
        pending.setdefault(members, []).extend(items)


def turn_to(path: Path) -> Iterator[int]:
    """The nodes from the innermost loop down to here: what stands before it in the turn counts."""
    for number in reversed(range(len(path))):
        if isinstance(path[number], Loop):
            yield from map(id, path[number:])
        if isinstance(path[number], Loop | Call):
            return


def go_through(run: Run, log: Log, path: Path, pending: Pending, lanes: int) -> Iterator[Divergence]:
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
            for handler in node.handlers if mask == run.world.full and node.kind == "try" else ():
                own: Pending = {}
                yield from scan(run, handler.log, (*path, node), own, mask)
                yield from flush(run, own)  # who has failed, one or all, are not answered by those who have not
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
        if present == members and not may_pair(event, pending[members]):
            yield from report(run, pending, members, (event, path))
            continue
        item.whole = present == members
        add(pending, members, item)
        if agreed(pending[members], members):
            found = unmatched(pending[members], members)
            if found is not None:
                yield found
        settle(pending, members)


def may_pair(event: Event, items: list[Item]) -> bool:
    """A barrier of all while some wait in a barrier of the same group: theirs meets this one, and if the others come to
    one more later, as often as these have waited, nobody is left behind."""
    if event.op != "barrier":
        return False
    forks = [side for item in items if isinstance(item, Fork) for side in item.sides]
    calls = [item.node for item in items if not isinstance(item, Fork)]
    return all(isinstance(one, Event) and one.op == "barrier" for one in calls) and all(
        may_pair(event, side) for side in forks
    )


def add(pending: Pending, members: int, item: Item) -> None:
    pending.setdefault(members, []).append(item)


def settle(pending: Pending, members: int) -> None:
    """Forget what is pending once every member has made the same calls. Who has left is not to be forgotten."""
    if agreed(pending.get(members, []), members):
        ways_out = (item for item in pending.get(members, []) if isinstance(item.node, Choice) and any(item.node.exits))
        pending[members] = [Item(item.node, item.path, item.mask) for item in ways_out]


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
    full = run.world.full
    if not talks_inside(node, mask) and not in_talking_loop(path, mask):
        if mask != full and isinstance(node, Choice) and not TURNS.issuperset(node.exits):
            add(pending, full, Item(node, path, mask))  # says nothing, and may be why these lanes never come
        return
    inner = (*path, node)
    if isinstance(node, Choice) and node.known is not None:
        yield from scan(run, node.then if node.known else node.other, inner, pending, mask)
        return
    if mask == full or (not any(pending.values()) and covers(run, node, mask) and not part_of_turn(path, mask)):
        if isinstance(node, Loop):
            if any(pending.values()) and communicates_without_end(node.body, mask):
                for members in list(pending):
                    yield from report(run, pending, members)
            own: Pending = {}
            yield from scan(run, node.body, inner, own, mask)
            yield from flush(run, own)
            return
        assert isinstance(node, Choice)
        ends: list[Pending] = []
        for answer in (True, False):
            own = {members: assumed(run, members, items, answered(node, answer)) for members, items in pending.items()}
            yield from scan(run, node.then if answer else node.other, inner, own, mask)
            ends.append(own)
        pending.clear()
        left, right = ends
        if node.exits[0] != node.exits[1] and ENDS.intersection(node.exits):
            # The side that raises or ends the program has left for good; what is pending there nobody can complete.
            left = right = right if node.exits[0] in ENDS else left
        for members in {*left, *right}:
            pending[members] = forked(node, path, left.get(members, []), right.get(members, []))
            settle(pending, members)
        return
    if isinstance(node, Choice) and begins_anew(node, path, mask):
        yield from scan(run, node.other if node.exits[0] else node.then, inner, pending, mask)
        return
    groups = block_communicators(node, mask, full)
    if in_talking_loop(path, mask) and full not in groups:
        groups.append(full)
    for members in groups:
        said = {lane: tuple(says(node, lane, members, path, mask)) for lane in lanes_in(mask & members)}
        for position in range(max(map(len, said.values()), default=0)):
            keys = {lane: parts[position] for lane, parts in said.items() if position < len(parts)}
            add(pending, members, Item(node, path, mask & members, keys))
            settle(pending, members)


def talks_inside(node: Choice | Loop, mask: int) -> bool:
    if isinstance(node, Choice):
        return talks(node.then, mask) or talks(node.other, mask)
    return talks(node.body, mask)


def says(node: Choice | Loop, lane: int, members: int, path: Path, mask: int) -> Iterator[object]:
    """What a loop or branch says for one lane: as one thing, unless both sides of the branch say the same."""
    if isinstance(node, Loop):
        yield from looped(key(node.body, lane, members))
        return
    then, otherwise = key(node.then, lane, members), key(node.other, lane, members)
    left = leaving(node)
    if then == otherwise and left is not None and "raise" in left.exits:
        if then:
            yield "both", then
    elif then == otherwise:
        for part in then:
            if part[0] == "loop":
                yield from looped(part[2])
            else:
                yield part
    elif strip_ends(then) != strip_ends(otherwise) or in_talking_loop(path, mask):
        yield choice_key(node, then, otherwise)


def looped(turn: tuple[Any, ...]) -> Iterator[object]:
    body = tuple(part for part in turn if part != ("end",))
    if body:
        yield "loop", body


def begins_anew(node: Choice, path: Path, mask: int) -> bool:
    """`continue` in an endless loop, before anything is said in this turn: these ranks come to the call of the others
    one turn later."""
    if node.exits not in (("continue", ""), ("", "continue")):
        return False
    loop = next((one for one in reversed(path) if isinstance(one, Loop | Call)), None)
    if not isinstance(loop, Loop) or not loop.decision.endless:
        return False
    above = {id(one) for one in path}
    log = loop.body
    while True:
        for inner in log.nodes:
            if inner is node:
                return not talks(node.then if node.exits[0] else node.other, mask)
            if id(inner) in above:
                break
            if is_talk(inner, mask):
                return False
        else:
            return False
        log = next((side for side in inner_logs(inner) if holds(side, node, above)), log)
        if log is loop.body:
            return False


def is_talk(node: LogNode, mask: int) -> bool:
    only = Log()
    only.nodes.append(node)
    return talks(only, mask)


def holds(log: Log, node: LogNode, above: set[int]) -> bool:
    return any(one is node or id(one) in above for one in log.nodes)


def covers(run: Run, node: Choice | Loop, mask: int) -> bool:
    """Do these lanes contain every group that talks inside?"""
    return all(members & ~mask == 0 for members in block_communicators(node, mask, run.world.full))


def flush(run: Run, pending: Pending) -> Iterator[Divergence]:
    for members in list(pending):
        yield from report(run, pending, members)


def report(run: Run, pending: Pending, members: int, between: tuple[Event, Path] | None = None) -> Iterator[Divergence]:
    """Name the decisions behind what is pending, one after the other, until the rest agrees."""
    items = pending.get(members, [])
    pending[members] = []
    if items:
        run.cache[ASKED] = run.cache.get(ASKED, 0) + 1
    if any(map(takes_part_as_told, items)):
        return
    assuming = Assuming(collector(run), members)
    cases = list(assuming.cases(Case(items)))
    apart = [case for case in cases if not agreed(case.items, members) and not any(map(takes_part_as_told, case.items))]

    def told(case: Case) -> list[Divergence]:
        return [one for one in explained(run, assuming, case, between) if not plain_model(run, one)]

    for case in apart:
        found = [] if leaves(case) else told(case)
        if found:
            yield from (one for one in found if not is_second_half(run, one, members))
            yield from left_besides(cases, members)
            return
    known: set[Decision] = set()  # ways out that have been told
    for case in apart:
        if leaves(case) and not (known and len(case.turned) > 1):
            found = told(case)
            left = {one.choice.decision for one in found if one.choice is not None}
            if not known or left - known:
                yield from (one for one in found if not is_second_half(run, one, members))
            known |= left
            if found and not known:
                yield from left_besides(cases, members)
                return


def takes_part_as_told(item: Item) -> bool:
    """A loop that ends when its ranks are told to, or one side of a branch that is nothing else: the others tell them
    what to call next."""
    if isinstance(item, Fork):
        return any(side and all(map(takes_part_as_told, side)) for side in item.sides)
    if isinstance(item.node, Choice):
        return any(map(is_taking_orders, (item.node.then, item.node.other)))
    return isinstance(item.node, Loop) and follows_orders(item.node)


def leaves(case: Case) -> bool:
    """Does somebody take a way out that is not to be expected?"""
    return any(any(node.exits) for node in case.turned)


def explained(
    run: Run, assuming: Assuming, case: Case, between: tuple[Event, Path] | None, depth: int = 3
) -> Iterator[Divergence]:
    whole = next((position for position, item in enumerate(case.items) if item.whole), None)
    if whole is not None:
        # the barrier of all was waited for in vain: without it, what came before and after
        of_all, after = case.items[whole], [item for item in case.items[whole:] if not item.whole]
        meeting = (of_all.node, of_all.path) if isinstance(of_all.node, Event) else between
        for items, then in ((case.items[:whole], meeting), (after, between)):
            if not agreed(items, assuming.members):
                yield from explained(run, assuming, Case(items, case.turned, case.answers), then, depth)
        return
    loops = loops_apart(case.items, assuming.members)
    if loops and depth:
        for inner in assuming.cases(assuming.one_turn(case, loops)):
            if not agreed(inner.items, assuming.members):
                yield from explained(run, assuming, inner, between, depth - 1)
                return
        return
    for _ in range(12):
        found = first_difference(case, assuming.members) if case.items else None
        if found is None:
            return
        divergence, position = found
        divergence.between, divergence.answers = between, case.answers
        yield divergence
        case = Case(unexplained(case.items, divergence, assuming.members, position), case.turned, case.answers)


def left_besides(cases: list[Case], members: int) -> Iterator[Divergence]:
    """The ranks part for another reason, and some of them may leave before a call that they share with the others."""
    told: set[Decision | None] = set()
    for case in cases:
        node = case.turned[0] if len(case.turned) == 1 else None
        gone = next((item for item in case.items if item.node is node and not item.keys), None)
        if gone is None or node is None:
            continue
        others = members & ~left_by(node, case.items)
        guard = next((one for one in chain(node, gone.path) if one.taken & gone.mask and others & ~one.taken), None)
        missed = [item for item in cases[0].items if item.mask & gone.mask and is_below(node, item)]
        for item in case.items if others and guard not in told else ():
            lane, found = lowest(item.mask & others), locate(item)
            if found and lane in item.keys and comes_to(missed, lowest(gone.mask), item, item.keys[lane]):
                told.add(guard)
                yield left_at(gone, found, members)
                break


def is_below(node: Choice, item: Item) -> bool:
    return any(isinstance(above, Choice) and above.decision is node.decision for above in item.path)


def assumed(run: Run, members: int, items: list[Item], answers: Answers) -> list[Item]:
    return list(Assuming(collector(run), members).resolved(items, answers))


def collector(run: Run) -> Collect:
    def collect(log: Log, path: Path, pending: Pending, lanes: int) -> None:
        for _ in scan(run, log, path, pending, lanes):
            pass  # what parts a smaller group in there is told where it is come to

    return collect


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
        copied = [widened_item(item, decision.before) for item in mine if item.mask & side and item.keys]
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
