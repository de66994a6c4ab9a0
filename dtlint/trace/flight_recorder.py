"""What did the ranks of a real job do before it hung? PyTorch's flight-recorder dumps and watchdog logs as a result.

A dump is a pickle or JSON. Unpickling runs code by design, so the unpickler here knows no class and no function:
lists, dictionaries, text and numbers are all that a true dump holds.
"""

from __future__ import annotations

import ast
import io
import json
import pickle
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from dtlint.trace.agreement import rank_words
from dtlint.trace.model import Event, Outcome, Place, Result

LARGEST_DUMP = 512 * 1024 * 1024
INSTALLED = ("site-packages", "dist-packages", "/lib/python3", "<frozen", "<string>", "/torch/")
RANK_IN_NAME = re.compile(r"(\d+)(?:\.(?:json|pickle|pkl|bin|dump|txt|log))*$")
NANO = 1e9
# a watchdog line: which rank, which call of its group, which kind, how big
WATCHDOG = re.compile(
    r"Rank (?P<rank>\d+)\].*?timeout: Work\w*\(SeqNum=(?P<number>\d+), OpType=(?P<operation>\w+)"
    r"(?:, NumelIn=(?P<numel>\d+))?"
)
LAST_WORK = re.compile(
    r"Rank (?P<rank>\d+)\].*?last enqueued(?: NCCL)? work: (?P<made>\d+), last completed(?: NCCL)? work: (?P<done>\d+)"
)
PYTHON_NAMES = {
    "ALLREDUCE": "all_reduce",
    "BROADCAST": "broadcast",
    "ALLGATHER": "all_gather",
    "_ALLGATHER_BASE": "all_gather_into_tensor",
    "REDUCE": "reduce",
    "REDUCE_SCATTER": "reduce_scatter",
    "_REDUCE_SCATTER_BASE": "reduce_scatter_tensor",
    "ALLTOALL": "all_to_all",
    "ALLTOALL_BASE": "all_to_all_single",
    "GATHER": "gather",
    "SCATTER": "scatter",
    "BARRIER": "barrier",
    "SEND": "send",
    "RECV": "recv",
}


class NotADump(ValueError):
    """The file is not what it should be: one line that says why."""


class Restricted(pickle.Unpickler):
    """Plain data only."""

    def find_class(self, module: str, name: str) -> Any:
        raise NotADump(f"it wants to load {module}.{name}: no flight recorder writes that, and nothing of it was run")

    def persistent_load(self, pid: Any) -> Any:
        raise NotADump("it refers to objects outside itself")


def load(path: Path) -> dict[str, Any] | str:
    """A dump as plain data, or the text of a log."""
    try:
        if path.stat().st_size > LARGEST_DUMP:
            raise NotADump(f"{path}: larger than {LARGEST_DUMP // 1024**2} MiB")
        data = path.read_bytes()
    except OSError as error:
        raise NotADump(f"{path}: {error.strerror or error}") from None
    try:
        if data[:1] == b"\x80":
            content = Restricted(io.BytesIO(data)).load()
        elif data.lstrip()[:1] == b"{":
            content = json.loads(data)
        else:
            return data.decode("utf-8", "replace")
    except NotADump as error:
        raise NotADump(f"{path}: {error}") from None
    except Exception as error:
        raise NotADump(f"{path}: not a flight-recorder dump ({type(error).__name__}: {error})") from None
    if not isinstance(content, dict) or not isinstance(content.get("entries"), list):
        raise NotADump(f"{path}: no flight-recorder dump, it has no `entries`")
    return content


def rank_of(path: Path, content: dict[str, Any], taken: set[int]) -> int:
    """The rank is in the name of the file; a dump does not say it."""
    if isinstance(content.get("rank"), int):
        return int(content["rank"])
    match = RANK_IN_NAME.search(path.name)
    rank = int(match.group(1)) if match else -1
    return rank if rank >= 0 and rank not in taken else next(n for n in range(len(taken) + 1) if n not in taken)


