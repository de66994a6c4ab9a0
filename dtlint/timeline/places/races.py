"""Which two ranks come to one place in an order that nobody decides?

One of them changes something (writes, makes, deletes), the other one reads it, asks for it or fills it, and no meeting
of the ranks lies between: `Race.kind` says which of these it is.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from dtlint.machine.library.computing.provenance import marks, symbols_in
from dtlint.machine.library.python import files
from dtlint.machine.logs import EXITS, Attempt, Call, Choice, Event, Loop, plain_question, questions_in
from dtlint.machine.run import Run
from dtlint.machine.spoken import key, talks
from dtlint.machine.starts.entries import MADE
from dtlint.machine.values import Const, Unknown
from dtlint.timeline.places.files import ARRIVAL, READS, WRITES, Access, accesses, choices_of_files, same_node
from dtlint.timeline.places.found_done import found_there
from dtlint.timeline.places.two_lanes import inside, not_after, not_before, only_one, pairs, side_by_side, spots
from dtlint.timeline.places.writers import failure_caught
from dtlint.timeline.ranks.parting import strip_ends

READ, FILLED, ASKED, TAKEN, ENTERED, GATHERED = "read", "filled", "asked", "taken", "entered", "gathered"
GOING = frozenset({"file-delete", "file-rename"})
FILLS = frozenset({"file-write", "mkdir", "download", "unpack"})
FOLDERS = frozenset({"mkdir", "unpack"})
BRINGS = frozenset({"file-write", "download", "unpack", ARRIVAL})
CONTENT = frozenset({"file-read", "load"})


@dataclass(frozen=True, slots=True)
class Race:
    """`change` is what some ranks do, `other` what the rest does to it; `choice`: where the answer parts them."""

    kind: str
    change: Access
    other: Access
    choice: Choice | None = None


def races(run: Run) -> Iterator[Race]:
    """Each change once: where it meets others several times, one meeting of the ranks puts all of them in order."""
    told: set[object] = set()
    for race in met_early(run):
        change = race.change.event
        if (race.kind, change.path, change.at) not in told:
            told.add((race.kind, change.path, change.at))
            yield race


def met_early(run: Run) -> Iterator[Race]:
    found = accesses(run)
    changes = [one for one in found if one.kind in WRITES or one.kind == ARRIVAL]
    makers: dict[object, int] = {}  # of a folder, by its line: past a way out for some, the others come there apart
    for one in changes:
        if one.kind == "mkdir":
            place = one.event.path, one.event.at
            makers[place] = makers.get(place, 0) | one.mask
    changes = [one for one in changes if makers.get((one.event.path, one.event.at)) != run.world.full]
    for other in found:
        if other.kind in READS:
            yield from read_early(run, found, changes, other)
            yield from taken_away(run, changes, other)
            yield from gathered(run, found, other)
        elif other.kind in FILLS:
            yield from filled(run, changes, other)
            yield from entered(run, changes, found, other)
        elif other.kind == "file-ask":
            yield from asked(run, changes, other)


def read_early(run: Run, found: list[Access], changes: list[Access], read: Access) -> Iterator[Race]:
    """A lane reads where another has written, and nothing puts the two in order."""
    if read.kind in CONTENT and failure_caught(read):
        return  # who finds half a file makes do without
    if read.kind == "listing" and swept(found, read):
        return
    for change in reversed(changes):
        if change.order > read.order:
            continue
        if read.kind == "listing" and swept_by_its_writer(found, change, read):
            continue
        met = [pair for pair in pairs(run, change, read) if not in_new_folder(change, read, *pair)]
        late = [pair for pair in met if not_after(change, read, *pair) and not was_there(changes, change, read, *pair)]
        late = [pair for pair in late if not side_by_side(change, read, *pair)]
        if of_other_nodes(run, late) and not of_other_nodes(run, met):
            continue  # the first of each node goes before the others there, as is right on one node
        if read.kind == "listing" and all(
            beside(change, read, *pair) or not meant(run, change, read, *pair) for pair in late
        ):
            continue
        if looked_for(run, read) and not any(meant(run, change, read, *pair) for pair in late):
            continue
        if change.kind == "mkdir":
            late = [pair for pair in late if not stood_in_it(found, change, read, *pair)]
            late = [] if read.kind == "listing" and read_whatever_is_there(found, read) else late
        if any(not brought_itself(changes, read, reader) for _, reader in late):
            yield Race(READ, change, read)
            return


def read_whatever_is_there(found: list[Access], listing: Access) -> bool:
    """`last = sorted(os.listdir(folder))[-1]`, and it is loaded without another question: who wants what was left by a
    run before is told of a folder that was there before."""
    asked = {id(node) for node in listing.path if isinstance(node, Choice)}
    return any(
        one.kind in CONTENT
        and one.order > listing.order
        and asked.issuperset(id(node) for node in one.path if isinstance(node, Choice))
        and all(inside(one, listing, lane, lane) for lane in listing.lanes())
        for one in found
    )


def swept(found: list[Access], read: Access) -> bool:
    """Who lists a folder here deletes what is in it: that all of them do is the mistake, and told as such."""
    return any(
        one.kind == "file-delete" and one.event.function == read.event.function and one.mask == read.mask
        for one in found
        if one.order > read.order
        and all(inside(one, read, lane, lane) or one.places[lane].startswith("<") for lane in read.lanes())
    )


def swept_by_its_writer(found: list[Access], change: Access, read: Access) -> bool:
    """All list what some of them then delete, those who write there: the others do nothing with what they find."""
    later = [one for one in found if soon_after(one, read)]
    return any(one.kind == "file-delete" and not one.mask & ~change.mask for one in later) and not any(
        one.mask & ~change.mask and one.kind in CONTENT for one in later
    )


def of_other_nodes(run: Run, late: list[tuple[int, int]]) -> bool:
    return not any(same_node(run, *pair) for pair in late)


def stood_in_it(found: list[Access], made: Access, read: Access, maker: int, late: int) -> bool:
    """Has the late lane made the folder itself, or written a file into it before?"""
    if made_itself(found, made, read, maker, late):
        return True
    earlier = (one for one in found if one.kind == "file-write" and one.order < read.order and one.mask >> late & 1)
    return any(inside(one, read, late, late) for one in earlier)


def in_new_folder(change: Access, read: Access, lane: int, late: int) -> bool:
    """A new folder is empty: what is read in it, somebody else has put there. A checkpoint is more than a folder."""
    if change.kind != "mkdir":
        return False
    return any(
        where.startswith(f"{made}/") or (read.kind in CONTENT and where == made)
        for made, where in spots(change, read, lane, late)
    )


def was_there(changes: list[Access], change: Access, read: Access, lane: int, late: int) -> bool:
    """A folder that was made before, and then the ranks have met."""
    return change.kind == "mkdir" and any(
        one.kind == "mkdir" and one.order < change.order and one.places[lane] == change.places[lane]
        for one in changes
        if one.mask >> lane & 1 and not not_after(one, read, lane, late)
    )


def beside(change: Access, read: Access, lane: int, late: int) -> bool:
    """A file with a fixed name in the folder that is listed: who looks for names there looks for others."""
    where, folder = change.places[lane], read.places[late]
    return change.kind == "file-write" and where.startswith(f"{folder}/") and "<" not in where[len(folder) :]


def meant(run: Run, change: Access, listing: Access, lane: int, late: int) -> bool:
    """Can the pattern that is looked for fit the file that is written into the folder? `step_*.pt` has nothing to do
    with `words-<language>.txt`, whatever the language is: the two begin otherwise, or end otherwise."""
    folder, name = posixpath.split(change.places[lane])
    below, pattern = posixpath.split(pattern_of(run, listing, listing.places[late]))
    if change.kind != "file-write" or folder != below:
        return True
    written, asked = FREE.split(name), FREE.split(pattern)
    ends = (written[0], asked[0]), (written[-1][::-1], asked[-1][::-1])
    if asked[0] == asked[-1] == "" and not all(any(word in part for part in written) for word in asked):
        return False  # `*checkpoint*`: no part that is written down has the word
    return all(one.startswith(other) or other.startswith(one) for one, other in ends)


def brought_itself(changes: list[Access], read: Access, lane: int) -> bool:
    """Has this lane put there itself what it reads now?"""
    return any(
        one.kind in BRINGS and one.mask >> lane & 1 and one.order < read.order and inside(read, one, lane, lane)
        for one in changes
    )


def filled(run: Run, changes: list[Access], use: Access) -> Iterator[Race]:
    """Some ranks delete a folder while others already make it anew or write into it."""
    for change in reversed(changes):
        if change.kind != "file-delete" or change.order > use.order:
            continue
        for pair in pairs(run, change, use):
            if use.kind == "mkdir" and use.mask >> pair[0] & 1:
                continue  # who deletes it makes it again, too: it is there when the ranks have met
            if inside(use, change, pair[1], pair[0]) and not_after(change, use, *pair):
                yield Race(FILLED, change, use)
                return


def entered(run: Run, changes: list[Access], found: list[Access], use: Access) -> Iterator[Race]:
    """Some ranks make a folder, others write into it with a call that needs it to be there."""
    call = use.call
    if use.kind != "file-write" or call is None or not call.row.extra.get("into_folder") or tried_again(use):
        return
    for change in reversed(changes):
        if change.kind != "mkdir" or change.order > use.order:
            continue
        if constructed(run, change) and not constructed(run, use):
            continue
        for lane, late in pairs(run, change, use):
            below = use.places[late].startswith(f"{change.places[lane]}/")
            if below and not_after(change, use, lane, late) and not made_itself(found, change, use, lane, late):
                yield Race(ENTERED, change, use)
                return


def tried_again(use: Access) -> bool:
    """`for attempt in range(3): try: save() … except OSError: sleep(30)`: who comes too early comes once more."""
    outer = next((number for number, node in enumerate(use.path) if isinstance(node, Loop)), len(use.path))
    return failure_caught(use) and any(isinstance(node, Attempt) for node in use.path[outer:])


def constructed(run: Run, access: Access) -> bool:
    """Is it done by the constructor of something whose method is run for itself? What its maker does before the method
    is called, nobody has seen."""
    made = run.log.nodes[: run.facts.get(MADE, 0)]
    return any(node is (*access.path, access.event)[0] for node in made)


def made_itself(found: list[Access], made: Access, use: Access, maker: int, late: int) -> bool:
    """Has the late lane made this folder, or one below it? One above may be there without it."""
    return any(
        one.kind in FOLDERS
        and one.mask >> late & 1
        and one.order < use.order
        and inside(use, one, late, late)
        and (one.kind == "unpack" or inside(one, made, late, maker))
        for one in found
    )


def gathered(run: Run, found: list[Access], read: Access) -> Iterator[Race]:
    """Every rank writes a part of its own, and some rank goes through the parts of all."""
    if read.mask == run.world.full or (read.kind == "listing" and not goes_through(found, read)):
        return
    for change in reversed(found):
        if change.kind not in BRINGS or change.order > read.order or not parted(change):
            continue
        if only_one(change, read) or listed_until_there(change, read):
            continue
        for late in read.lanes():
            for lane in change.lanes():
                if lane == late or change.places[lane] == change.places[late]:
                    continue
                if names(run, read, late, change.places[lane]) and not_after(change, read, lane, late):
                    yield Race(GATHERED, change, read)
                    return


def listed_until_there(change: Access, read: Access) -> bool:
    """`while waited() < limit: parts = list(folder.glob("rank_*"))`, begun after this rank has written its own part"""
    around = (node for node in read.path if isinstance(node, Loop) and node.kind == "while")
    return read.kind == "listing" and any(not any(node is one for one in change.path) for node in around)


def parted(change: Access) -> bool:
    """Does every lane write at a place of its own?"""
    places = [change.places[lane] for lane in change.lanes()]
    return len(places) > 1 and len(set(places)) == len(places)


def names(run: Run, read: Access, late: int, place: str) -> bool:
    """Does this read or listing concern the place? A number in a name may be any rank's."""
    where = read.places[late]
    if read.kind == "listing":
        return fnmatchcase(place, pattern_of(run, read, where))
    if where == place:
        return True
    unsaid = [part for part in PLACEHOLDER.findall(where) if part not in place]
    if len(unsaid) != 1:
        return False
    before, after = where.split(unsaid[0], 1)
    return re.fullmatch(f"{re.escape(before)}\\d+{re.escape(after)}", place) is not None


