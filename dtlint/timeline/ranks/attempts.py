"""What does a rank do when it fails alone, while the others go on?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from dtlint.machine.control.consistent import NOTHING, Answers
from dtlint.machine.control.failures import MAKES, only, own_reads
from dtlint.machine.lanes import lanes_in
from dtlint.machine.library.meeting import evidence
from dtlint.machine.library.meeting.origins import SITES, spawns
from dtlint.machine.logs import (
    FAILS,
    NOTED,
    Attempt,
    Call,
    Choice,
    Decision,
    Event,
    HandlerLog,
    Log,
    LogNode,
    Loop,
    decisions,
    inner_logs,
    plain_question,
)
from dtlint.machine.run import Run
from dtlint.machine.spoken import first_event, first_in, key
from dtlint.machine.values import BY_SHARE, Cause, Object
from dtlint.machine.walks import walk
from dtlint.timeline.ranks.classify import RANK_KINDS
from dtlint.timeline.ranks.handing_out import handed_out
from dtlint.timeline.ranks.manager_orders import managed
from dtlint.timeline.ranks.parting import Divergence, Path, communicates_without_end, ends_with_a_turn, strip_ends
from dtlint.timeline.samples.called_again import in_a_loop
from dtlint.timeline.steps.kinds import KIND

SWALLOWS = ("", "continue", "break", "return")
LEAVES = ("continue", "break", "return")
UNLIKELY = frozenset({"ImportError", "ModuleNotFoundError", "KeyboardInterrupt", "BrokenPipeError"})


def failures(run: Run) -> list[Divergence]:
    found = run.cache.get("failures")
    if found is None:
        found = run.cache["failures"] = list(find(run))
    return found


def find(run: Run) -> Iterator[Divergence]:
    seen: set[tuple[object, ...]] = set()
    for node, path in run.walk():
        if not isinstance(node, Attempt) or starts_processes(run, node):
            continue
        for divergence in of_attempt(run, node, path):
            place = (divergence.shape, divergence.event.path, divergence.event.at, node.at)
            if place not in seen and not by_one_process(run, divergence.event) and not managed(divergence.event):
                seen.add(place)
                yield divergence


def starts_processes(run: Run, node: Attempt) -> bool:
    """`try: spawn(work, …)`: whoever handles what became of them is the process that has begun them, and no rank."""
    first, last = node.at[0], node.at[2]
    return any(path == node.path and first <= at[0] <= last for path, at in run.facts.get(SITES, ()))


def by_one_process(run: Run, event: Event) -> bool:
    """A checkpoint that is loaded or saved, or a metric that is counted, by a whole program that begins no group: it
    works for one process too."""
    starts = (node for node, _ in run.walk() if isinstance(node, Event) and node.op in evidence.STARTS)
    return (
        evidence.works_alone(run, event)
        and run.entry.kind == "script"
        and not spawns(run)
        and next(starts, None) is None
    )


def of_attempt(run: Run, node: Attempt, path: Path) -> Iterator[Divergence]:
    for handler in node.handlers:
        missing = left_alone(run, node, handler, path)
        if missing is not None:
            yield missing
            continue
        if handler.of_data and handler.exit in LEAVES and first_event(node.body, node.mask) is None:
            if handler.exit == "continue" and tried_again(node, path):
                continue
            skipped = skipped_event(node, handler.exit, path)
            if skipped is not None and first_event(handler.log, node.mask) is None:
                yield by_itself("swallowed", node, path, skipped, handler)
                continue
        if handler.shared and handler.ends is not None:
            yield from run_dry(run, node, handler, path)
        if handler.shared or raised_behind(run, node, handler, path):
            continue
        talking = first_event(handler.log, node.mask)
        if talking is not None and node.kind == "with" and not risky(node):
            continue
        if talking is not None and talking[0].op in MAKES:
            continue  # another way to make groups where one is not there: it is there on no rank
        if talking is not None and handed_out(node, handler):
            continue
        leaves = exits_of(handler)
        if talking is not None:
            other = (differs(node, handler) or reduces(node.body)) and not in_another_form(node, handler)
            if other and not awaited(run, node, path, talking[0]) and not made_behind(node, handler, path, talking[0]):
                yield by_itself("handler", node, path, talking, handler)
            leaves = quiet_exits(handler.log, node.mask)
        missed = first_of_any(node.body.nodes[handler.met :], node.mask)
        if missed is None or not (leaves & set(SWALLOWS)):
            continue
        alone = [one for one in handler.raised if of_some(one)]
        left = next((found for one in alone if (found := left_by(node, one)) is not None), None)
        waits_inside = any(holds_back(one) for one in node.body.nodes[handler.met :])
        if left is None and not goes_on(run, node, handler, path):
            continue
        if not waits_inside and agrees_after(node, path):
            continue
        missed = left or missed
        if alone:
            gone = alone[0].taken
            yield Divergence(
                "exit",
                alone[0],
                missed[0],
                (*path, node, *missed[1]),
                node.mask & ~gone,
                node.mask & gone,
                cause=alone[0].cause,
            )
            continue
        yield by_itself("swallowed", node, path, missed, handler)
    if node.final is not None and all(communicates_without_end(node.body, 1 << lane) for lane in lanes_in(node.mask)):
        talking = first_event(node.final, node.mask)
        if talking is not None and plain_call(talking[0]) and whole(talking, node) and risky(node):
            yield by_itself("handler", node, path, talking)


def run_dry(run: Run, node: Attempt, handler: HandlerLog, path: Path) -> Iterator[Divergence]:
    """`except StopIteration: barrier()`, where the iterator has run out on some ranks first."""
    talking = first_event(handler.log, node.mask)
    if talking is not None and differs(node, handler) and not awaited(run, node, path, talking[0]):
        yield by_itself("handler", node, path, talking, handler)


def left_alone(run: Run, node: Attempt, handler: HandlerLog, path: Path) -> Divergence | None:
    """`if rank == 0: try: … except OSError: return`: those who try leave when they fail, and the others, who do not,
    come to the next call and wait."""
    others = run.world.full & ~node.mask
    if not others or handler.exit not in (*LEAVES, "exit") or only(handler.types, UNLIKELY):
        return None
    if first_event(node.body, node.mask) is not None or first_event(handler.log, node.mask) is not None:
        return None
    if handler.exit == "continue" and ends_with_a_turn(path, node.path, node.function):
        return None
    guard = next((one for one in guards_of(node, path) if of_some(one) and one.taken & node.mask), None)
    skipped = skipped_event(node, handler.exit, path) if handler.exit in LEAVES else ahead(run, node, path)
    if guard is None or skipped is None or not skipped[0].mask & others or not skipped[0].mask & node.mask:
        return None
    if handler.exit == "continue" and made_in_a_later_turn(run, node, path, skipped[0], others):
        return None
    word, place = handler.exit, handler.exit_at
    leaving = Decision(
        "exit", node.path, handler.at, "except …", guard.cause, node.mask, run.world.full, node.function, place, word
    )
    calls = (*path, *skipped[1])
    return Divergence("exit", leaving, skipped[0], calls, skipped[0].mask & others, node.mask, cause=guard.cause)


def made_in_a_later_turn(run: Run, node: Attempt, path: Path, skipped: Event, others: int) -> bool:
    """The same of a loop of which each turn is told by itself: the very call comes again, and the others are gone."""
    for log in logs_of(path[-1]) if path else (run.log,):
        nodes = iter(log.nodes)
        if any(one is node for one in nodes):
            later = (
                inner
                for one in nodes
                for inner in (one, *(below for held in inner_logs(one) for below, _ in walk(held)))
            )
            return any(
                isinstance(one, Event) and (one.path, one.at) == (skipped.path, skipped.at) and not one.mask & others
                for one in later
            )
    return False


def raised_behind(run: Run, node: Attempt, handler: HandlerLog, path: Path) -> bool:
    """`except OSError: whole = False`, and then `assert whole`: who has come to the handler fails behind it."""
    if handler.exit or first_event(handler.log, node.mask) is not None:
        return False
    for log in logs_of(path[-1]) if path else (run.log,):
        nodes = iter(log.nodes)
        if any(one is node for one in nodes):
            following = next((one for one in nodes if not says_nothing(one)), None)
            return following is not None and asks_for(following, node.path, handler)
    return False


def says_nothing(node: LogNode) -> bool:
    return isinstance(node, Event) and node.kind == "record" and node.op != NOTED


def asks_for(node: LogNode, path: str, handler: HandlerLog) -> bool:
    """Is it asserted that this handler was not come to, or does who has come to it raise?"""
    why: Cause | None = None
    if isinstance(node, Event) and node.op == NOTED:
        why = node.extra["why"]
    elif isinstance(node, Choice) and FAILS.intersection(node.exits):
        why = node.cause
    start = next(iter(why.steps()), None) if why is not None else None
    return start is not None and (start.path, start.line) == (path, handler.at[0])


def guards_of(node: Attempt, path: Path) -> Iterator[Decision]:
    yield from decisions(node.guards)
    call = next((above for above in reversed(path) if isinstance(above, Call)), None)
    if call is not None:
        yield from decisions(call.guards)


def ahead(run: Run, node: Attempt, path: Path) -> tuple[Event, tuple[LogNode, ...]] | None:
    """The first call behind it, in whichever function."""
    below: LogNode = node
    for above in reversed(path):
        for log in logs_of(above):
            found = next_event(log, below, node.mask)
            if found is not None:
                return found
        below = above
    return next_event(run.log, below, node.mask)


def plain_call(event: Event) -> bool:
    """A collective by name, or one that is there to wait for the others, whichever framework offers it."""
    return not event.implicit or event.op == "barrier"


def tried_again(node: Attempt, path: Path) -> bool:
    """`while step < last: try: batch = next(batches) except OSError: continue`: the turn has just begun, nobody counts
    them, and a rank that could not read takes the next batch while the others wait for it."""
    around = path[-1] if path else None
    if not isinstance(around, Loop) or around.kind != "while" or not any(one is node for one in around.body.nodes):
        return False
    earlier = around.body.nodes[: next(index for index, one in enumerate(around.body.nodes) if one is node)]
    return first_of(earlier, node.mask) is None


def by_itself(
    shape: str, node: Attempt, path: Path, found: tuple[Event, tuple[LogNode, ...]], handler: HandlerLog | None = None
) -> Divergence:
    """One rank fails by itself: which one, nobody knows before."""
    event, calls = found
    where = (*path, node, *calls)
    cause = Cause("exception")
    return Divergence(shape, None, event, where, node.mask, node.mask, cause=cause, attempt=node, handler=handler)


def of_some(raised: Decision) -> bool:
    """Do some ranks raise it, and the others never?"""
    return raised.cause is not None and raised.cause.kind in RANK_KINDS and raised.taken != raised.before


def left_by(node: Attempt, raised: Decision) -> tuple[Event, tuple[LogNode, ...]] | None:
    """The next call of the body that those make who did not raise, in this turn of a loop or in the next one."""
    for choice, above in walk(node.body):
        decision = choice.decision if isinstance(choice, Choice) else None
        if decision is None or (decision.path, decision.exit_at) != (raised.path, raised.exit_at):
            continue
        below: LogNode = choice
        for around in (*reversed(above), node):
            for log in logs_of(around):
                found = next_event(log, below, node.mask & ~raised.taken)
                if found is None and isinstance(around, Loop):
                    found = first_event(log, node.mask & ~raised.taken)
                if found is not None:
                    return found
            below = around
    return None


def skipped_event(node: Attempt, word: str, path: Path) -> tuple[Event, tuple[LogNode, ...]] | None:
    """The first call of the others that a rank skips when it leaves the turn or the function from a handler."""
    below: LogNode = node
    for above in reversed(path):
        for log in logs_of(above):
            found = next_event(log, below, node.mask)
            if found is not None:
                return found
        if isinstance(above, Call) or (isinstance(above, Loop) and word == "continue"):
            return None
        if isinstance(above, Loop) and word == "break":
            return first_event(above.body, node.mask)
        below = above
    return None


def whole(talking: tuple[Event, tuple[LogNode, ...]], node: Attempt) -> bool:
    """Do all lanes of the attempt make this call? One that some make alone lets go those that wait in the body."""
    event, calls = talking
    return all(mask & node.mask == node.mask for mask in (event.mask, *(call.mask for call in calls)))


STEPS = frozenset({"forward", "backward", "optimizer_step", "pipeline_step"})


def risky(node: Attempt) -> bool:
    """Does the body do what one rank alone may fail at? A training step does, a raise that not all ranks take, or
    reading files of a rank's own."""
    if reads_on_the_way(node):
        return True
    for inner, _ in walk(node.body):
        if isinstance(inner, Event) and inner.implicit and inner.op in STEPS:
            return True
        if isinstance(inner, Choice) and "raise" in inner.exits and inner.cause is not None:
            return True
    return False


