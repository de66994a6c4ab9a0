"""What did each rank do? The records a traced run writes, and how they travel as JSON lines.

Shared by the torch and the jax half. Only the standard library: this file is also loaded inside the user's Python.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

OUTCOMES = ("agreed", "mismatch", "deadlock", "inconclusive")
EXIT_CODE = {"agreed": 0, "mismatch": 1, "deadlock": 1, "inconclusive": 3}


@dataclass(frozen=True)
class Place:
    """One frame of the user's code."""

    path: str
    line: int
    function: str = ""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.path else "unknown place"

    @property
    def real(self) -> tuple[str, int]:
        """The file and line, whichever way leads to the file."""
        return os.path.realpath(self.path), self.line


@dataclass(frozen=True)
class Event:
    """One call that communicates, as one rank made it."""

    rank: int
    number: int  # position in this rank's own log, from 1
    operation: str  # all_reduce, barrier, send, new_group, psum …
    group: str  # name of the group or axis
    members: tuple[int, ...]
    position: int  # position in the group's sequence of calls, from 1; 0 for point-to-point
    detail: str  # shapes, reduction, source … in one short text
    place: Place
    stack: tuple[Place, ...] = ()  # outermost first, user code only
    start: float = 0.0  # seconds since the job began
    end: float | None = None  # None: never finished
    state: str = "waiting"  # done | waiting | mismatch
    asynchronous: bool = False

    @property
    def title(self) -> str:
        return f"{self.operation}({self.detail})" if self.detail else self.operation


@dataclass(frozen=True)
class RankEnd:
    """How one rank ended."""

    rank: int
    how: str  # finished | exit | exception | steps | stopped | killed
    place: Place = Place("", 0)
    stack: tuple[Place, ...] = ()
    text: str = ""  # `ValueError: …` or the exit status
    origin: str = ""  # user | library | injected, for an exception
    steps: int = 0
    time: float = 0.0
    output: str = ""  # last lines the rank printed


@dataclass(frozen=True)
class Outcome:
    """The answer of the run."""

    kind: str  # one of OUTCOMES
    reason: str = ""  # rank-error, timeout, … for inconclusive; detail for the others
    sentence: str = ""
    events: tuple[tuple[int, int], ...] = ()  # (rank, number) of the calls involved


@dataclass
class Result:
    """Everything one job said."""

    program: str
    ranks: int
    engine: str
    outcome: Outcome = Outcome("inconclusive", "engine-error", "the run said nothing")
    events: list[Event] = field(default_factory=list)
    ends: list[RankEnd] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    covered: dict[str, dict[int, tuple[int, ...]]] = field(default_factory=dict)  # path → line → ranks
    facts: list[dict[str, Any]] = field(default_factory=list)  # other observations (jax: axes, keys, replicas)
    wall: float = 0.0
    dropped: int = 0  # events above the cap

    @property
    def exit_code(self) -> int:
        return EXIT_CODE[self.outcome.kind]

    def find(self, rank: int, number: int) -> Event | None:
        return next((event for event in self.events if (event.rank, event.number) == (rank, number)), None)

    @property
    def involved(self) -> list[Event]:
        """The calls that did not complete, one for each rank that waits."""
        found = [self.find(rank, number) for rank, number in self.outcome.events]
        return [event for event in found if event is not None]


def place_from(data: Mapping[str, Any] | None) -> Place:
    return Place(str(data["path"]), int(data["line"]), str(data.get("function", ""))) if data else Place("", 0)


def _stack(items: Iterable[Mapping[str, Any]]) -> tuple[Place, ...]:
    return tuple(place_from(item) for item in items)


def event_from(data: Mapping[str, Any]) -> Event:
    values = {key: data[key] for key in Event.__dataclass_fields__ if key in data}
    values["members"] = tuple(values.get("members", ()))
    values["place"] = place_from(data.get("place"))
    values["stack"] = _stack(data.get("stack", ()))
    return Event(**values)


def end_from(data: Mapping[str, Any]) -> RankEnd:
    values = {key: data[key] for key in RankEnd.__dataclass_fields__ if key in data}
    values["place"] = place_from(data.get("place"))
    values["stack"] = _stack(data.get("stack", ()))
    return RankEnd(**values)


def outcome_from(data: Mapping[str, Any]) -> Outcome:
    events = tuple((int(rank), int(number)) for rank, number in data.get("events", ()))
    return Outcome(str(data["kind"]), str(data.get("reason", "")), str(data.get("sentence", "")), events)


def record(kind: str, item: Any) -> dict[str, Any]:
    """One line of the stream: {"type": kind, …fields}."""
    return {"type": kind, **(item if isinstance(item, dict) else asdict(item))}


def add(result: Result, data: Mapping[str, Any]) -> None:
    """Take one line of the stream into the result; an `event` seen twice replaces its earlier state."""
    match data.get("type"):
        case "event":
            result.events.append(event_from(data))
        case "state":
            _change_state(result, data)
        case "end":
            result.ends = [end for end in result.ends if end.rank != data["rank"]] + [end_from(data)]
        case "outcome":
            result.outcome = outcome_from(data)
        case "notice":
            if data["text"] not in result.notices:
                result.notices.append(str(data["text"]))
        case "covered":
            _add_coverage(result, int(data["rank"]), data["lines"])
        case "fact":
            result.facts.append(dict(data["fact"]))
        case "job":
            result.wall = float(data.get("wall", 0.0))
            result.dropped = int(data.get("dropped", 0))


def _change_state(result: Result, data: Mapping[str, Any]) -> None:
    for index in range(len(result.events) - 1, -1, -1):
        event = result.events[index]
        if event.rank == data["rank"] and event.number == data["number"]:
            values = {**event.__dict__, "state": data["state"], "end": data.get("end", event.end)}
            result.events[index] = Event(**values)
            return


def _add_coverage(result: Result, rank: int, lines: Mapping[str, Iterable[int]]) -> None:
    for path, numbers in lines.items():
        table = result.covered.setdefault(path, {})
        for number in numbers:
            table[number] = tuple(sorted({*table.get(number, ()), rank}))


def to_json(result: Result) -> dict[str, Any]:
    """The whole result as plain data, for `--output-format json`."""
    return {
        "program": result.program,
        "ranks": result.ranks,
        "engine": result.engine,
        "outcome": asdict(result.outcome),
        "exit_code": result.exit_code,
        "wall_seconds": round(result.wall, 3),
        "dropped_events": result.dropped,
        "notices": list(result.notices),
        "ends": [asdict(end) for end in sorted(result.ends, key=lambda end: end.rank)],
        "events": [asdict(event) for event in sorted(result.events, key=lambda e: (e.rank, e.number))],
        "facts": list(result.facts),
    }
