"""Is a place of the file system the same one for all ranks, where every rank has a machine of its own?

JAX runs one process on a host. `open("metrics.txt", "a")` is then a file of each host, and nobody is in anybody's way.
It takes something to show that a place is everybody's: what it is called, the store it is in, or a checkpoint that all
hosts write there together. That one host does most of the writing shows nothing: on disks of their own it would, too.
"""

from __future__ import annotations

from dtlint.machine.library.invocation import Invocation
from dtlint.machine.library.meeting.origins import spawns
from dtlint.machine.library.python import files, folders
from dtlint.machine.logs import Event
from dtlint.machine.run import Run
from dtlint.machine.values import lane_value
from dtlint.timeline.places.files import Access, overlap
from dtlint.timeline.records import recorded

PROCESSES = ("wrap", "prepare", "fully_shard", "boost", "fit")  # what starts several ranks on one machine


def of_each_host(run: Run, access: Access) -> bool:
    """Does every rank touch a file of its own machine here?"""
    if not one_a_host(run) or in_store(access):
        return False
    places = {access.places[lane] for lane in access.lanes()}
    return not any(folders.all_nodes(place) or shared(run, place) for place in places)


def one_a_host(run: Run) -> bool:
    """Are JAX's hosts all the ranks there are?"""
    known: bool | None = run.cache.get("one a host")
    if known is None:
        several = next(recorded(run, *PROCESSES), None) is not None or any(
            not told_of_hosts(run, event) for event, _ in recorded(run, "init")
        )
        known = bool(run.facts.get("jax hosts")) and not several and not spawns(run)
        run.cache["one a host"] = known
    return known


def told_of_hosts(run: Run, event: Event) -> bool:
    row = run.knowledge.api(event.api)
    return row is not None and bool(row.extra.get("hosts"))


def in_store(access: Access) -> bool:
    call = access.call
    return call is not None and bool(call.row.extra.get("store"))


def shared(run: Run, place: str) -> bool:
    """Is this beside or below what all hosts use together?"""
    folder = place.rpartition("/")[0]
    return any(overlap(place, other) or (folder and folder == other.rpartition("/")[0]) for other in of_all(run))


def of_all(run: Run) -> set[str]:
    known: set[str] | None = run.cache.get("places of all hosts")
    if known is None:
        known = set()
        for event, _ in recorded(run, "<collective>"):
            call = event.extra.get("call")
            for value in call.values if isinstance(call, Invocation) else ():
                known.add(files.place(lane_value(files.text_of(value), 0), 0))
        known.discard("")
        run.cache["places of all hosts"] = known
    return known