def reads_on_the_way(node: Attempt) -> bool:
    """Does each rank read files of its own, of which one may be broken, before it comes to a call of the body?"""
    way_out = len(node.handlers[0].log.nodes) if node.kind == "with" else 0  # what stands last in the body, too
    nodes = node.body.nodes[: len(node.body.nodes) - way_out]
    reads = next(own_reads(node.body, BY_SHARE), None)
    return reads in nodes and first_of(nodes[nodes.index(reads) :], node.mask) is not None


def differs(node: Attempt, handler: HandlerLog) -> bool:
    """Does the handler make other calls than the body?"""
    return any(strip_ends(key(handler.log, lane)) != strip_ends(key(node.body, lane)) for lane in lanes_in(node.mask))


def in_another_form(node: Attempt, handler: HandlerLog) -> bool:
    """`try: loss.backward()` and nothing else, `except: loss.mean().backward()`: a form that does not work works on no
    rank."""
    both = [[one for one in log.nodes if first_in(one, node.mask) is not None] for log in (node.body, handler.log)]
    (one,), (other,) = both if all(len(found) == 1 for found in both) else ((None,), (None,))
    return isinstance(one, Event) and isinstance(other, Event) and one.op == other.op == "backward"


def reduces(body: Log) -> bool:
    """Gradients are reduced in pieces: a rank that fails in the middle and starts anew repeats some of them."""
    return any(isinstance(inner, Event) and inner.implicit and inner.op == "backward" for inner, _ in walk(body))