def place_of(entry: dict[str, Any]) -> tuple[Place, tuple[Place, ...]]:
    """The user's frames; in a dump the innermost comes first."""
    frames = [frame for frame in entry.get("frames") or () if isinstance(frame, dict)]
    places = [
        Place(str(frame.get("filename", "")), int(frame.get("line") or 0), str(frame.get("name", "")))
        for frame in frames
    ]
    own = [place for place in places if not any(part in place.path for part in INSTALLED)] or places[:1]
    return (own[0] if own else Place("", 0)), tuple(reversed(own))


def _members(content: dict[str, Any], group: str, ranks: Sequence[int]) -> tuple[int, ...]:
    config = content.get("pg_config") or {}
    value = (config.get(group) or config.get(f"({group})") or {}).get("ranks", "")
    if isinstance(value, str) and value.startswith("["):
        try:
            value = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            value = ()
    listed = tuple(int(rank) for rank in value) if isinstance(value, (list, tuple)) else ()
    return listed if len(listed) > 1 else tuple(ranks)


def _event(rank: int, number: int, entry: dict[str, Any], members: tuple[int, ...], begin: float) -> Event:
    operation = str(entry.get("profiling_name", "unknown")).rpartition(":")[2].strip("_")
    place, stack = place_of(entry)
    sizes, types = entry.get("input_sizes") or [], entry.get("input_dtypes") or []
    detail = ", ".join(f"{kind}{size}" for kind, size in zip(types, sizes))
    over = entry.get("state") == "completed" or bool(entry.get("retired"))
    created = float(entry.get("time_created_ns") or 0) / NANO - begin
    finished = entry.get("time_discovered_completed_ns") or 0
    group = entry.get("process_group") or ("0", "")
    return Event(
        rank,
        number,
        operation.split(" ")[0],
        str(group[0]),
        members,
        0 if entry.get("is_p2p") else int(entry.get("collective_seq_id") or 0),
        detail,
        place,
        stack,
        max(0.0, created),
        (float(finished) / NANO - begin if finished else created) if over else None,
        "done" if over else "waiting",
    )


def from_dumps(contents: dict[int, dict[str, Any]]) -> Result:
    """All ranks' dumps as one result, with the first place where they part."""
    result = Result("flight recorder", max(contents, default=0) + 1, "flight recorder")
    created = [
        float(entry.get("time_created_ns") or 0)
        for content in contents.values()
        for entry in content["entries"]
        if isinstance(entry, dict)
    ]
    begin = min(created, default=0.0) / NANO
    ranks = sorted(contents)
    for rank, content in sorted(contents.items()):
        entries = [entry for entry in content["entries"] if isinstance(entry, dict)]
        for number, entry in enumerate(sorted(entries, key=lambda item: item.get("record_id") or 0), 1):
            group = str((entry.get("process_group") or ("0", ""))[0])
            result.events.append(_event(rank, number, entry, _members(content, group, ranks), begin))
    absent = [rank for rank in range(result.ranks) if rank not in contents]
    if absent:
        result.notices.append(f"no dump of {rank_words(absent)}")
    result.outcome = decide(result, set(contents))
    return result


