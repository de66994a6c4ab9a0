"""Which two ranks come to one place in an order that nobody decides?

One of them changes something (writes, makes, deletes), the other one reads it, asks for it or fills it, and no meeting
of the ranks lies between: `Race.kind` says which of these it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from dtlint.machine.lanes import lanes_in
from dtlint.machine.logs import Call, Choice, key
from dtlint.machine.run import Run
from dtlint.timeline.files import ARRIVAL, READS, WRITES, Access, accesses, choices_of_files, overlap, same_node

READ, FILLED, ASKED, TAKEN = "read", "filled", "asked", "taken"
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
    found = accesses(run)
    changes = [one for one in found if one.kind in WRITES or one.kind == ARRIVAL]
    changes = [one for one in changes if one.kind != "mkdir" or one.mask != run.world.full]
    for other in found:
        if other.kind in READS:
            yield from read_early(run, changes, other)
            yield from taken_away(run, changes, other)
        elif other.kind in FILLS:
            yield from filled(run, changes, other)
        elif other.kind == "file-ask":
            yield from asked(run, changes, other)


def read_early(run: Run, changes: list[Access], read: Access) -> Iterator[Race]:
    """A lane reads where another has written, and nothing puts the two in order."""
    for change in reversed(changes):
        if change.order > read.order:
            continue
        met = (pair for pair in pairs(run, change, read) if not in_new_folder(change, read, *pair))
        late = [pair for pair in met if not_after(change, read, *pair)]
        if any(not brought_itself(changes, read, reader) for _, reader in late):
            yield Race(READ, change, read)
            return


def in_new_folder(change: Access, read: Access, lane: int, late: int) -> bool:
    """A new folder is empty: what is read in it, somebody else has put there."""
    return change.kind == "mkdir" and read.places[late].startswith(f"{change.places[lane]}/")


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
            if inside(use, change, pair[1], pair[0]) and not_after(change, use, *pair):
                yield Race(FILLED, change, use)
                return


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
    for choice in choices_of_files(run, ask):
        for change in changes:
            if change.kind not in answers(ask) or not soon_after(change, ask):
                continue
            late = [
                other
                for lane, other in pairs(run, change, ask)
                if change.places[lane] == ask.places[other] and not_before(change, ask, lane, other)
            ]
            if any(parts_at(choice, lane) for lane in late):
                yield Race(ASKED, change, ask, choice)
                return


def answers(ask: Access) -> frozenset[str]:
    """What changes the answer: a file does not make a folder of its place."""
    of_folders = ask.event.api.rpartition(".")[2] in ("isdir", "is_dir")
    return FOLDERS if of_folders else FILLS


def parts_at(choice: Choice, lane: int) -> bool:
    """Does it matter for the others which way this lane goes?"""
    if not choice.mask >> lane & 1:
        return False
    return bool({"raise", "exit"} & set(choice.exits)) or key(choice.then, lane) != key(choice.other, lane)


def soon_after(change: Access, other: Access) -> bool:
    """In the function that comes to the place first, or below it: further on, calls that nobody follows may meet."""
    function = other.event.function
    below = (node.caller for node in change.path if isinstance(node, Call))
    return change.order > other.order and (change.event.function == function or function in below)


# --- two lanes -------------------------------------------------------------------------------------------------


def pairs(run: Run, change: Access, other: Access) -> Iterator[tuple[int, int]]:
    """Lanes that change a place, each with a lane that only comes to see it."""
    for late in lanes_in(other.mask & ~change.mask):
        for lane in change.lanes():
            if overlap(change.places[lane], other.places[late]) and (
                not change.own >> lane & 1 or same_node(run, late, lane)
            ):
                yield lane, late


def not_after(change: Access, other: Access, lane: int, late: int) -> bool:
    """Has nobody met since the change? A lane that has met anybody tried to: who did not come is another question."""
    return max(other.clocks[late], other.clocks[lane]) <= change.clocks[lane]


def not_before(change: Access, other: Access, lane: int, late: int) -> bool:
    """Has nobody met between the other one's coming and the change?"""
    return max(change.clocks[lane], change.clocks[late]) <= other.clocks[late]


def inside(one: Access, folder: Access, lane: int, owner: int) -> bool:
    """Is this the place itself, or below it?"""
    where, root = one.places[lane], folder.places[owner]
    return where == root or where.startswith(f"{root}/")
