"""What does a log say to the other ranks, lane by lane? Two lanes agree where their keys are equal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dtlint.machine.contents import ranges
from dtlint.machine.control.consistent import NOTHING, Answers, agrees
from dtlint.machine.logs import FAILS, Attempt, Call, Choice, Event, Log, LogNode, Loop, plain_question
from dtlint.machine.starts.given import settled
from dtlint.machine.values import Const, External, lane_value

COMMUNICATES = ("collective", "p2p")


def key(log: Log, lane: int, group: Any = None) -> tuple[Any, ...]:
    """What this log communicates for one lane; `group` (a member mask) restricts it to one communicator."""
    index = (lane, group)
    found = log.keys.get(index)
    if found is None:
        ends = any(isinstance(node, Event | Choice | Attempt) for node in log.nodes)  # of a loop's turn, maybe
        if not log.talking_lanes >> lane & 1 and not ends:
            found = log.keys[index] = ()
            return found
        parts: list[Any] = []
        for node in log.nodes:
            if node.mask >> lane & 1:
                add_key(node, lane, group, parts)
        found = log.keys[index] = tuple(parts)
    return found


def add_key(node: LogNode, lane: int, group: Any, parts: list[Any]) -> None:
    if isinstance(node, Event):
        item = event_key(node, lane, group)
        if item is not None:
            parts.append(item)
    elif isinstance(node, Call):
        parts.extend(key(node.log, lane, group))
    elif isinstance(node, Choice):
        then, other = key(node.then, lane, group), key(node.other, lane, group)
        question = question_of(node)
        if node.known is not None:
            parts.extend(then if node.known else other)
        elif not FAILS.isdisjoint(node.exits):
            # an error ends the job: the lanes that are left go on the other way
            parts.extend(other if node.exits[0] in FAILS else then)
        elif then == other or (perhaps(then, question) and other in ((), perhaps(then))):
            parts.extend(then)
        elif perhaps(other, question) and then in ((), perhaps(other)):
            parts.extend(other)
        else:
            parts.append(choice_key(node, then, other))
    elif isinstance(node, Loop):
        body = key(node.body, lane, group) if node.body.talking_lanes >> lane & 1 else ()
        if any(item[0] != "end" for item in body):
            trip = node.trip
            turns = None
            if trip is not None and node.cause is not None:
                held = trip.lanes[lane] if hasattr(trip, "lanes") else trip
                turns = getattr(held, "value", None)
            parts.append(("loop", turns, body))
    else:
        parts.extend(key(node.body, lane, group))
        if node.final is not None:
            parts.extend(key(node.final, lane, group))


def choice_key(node: Choice, then: tuple[Any, ...], other: tuple[Any, ...]) -> tuple[Any, ...]:
    """Two questions under different names may be one and the same, unless both ask for what the program was given."""
    question = question_of(node)
    if question is None:
        return ("choice", then, other, None) if then else ("choice", other, then, None)
    given = plain_question(node.symbol)[1]
    return ("choice", then, other, question) if given else ("choice", other, then, question)


def question_of(node: Choice) -> object:
    """What is asked for, where it is known; of one thing compared with a number, how it is compared."""
    asked = plain_question(node.symbol)[0]
    if asked is None or not answered_alike(node):
        return None
    if settled(asked):
        return asked
    found = ranges.compared(asked)
    return found[1:] if found is not None else None


def answered_alike(node: Choice) -> bool:
    """Do all ranks have the same answer? All see the same files as a rule."""
    return node.cause is None or node.cause.kind == "files"


def perhaps(parts: tuple[Any, ...], further: object = None) -> tuple[Any, ...]:
    """What is said or not, where that is all there is: asking twice whether to say it is asking once, unless it is
    known what is asked for both times."""
    if len(parts) != 1 or parts[0][0] != "choice":
        return ()
    _, then, other, question = parts[0]
    said: tuple[Any, ...] = then or other
    return said if not (then and other) and ("end",) not in said and None in (question, further) else ()


def event_key(event: Event, lane: int, group: Any) -> tuple[Any, ...] | None:
    if event.kind == "end":
        return ("end",)
    if event.kind != "collective" or event.group is None:
        return None
    members = event.group.members[lane]
    if not members or (group is not None and members != group and not (type(group) is frozenset and members in group)):
        return None
    number = event.group.number
    if number:
        return (event.op, members, ("group", number), *spoken_arguments(event, lane))
    return (event.op, members, *spoken_arguments(event, lane))


def spoken_arguments(event: Event, lane: int) -> tuple[Any, ...]:
    """The known arguments that all ranks must agree on; defaults are written out so that leaving one out is no
    difference."""
    found = []
    for name, value in event.details:
        held = lane_value(value, lane)
        if isinstance(held, Const):
            found.append((name, held.value))
        elif isinstance(held, External):
            found.append((name, held.name.rpartition(".")[2]))
    return tuple(found)


def talks(log: Log, mask: int) -> bool:
    """Does any lane of `mask` communicate here? Ends of loop turns do not count."""
    return log.talking_lanes & mask != 0 if log.nodes else False


def first_event(log: Log, mask: int, known: Answers = NOTHING) -> tuple[Event, tuple[LogNode, ...]] | None:
    """The first communicating event some lane of `mask` reaches, with the nodes above it; where answers are known,
    one on a side that agrees with them."""
    if not talks(log, mask):
        return None
    for node in log.nodes:
        if not node.mask & mask:
            continue
        found = first_in(node, mask, known)
        if found:
            return found
    return None


def first_in(node: LogNode, mask: int, known: Answers = NOTHING) -> tuple[Event, tuple[LogNode, ...]] | None:
    if isinstance(node, Event):
        group = node.group if node.kind == "collective" else None
        if group is not None and any(
            group.members[lane] for lane in range(mask.bit_length()) if node.mask & mask & 1 << lane
        ):
            return node, ()
        return None
    for log in first_logs(node, known):
        found = first_event(log, mask, known)
        if found is not None:
            return found[0], (node, *found[1])
    return None


def first_logs(node: Call | Choice | Loop | Attempt, known: Answers) -> Iterator[Log]:
    """The logs inside a node that nothing has to fail for."""
    if isinstance(node, Call):
        yield node.log
    elif isinstance(node, Choice):
        yield from (log for log, side in ((node.then, True), (node.other, False)) if agrees(node, side, known))
    else:
        yield node.body
        if isinstance(node, Attempt) and node.final is not None:
            yield node.final