def quiet_exits(log: Log, mask: int) -> set[str]:
    """How a rank may leave the handler by an explicit `continue` and the like without having talked to anybody."""
    found: set[str] = set()
    for node in log.nodes:
        if isinstance(node, Choice):
            for side, word in zip((node.then, node.other), node.exits, strict=True):
                found |= quiet_exits(side, mask)
                if word and first_event(side, mask) is None:
                    found.add(word)
        if first_in(node, mask) is not None:
            break
    return found


def exits_of(handler: HandlerLog) -> set[str]:
    """Every way out of a handler: a branch inside may re-raise while the other goes on."""
    words = {handler.exit}
    for node in handler.log.nodes:
        if isinstance(node, Choice):
            words |= set(choice_exits(node))
    return words


def choice_exits(node: Choice) -> Iterator[str]:
    yield from (word for word in node.exits if word)
    for side in (node.then, node.other):
        for inner in side.nodes:
            if isinstance(inner, Choice):
                yield from choice_exits(inner)


def goes_on(run: Run, node: Attempt, handler: HandlerLog, path: Path) -> bool:
    """Does a rank that swallowed its failure meet the others again?"""
    below: LogNode = node
    back = {"", "continue"}  # the ways back to the loop around it
    for above in reversed(path):
        if isinstance(above, Call):
            back = {"", "return"}
        if isinstance(above, Loop) and communicates_without_end(above.body, node.mask):
            if exits_of(handler) & back:
                return True
        if any(next_event(log, below, node.mask) is not None for log in logs_of(above)):
            return True
        below = above
    return bool(exits_of(handler) & {"", "return"}) and (node.again or in_a_loop(run))