PLACEHOLDER = re.compile(r"<[^<>]*>")
ALL = "*"
FREE = re.compile(r"<[^<>]*>|[*?]|\[[^]]*\]")


def pattern_of(run: Run, listing: Access, where: str) -> str:
    """`glob(pattern)`, `path.glob(pattern)`, `os.listdir(folder)` as one pattern, or the one a library has."""
    if ALL in where:
        return where
    if pattern := looked_for(run, listing):
        return posixpath.join(where, pattern)
    call = listing.call
    asked = call.arguments[0] if call is not None and call.receiver is not None and call.arguments else None
    below = asked.value if isinstance(asked, Const) and isinstance(asked.value, str) else ALL
    return posixpath.join(where, below)


def looked_for(run: Run, read: Access) -> str:
    """The pattern of the names that a call which is told a folder reads there, and of no others; or the one that the
    program holds the names to which it is given."""
    held_to = run.facts.get(files.LOOKED_FOR, {}).get((read.event.path, read.event.at), ())
    known = str(read.call.row.extra.get("looks_for", "")) if read.call is not None else ""
    return next(iter(held_to)) if len(held_to) == 1 and not known else known


def goes_through(found: list[Access], listing: Access) -> bool:
    """Is what the listing names read afterwards, and not deleted?"""
    named = [one for one in found if one.order > listing.order and listed_by(listing, one)]
    return any(one.kind in CONTENT for one in named) and not any(one.kind in GOING for one in named)


