"""What do the notes of the ranks say about a finding: gradients, variables, handles, what was left behind?

Confirms or leaves open: that a run shows nothing of it does not refute any of these. Only the standard library.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from dtlint.findings import Finding, Verdict
from dtlint.trace import locate
from dtlint.trace.comparing import Places, places_of
from dtlint.trace.model import Result

FEWEST = 2  # one time may be the last window of an epoch
NO_SUCH_DEVICE = "invalid device ordinal"
NOT_THERE = ("FileNotFoundError", "EOFError", "NotADirectoryError")
FEWEST_RELATIVES = 5  # names of one family, in a library that reads some
COMMUNICATORS = ("NCCL_", "TORCH_NCCL_")  # read when a communicator is made

Question = Callable[[Places, Result], str]


def verdict(finding: Finding, path: str, result: Result) -> Verdict:
    """Judge the plain run of a script by its notes."""
    if not reached_by(finding, path, result):
        return _not_reached(result)
    if text := NOTED[finding.code](places_of(finding, path), result):
        return Verdict("confirmed", text, "run")
    return _open()


def verdict_of_devices(finding: Finding, path: str, result: Result) -> Verdict:
    """Judge a run on two hosts: a rank of the second one asks for a GPU that only the first would have numbered so."""
    ranks = reached_by(finding, path, result)
    if not ranks:
        return _not_reached(result)
    for end in result.ends:
        if end.how == "exception" and NO_SUCH_DEVICE in end.text and end.rank in ranks:
            text = f"on two hosts with two GPUs each, rank {end.rank} fails at line {end.place.line}: {end.text}"
            return Verdict("confirmed", text[:300], "run")
    return _open()


def verdict_of_slowness(finding: Finding, path: str, slowed: Result) -> Verdict:
    """Judge a run in which whoever writes is slow: the others come before the file is there."""
    if not reached_by(finding, path, slowed):
        return _not_reached(slowed)
    places = places_of(finding, path)
    for end in slowed.ends:
        frames = {place.real for place in end.stack}
        if end.how == "exception" and end.text.startswith(NOT_THERE) and frames & places:
            text = f"where the rank that writes is slow, rank {end.rank} fails here: {end.text.splitlines()[0]}"
            return Verdict("confirmed", text[:300], "run")
    return _open()


def reached_by(finding: Finding, path: str, result: Result) -> set[int]:
    """The ranks that came to the finding's statement."""
    first, last = locate.span_of(path, finding.span.line)
    covered = result.covered.get(path, {})
    return {rank for number in range(first, last + 1) for rank in covered.get(number, ())}


def _not_reached(result: Result) -> Verdict:
    if result.outcome.kind == "inconclusive" and result.outcome.reason != "nothing-communicated":
        return Verdict("inconclusive", f"{result.outcome.reason}: {result.outcome.sentence}"[:300], "run")
    return Verdict("not-reached", "the run ended without executing this line", "run")


def _open() -> Verdict:
    return Verdict("inconclusive", "the line ran and its harm was not seen, which a tiny run does not rule out", "run")


def _notes(kind: str, result: Result) -> list[Mapping[str, Any]]:
    facts = [fact for fact in result.facts if fact.get("kind") == kind and "rank" in fact]
    return sorted(facts, key=lambda fact: int(fact["rank"]))


def _here(items: Any, places: Places) -> Iterator[Mapping[str, Any]]:
    return (item for item in items if (os.path.realpath(str(item["path"])), int(item["line"])) in places)


def _too_late(places: Places, result: Result) -> str:
    for note in _notes("environ", result):
        for item in _here(note["late"], places):
            if item["name"].startswith(COMMUNICATORS):
                return f"rank {note['rank']} had communicated before it set {item['name']}"
    return ""


def _cleared(places: Places, result: Result) -> str:
    for note in _notes("windows", result):
        for item in _here(note["thrown"], places):
            if item["count"] >= FEWEST and note["steps"]:
                times = f"{item['count']} times, beside {note['steps']} optimizer steps"
                return f"gradients were cleared here before any step had used them, {times}"
    return ""


def _undivided(places: Places, result: Result) -> str:
    for note in _notes("windows", result):
        passes = {(item["path"], item["line"]): item["count"] for item in _here(note["reductions"], places)}
        for item in _here(note["mean_losses"], places):
            count = min(item["count"], passes.get((item["path"], item["line"]), item["count"]))
            if note["steps"] and count >= FEWEST * note["steps"]:
                times = f"{item['count']} times for {note['steps']} optimizer steps"
                return f"the mean loss of a batch went backward here as it was, {times}"
    return ""


def _accumulated(places: Places, result: Result) -> str:
    return _cleared(places, result) or _undivided(places, result)


def _reduced_often(places: Places, result: Result) -> str:
    for note in _notes("windows", result):
        for item in _here(note["reductions"], places):
            if note["steps"] and item["count"] >= FEWEST * note["steps"]:
                return f"gradients were reduced here {item['count']} times for {note['steps']} optimizer steps"
    return ""