def awaited(run: Run, node: Attempt, path: Path, event: Event) -> bool:
    """`if rank == 0: try: … except: barrier(); raise`, where the others wait in it already."""
    others = run.world.full & ~node.mask
    below: LogNode = node
    for above in (*reversed(path), None) if others else ():
        for log in logs_of(above) if above is not None else (run.log,):
            found = next_event(log, below, others)
            if found is not None:
                return found[0].op == event.op and found[0].mask & others == others
        below = above or below
    return False


def logs_of(node: object) -> tuple[Log, ...]:
    if isinstance(node, Call):
        return (node.log,)
    if isinstance(node, Choice):
        return (node.then, node.other)
    if isinstance(node, Loop):
        return (node.body,)
    return (node.body,) if isinstance(node, Attempt) else ()


def next_event(log: Log, below: LogNode, mask: int) -> tuple[Event, tuple[LogNode, ...]] | None:
    """The first call behind a node of a log."""
    nodes = iter(log.nodes)
    return first_of(nodes, mask) if any(node is below for node in nodes) else None


def first_of(nodes: Iterable[LogNode], mask: int, known: Answers = NOTHING) -> tuple[Event, tuple[LogNode, ...]] | None:
    return next((found for node in nodes if (found := first_in(node, mask, known)) is not None), None)