def listed_by(listing: Access, other: Access) -> bool:
    value = other.value
    if not isinstance(value, Unknown):
        return False
    if any(mark[1:3] == (listing.event.path, listing.event.at) for mark in marks(value, "order")):
        return True
    return any(symbol.key[0] == listing.event.api for symbol in symbols_in(value.symbol))


def taken_away(run: Run, changes: list[Access], read: Access) -> Iterator[Race]:
    """Some ranks delete or rename what others may still be reading."""
    for change in changes:
        if change.kind not in GOING or read.kind not in CONTENT or not soon_after(change, read):
            continue
        for pair in pairs(run, change, read):
            if inside(read, change, pair[1], pair[0]) and not_before(change, read, *pair):
                yield Race(TAKEN, change, read)
                return


def asked(run: Run, changes: list[Access], ask: Access) -> Iterator[Race]:
    """All ranks ask whether a file is there, one of them makes it, and the slow ones get another answer."""
    choices = choices_of_files(run, ask)
    makers = [change for change in changes if choices and may_answer(change, ask)]
    for choice in choices:
        for change in makers:
            if asks_what_is_in(run, choice, change):
                continue
            late = [
                other
                for lane, other in pairs(run, change, ask)
                if change.places[lane] == ask.places[other]
                and change.clocks[lane] <= ask.clocks[other]  # who waits for the change already, has asked before
                and not_after(change, ask, lane, other)  # they may have waited for it on a way of their own
            ]
            if any(parts_at(choice, lane) for lane in late) and not found_there(run, change):
                yield Race(ASKED, change, ask, choice)
                return