def decide(result: Result, present: set[int]) -> Outcome:
    meetings: dict[tuple[str, int], list[Event]] = {}
    for event in result.events:
        if event.position:
            meetings.setdefault((event.group, event.position), []).append(event)
    oldest = {(event.rank, event.group): 10**12 for event in result.events}
    for event in result.events:
        if event.position:
            oldest[event.rank, event.group] = min(oldest[event.rank, event.group], event.position)
    for (group, position), events in sorted(meetings.items(), key=lambda item: min(e.start for e in item[1])):
        first = events[0]
        for event in events[1:]:
            word = ""
            if event.operation != first.operation:
                word = "COLLECTIVE_TYPE_MISMATCH"
            elif (
                event.detail != first.detail and "gather" not in event.operation and "all_to_all" not in event.operation
            ):
                word = "SIZE_OR_SYNTAX_MISMATCH"
            if word:
                sides = ", ".join(f"rank {item.rank} = {item.title} at {item.place}" for item in (first, event))
                return Outcome("mismatch", word, f"{word}: {sides}", tuple((e.rank, e.number) for e in events))
        # the buffer is a ring: a rank whose record begins later may have made the call
        here = {event.rank for event in events}
        missing = [
            rank
            for rank in first.members
            if rank in present and rank not in here and oldest.get((rank, group), 0) <= position
        ]
        waiting = [event for event in events if event.state == "waiting"]
        if missing and waiting:
            sentence = f"COLLECTIVE_STATE_MISMATCH: {rank_words(e.rank for e in waiting)} wait in {first.title} at "
            sentence += f"{first.place}; {rank_words(missing)} never came"
            keys = tuple((event.rank, event.number) for event in waiting)
            return Outcome("deadlock", "COLLECTIVE_STATE_MISMATCH", sentence, keys)
    waiting = [event for event in result.events if event.state == "waiting"]
    if waiting:
        keys = tuple((event.rank, event.number) for event in waiting)
        who = rank_words(event.rank for event in waiting)
        return Outcome("inconclusive", "UNDECIDED", f"UNDECIDED: {who} had calls in flight, nobody is missing", keys)
    return Outcome("agreed", "", "FULLY_MATCHED: every recorded call was made by all its ranks and finished")


def from_log(text: str) -> Result:
    """What a watchdog said: the call that timed out on each rank, without places."""
    stuck: dict[int, Event] = {}
    made: dict[int, int] = {}
    for match in WATCHDOG.finditer(text):
        rank, number = int(match["rank"]), int(match["number"])
        operation = PYTHON_NAMES.get(match["operation"].upper(), match["operation"].lower())
        detail = f"{match['numel']} elements" if match["numel"] else ""
        stuck.setdefault(rank, Event(rank, number, operation, "0", (), number, detail, Place("", 0)))
    for match in LAST_WORK.finditer(text):
        made[int(match["rank"])] = int(match["made"])
    ranks = max([*stuck, *made], default=-1) + 1
    result = Result("watchdog log", ranks, "watchdog log")
    if not stuck:
        result.outcome = Outcome("inconclusive", "nothing-found", "no watchdog time-out in this log")
        return result
    members = tuple(sorted({*stuck, *made}))
    result.events = [Event(**{**event.__dict__, "members": members}) for event in stuck.values()]
    keys = tuple((event.rank, event.number) for event in result.events)
    kinds = {(event.position, event.operation) for event in result.events}
    first = min(result.events, key=lambda event: event.number)
    if len({position for position, _ in kinds}) < len(kinds):
        sides = ", ".join(f"rank {event.rank} = {event.title}" for event in result.events)
        result.outcome = Outcome("mismatch", "COLLECTIVE_TYPE_MISMATCH", f"COLLECTIVE_TYPE_MISMATCH: {sides}", keys)
        return result
    behind = sorted(rank for rank, count in made.items() if count < first.number)
    sentence = f"COLLECTIVE_STATE_MISMATCH: {rank_words(stuck)} waited in call {first.number}, {first.title}"
    if behind:
        sentence += f"; {rank_words(behind)} had only made {made[behind[0]]} calls"
    result.outcome = Outcome("deadlock", "COLLECTIVE_STATE_MISMATCH", sentence, keys)
    return result


def read(paths: Sequence[Path]) -> list[Result]:
    """Dumps together are one job; each log is one of its own."""
    files: list[Path] = []
    for path in paths:
        files += sorted(item for item in path.iterdir() if item.is_file()) if path.is_dir() else [path]
    dumps: dict[int, dict[str, Any]] = {}
    results = []
    for file in files:
        content = load(file)
        if isinstance(content, str):
            results.append(from_log(content))
        else:
            dumps[rank_of(file, content, set(dumps))] = content
    try:
        return ([from_dumps(dumps)] if dumps else []) + results
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        names = ", ".join(str(file) for file in files)
        text = f"{names}: the entries are not those of a flight recorder ({type(error).__name__}: {error})"
        raise NotADump(text) from None
