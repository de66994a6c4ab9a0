"""What do ranks that come to write something find done already, so that they leave it?"""

from __future__ import annotations

from itertools import pairwise

from dtlint.ir.functions import functions_of
from dtlint.machine.logs import Attempt, Call, Choice, plain_question, questions_in, told
from dtlint.machine.run import Run
from dtlint.machine.values import Symbol
from dtlint.timeline.arrays.lives import NOTHING, Use, sides
from dtlint.timeline.places.files import Access, accesses, choices_of_files, overlap
from dtlint.timeline.ranks.arrivals import STARTS, first_start, moment
from dtlint.timeline.records import recorded


def found_done(run: Run, access: Access) -> bool:
    return (
        done_before_the_others(run, access)
        or prepared(run, access)
        or there_already(run, access)
        or done_by_the_first(run, access)
    )


def done_by_the_first(run: Run, access: Access) -> bool:
    """Have some ranks written the same place, and all have met since, where a question about that place decides
    whether it is written?"""
    if not where_there_is_none(run, access, of_its_place=True):
        return False
    return any(
        before.kind == access.kind
        and before.mask != access.mask
        and before.order < access.order
        and all(after(before, access, lane) for lane in access.lanes())
        and surely_before(run, before, access)
        and not deleted_between(run, before, access)
        for before in accesses(run)
    )


def after(before: Access, access: Access, lane: int) -> bool:
    """Has somebody done it at the place of this rank, and met with the others since?"""
    return any(
        before.places[other] == access.places[lane] and access.clocks[lane] > before.clocks[other]
        for other in before.lanes()
    )


def same_place(one: Access, access: Access) -> bool:
    return any(overlap(one.places[lane], access.places[lane]) for lane in access.lanes())


def done_before_the_others(run: Run, access: Access) -> bool:
    """A trainer starts the other processes of its node when it fits: the first one has been here alone by then, and
    where a file tells whether it is still to be done, or what fetches it looks for itself, they find it done."""
    if moment(run, access.event) >= first_start(run):
        return False
    if any(event.op != "fit" for event, _ in recorded(run, *STARTS, "<collective>") if event.op in STARTS):
        return False
    return looks_first(access) or where_there_is_none(run, access)


def looks_first(access: Access) -> bool:
    return access.call is not None and bool(access.call.row.extra.get("looks_first"))


def there_already(run: Run, access: Access) -> bool:
    """Has each of these ranks made a folder inside of this one before? Then it finds this one. Or this very folder,
    where it asks for that?"""
    if access.kind != "mkdir":
        return False
    asks, there = where_there_is_none(run, access, of_its_place=True), 0
    for before in accesses(run):
        if before.kind == "mkdir" and before.order < access.order and surely_before(run, before, access):
            found = asks and not deleted_between(run, before, access)
            there |= sum(
                1 << lane
                for lane in before.lanes()
                if (place := access.places[lane])
                and (before.places[lane].startswith(f"{place}/") or (found and before.places[lane] == place))
            )
    return access.mask & ~there == 0


def deleted_between(run: Run, before: Access, access: Access) -> bool:
    between = (one for one in accesses(run) if before.order < one.order < access.order)
    return any(one.kind == "file-delete" and same_place(one, access) for one in between)


def surely_before(run: Run, before: Access, access: Access) -> bool:
    """Is it done, or found done, wherever the other is?"""
    return not any(
        isinstance(node, Choice | Attempt)
        and all(node is not other for other in access.path)
        and not (isinstance(node, Choice) and asks_for_files(run, node))
        for node in before.path
    )


def asks_for_files(run: Run, choice: Choice) -> bool:
    """Also where one rank alone asks, whose answer parts nobody."""
    asked = plain_question(choice.symbol)[0]
    return asked is not None and any(is_of_files(run, part) for part in questions_in(asked))


def found_missing(run: Run, choice: Choice, then: bool) -> bool:
    """Is this side of the branch for what a question about files has not found?"""
    answers = told(choice.symbol, then)
    return any(answer is False and isinstance(what, Symbol) and is_of_files(run, what) for what, answer in answers)


def found_there(run: Run, change: Access) -> bool:
    """`if not exists(path): return` in front of a change of this place: what was found there, is there before it."""
    use = Use(NOTHING, change.event, change.path)
    taken = {(node.decision.path, node.decision.at[0]) for node, then in sides(use) if found(run, node, then)}
    return bool(taken) and any(
        ask.kind == "file-ask" and (ask.event.path, ask.event.at[0]) in taken and same_place(ask, change)
        for ask in accesses(run)
    )


def found(run: Run, choice: Choice, then: bool) -> bool:
    """Is this side of the branch for what a question about files has found?"""
    answers = told(choice.symbol, then)
    return any(answer is True and isinstance(what, Symbol) and is_of_files(run, what) for what, answer in answers)


def is_of_files(run: Run, question: Symbol) -> bool:
    """Does a call answer it that asks for a file?"""
    row = run.knowledge.api(str(question.key[1] if question.key[0] == "source" else question.key[0]))
    return row is not None and row.record == "file-ask"


PREPARES = "prepare_data"  # a trainer calls it in one process of each node, and lets the others wait


def prepared(run: Run, access: Access) -> bool:
    """Has `prepare_data` of the same class called the same before, so that here it is found done?"""
    calls = [node for node in access.path if isinstance(node, Call)]
    for hook, inner in pairwise(calls):
        owner, _, name = hook.function.rpartition(".")
        before = f"{owner}.{PREPARES}"
        if not owner or name == PREPARES:
            continue
        words = {inner.function.partition(".")[0], inner.function.rpartition(".")[2]} - {"__init__"}
        for function, _ in functions_of(run.project.module(hook.callee_path)):
            if function.qualname == before and not words.isdisjoint(function.tokens):
                return where_there_is_none(run, access)
    return False


def where_there_is_none(run: Run, access: Access, of_its_place: bool = False) -> bool:
    """Does a question about files decide whether it is done?"""
    return any(
        node is choice
        for ask in accesses(run)
        if ask.kind == "file-ask" and (not of_its_place or same_place(ask, access))
        for choice in choices_of_files(run, ask)
        for node in access.path
    )