def may_answer(change: Access, ask: Access) -> bool:
    """Is this made soon after the question, at its place, by some who are not all that ask?"""
    elsewhere = not ask.mask & ~change.mask or set(ask.places).isdisjoint(change.places)
    return not elsewhere and change.kind in answers(ask) and soon_after(change, ask)


def asks_what_is_in(run: Run, choice: Choice, change: Access) -> bool:
    """`if exists(folder) and listdir(folder)`: a folder that has just been made has nothing in it."""
    asked = plain_question(choice.symbol)[0]
    if change.kind != "mkdir" or asked is None or asked.key[0] != "and":
        return False
    rows = (run.knowledge.api(str(part.key[0])) for part in questions_in(asked))
    return any(row is not None and row.record == "listing" for row in rows)


def answers(ask: Access) -> frozenset[str]:
    """What changes the answer: a file does not make a folder of its place, nor a folder a file."""
    name = ask.event.api.rpartition(".")[2]
    if name in ("isfile", "is_file"):
        return FILLS - FOLDERS
    return FOLDERS if name in ("isdir", "is_dir") else FILLS


def parts_at(choice: Choice, lane: int) -> bool:
    """Does it matter for the others which way this lane goes?"""
    if not choice.mask >> lane & 1:
        return False
    if {"raise", *EXITS} & set(choice.exits):
        return True
    then, other = key(choice.then, lane), key(choice.other, lane)
    return strip_ends(then) != strip_ends(other) or (then != other and ends_talk(choice))


def ends_talk(choice: Choice) -> bool:
    """Is a turn cut short of a loop in which the ranks talk?"""
    ends = (node for log in (choice.then, choice.other) for node in log.nodes if isinstance(node, Event))
    return any(node.loop is not None and talks(node.loop.body, node.loop.mask) for node in ends if node.kind == "end")


def soon_after(change: Access, other: Access) -> bool:
    """In the function that comes to the place first, or below it: further on, calls that nobody follows may meet."""
    if change.order <= other.order:
        return False
    function = other.event.function
    return change.event.function == function or any(
        isinstance(node, Call) and node.caller == function for node in change.path
    )