def first_of_any(nodes: list[LogNode], mask: int) -> tuple[Event, tuple[LogNode, ...]] | None:
    """The first call that is made whatever kind of thing is handed on: `if torch.is_tensor(value): value =
    gather(value)` says nothing where numbers are logged."""
    known: Answers = NOTHING
    while (found := first_of(nodes, mask, known)) is not None:
        above = (*found[1], found[0])
        asked = [(one, below) for one, below in pairwise(above) if isinstance(one, Choice) and of_one_kind(one)]
        if not asked:
            return found
        others = {(one.symbol, int(below not in one.then.nodes)) for one, below in asked}
        if others <= known:
            break
        known |= others
    return None


def of_one_kind(choice: Choice) -> bool:
    asked, _ = plain_question(choice.symbol)
    return asked is not None and asked.key[0] == KIND


AGREEMENTS = frozenset(
    {"all_reduce", "all_gather_object", "all_gather", "broadcast_object_list", "broadcast", "reduce"}
)


def holds_back(node: LogNode) -> bool:
    """Do the others wait in here for a rank that has failed? What is said behind the body then meets what they say in
    it. The forward of a replica says nothing but its buffers."""
    below = [node, *(inner for log in inner_logs(node) for inner, _ in walk(log))]
    return any(
        isinstance(one, Event)
        and one.kind == "collective"
        and not (one.op == "forward" and isinstance(one.subject, Object) and not one.subject.facts.get("sharded"))
        for one in below
    )


def made_behind(node: Attempt, handler: HandlerLog, path: Path, talking: Event) -> bool:
    """`except RuntimeError: return self.step(sample, again=True)`: a rank that has failed makes the very call that the
    others come to behind the body, in which nobody waits for it."""
    if "return" not in exits_of(handler) or any(holds_back(one) for one in node.body.nodes):
        return False
    below: LogNode = node
    for above in reversed(path):
        for log in logs_of(above):
            following = next_event(log, below, node.mask)
            if following is not None:
                return (following[0].path, following[0].at) == (talking.path, talking.at)
        if isinstance(above, Call | Loop):
            return False
        below = above
    return False


def agrees_after(node: Attempt, path: Path) -> bool:
    """The ranks tell each other about the failure before anybody acts on it: a small explicit exchange follows."""
    below: LogNode = node
    for above in reversed(path):
        for log in logs_of(above):
            following = next_event(log, below, node.mask)
            if following is not None:
                return not following[0].implicit and following[0].op in AGREEMENTS
        if isinstance(above, Loop):
            return False
        below = above
    return False