def _no_gradient(_: Places, result: Result) -> str:
    """DDP's own words: it names parameters, not the module that was left out."""
    for note in _notes("windows", result):
        if note["unreduced"]:
            return f"DDP on rank {note['rank']} waited for the gradients of parameters {note['unreduced']} and stopped"
    return ""


def _in_place_on_parameter(places: Places, result: Result) -> str:
    for note in _notes("parameters", result):
        if any(_here(note["given"], places)):
            return f"rank {note['rank']} handed over a tensor that requires grad, with gradients switched on"
    return ""


def _never_destroyed(_: Places, result: Result) -> str:
    finished = {end.rank for end in result.ends if end.how == "finished"}
    ranks = [note["rank"] for note in _notes("left", result) if note["group"] and note["rank"] in finished]
    return f"rank {ranks[0]} ended with its process group still there" if ranks else ""


def _never_waited(places: Places, result: Result) -> str:
    for note in _notes("left", result):
        lost = [result.find(int(note["rank"]), int(number)) for number in note["unwaited"]]
        count = sum(event is not None and any(place.real in places for place in event.stack) for event in lost)
        if count:
            return f"rank {note['rank']} never waited for {count} of the calls made here"
    return ""


def _outlived(_: Places, result: Result) -> str:
    failed = {end.rank for end in result.ends if end.how == "exception"}
    for note in _notes("left", result):
        if note["rank"] in failed and note["threads"]:
            return f"rank {note['rank']} had failed, and its thread {note['threads'][0]} ran on"
    return ""


def _loaded_elsewhere(places: Places, result: Result) -> str:
    """Each rank names its GPU; the file knows the one of whoever saved it."""
    notes = _notes("devices", result)
    for note in notes:
        for item in _here(note["loaded"], places):
            for other in notes:
                there = other["saved"].get(item["file"], item["device"])
                if there != item["device"]:
                    name = os.path.basename(item["file"])
                    who = f"rank {note['rank']}, which works on cuda:{item['device']}"
                    return f"{who}, loads {name} onto cuda:{there}, where rank {other['rank']} saved it"
    return ""


def _did_nothing(places: Places, result: Result) -> str:
    for note in _notes("unchanged", result):
        if any(_here([note], places)) and note["ran"] and not note["changed"]:
            what = f"{note['gradients']} parameters kept their gradients" if note["gradients"] else "nothing changed"
            return f"{what} here on rank {note['rank']}, {note['ran']} times"
    return ""


def _unread(places: Places, result: Result) -> str:
    """Not found is worth something only where others of its kind are."""
    for note in _notes("variables", result):
        for item in _here(note["unread"], places):
            if not item["known"] and len(item["relatives"]) >= FEWEST_RELATIVES:
                others = f"while {item['relatives'][0]} and others are there"
                return f"none of the {note['files']} libraries and modules loaded here has {item['name']}, {others}"
    return ""


def _never_asked(places: Places, result: Result) -> str:
    for note in _notes("commits", result):
        for item in _here(note["unasked"], places):
            if any(_here([{"path": item["reduced"][0], "line": item["reduced"][1]}], places)):
                where = f"line {item['reduced'][1]}"
                return f"rank {note['rank']} stepped here on what its manager reduced in {where}, and never asked it"
    return ""


def _forked(places: Places, result: Result) -> str:
    for note in _notes("forks", result):
        for item in _here(note["forks"], places):
            return f"the process was forked here with {item['runtime']} started and {item['threads']} threads running"
    return ""


def _called_by_all(places: Places, result: Result) -> str:
    """Only stand-ins tell who called them."""
    callers: dict[str, set[int]] = {}
    for note in _notes("calls", result):
        for item in _here(note["calls"], places):
            callers.setdefault(str(item["name"]), set()).add(int(note["rank"]))
    for name, ranks in sorted(callers.items()):
        if len(ranks) == result.ranks > 1:
            return f"each of the {len(ranks)} ranks calls {name} here"
    return ""


def verdict_of_refusal(finding: Finding, path: str, refused: Result) -> Verdict:
    """Judge a run in which the managers do not commit a step: does it leave the parameters alone?"""
    notes = [note for note in _notes("commits", refused) if note["refused"]]
    for note in notes:
        if note["written"]:
            where = f"{os.path.basename(note['written'][0])}:{note['written'][1]}"
            text = f"`should_commit()` said no, and rank {note['rank']} wrote to its parameters at {where} all the same"
            return Verdict("confirmed", text, "run")
    if not notes:
        return _not_reached(refused)
    return Verdict("inconclusive", "`should_commit()` said no, and no parameter was written before the return", "run")


NOTED: dict[str, Question] = {
    "DT115": _never_waited,
    "DT504": _no_gradient,
    "DT506": _reduced_often,
    "DT507": _accumulated,
    "DT510": _loaded_elsewhere,
    "DT511": _did_nothing,
    "DT512": _in_place_on_parameter,
    "DT516": _never_destroyed,
    "DT601": _forked,
    "DT604": _too_late,
    "DT605": _unread,
    "DT703": _called_by_all,
    "DT804": _never_asked,
    "DT805": _outlived,
}
