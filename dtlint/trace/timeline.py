"""How does a traced run look as a rank timeline? The same table that `check` draws for what it imagined."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from dtlint.findings import Cell, Timeline, TimelineRow
from dtlint.trace.agreement import rank_words
from dtlint.trace.model import Event, RankEnd, Result

BEFORE = 5  # agreed calls shown before the ranks part
STATES = {"done": Cell.RUNS, "waiting": Cell.WAITS, "mismatch": Cell.PAIRS}
END_TEXT = {
    "finished": "the program ends",
    "exit": "the program exits",
    "exception": "an exception ends the program",
    "killed": "the process is killed",
    "steps": "the asked steps are made",
}


@dataclass
class _Row:
    """One call as all the ranks that make it at this position and place make it together."""

    event: Event
    states: dict[int, str] = field(default_factory=dict)

    @property
    def complete(self) -> bool:
        return all(state == "done" for state in self.states.values())


def shown_path(path: str, root: str = "") -> str:
    """Relative to where dtlint was started, when it is below."""
    base = root or os.getcwd()
    relative = os.path.relpath(path, base) if path else path
    return path if relative.startswith("..") else relative.replace(os.sep, "/")


def _rows(events: list[Event]) -> list[_Row]:
    table: dict[tuple[object, ...], _Row] = {}
    pairs: dict[tuple[object, ...], int] = {}
    for event in sorted(events, key=lambda item: (item.start, item.rank)):
        position = event.position
        if not position:
            # a send or receive has no position in the group: count them for each rank and place
            count = (event.rank, event.operation, event.detail, event.place)
            position = pairs[count] = pairs.get(count, 0) + 1
        who = event.rank if event.operation in ("send", "recv") else -1
        key = (event.group, position, event.operation, event.place, event.detail if who >= 0 else "", who)
        row = table.setdefault(key, _Row(event))
        row.states[event.rank] = event.state
    return list(table.values())


def _alike(result: Result, rows: list[_Row]) -> list[list[int]]:
    """Ranks that make the same calls with the same fate, and end alike, share a column."""
    ends = {end.rank: end for end in result.ends}
    groups: dict[tuple[object, ...], list[int]] = {}
    for rank in range(result.ranks):
        end = ends.get(rank)
        fate = (end.how, end.place) if end and end.how != "stopped" else None
        key = (tuple((number, row.states[rank]) for number, row in enumerate(rows) if rank in row.states), fate)
        groups.setdefault(key, []).append(rank)
    return list(groups.values())


def build(result: Result, root: str = "") -> Timeline:
    """The rows around the point where the ranks part, or the last rows when they never do."""
    rows = _rows(result.events)
    first = next((index for index, row in enumerate(rows) if not row.complete), len(rows))
    rows = rows[max(0, first - BEFORE) :]
    lanes = _alike(result, rows)
    shown = []
    for row in rows:
        members = set(row.event.members)
        cells = tuple(_cell(row, lane, members) for lane in lanes)
        shown.append(
            TimelineRow(
                row.event.position or row.event.number,
                shown_path(row.event.place.path, root),
                row.event.place.line,
                row.event.title,
                cells,
            )
        )
    if result.outcome.kind != "agreed":
        ends = (_end(end, lanes, root) for end in sorted(result.ends, key=lambda item: item.rank))
        shown += [end for end in ends if end is not None]
    return Timeline(tuple(rank_words(lane) for lane in lanes), tuple(shown), result.outcome.sentence)


def _cell(row: _Row, lane: list[int], members: set[int]) -> Cell:
    states = [row.states[rank] for rank in lane if rank in row.states]
    if states:
        return STATES.get(states[0], Cell.WAITS)
    if row.complete or not members & set(lane) or row.event.operation in ("send", "recv"):
        return Cell.NOTHING
    return Cell.NEVER


def _end(end: RankEnd, lanes: list[list[int]], root: str) -> TimelineRow | None:
    lane = next((index for index, ranks in enumerate(lanes) if ranks[0] == end.rank), None)
    if lane is None or end.how not in END_TEXT:
        return None
    mark = Cell.FAILED if end.how in ("exception", "killed") else Cell.LEFT
    cells = tuple(mark if index == lane else Cell.NOTHING for index in range(len(lanes)))
    text = END_TEXT[end.how]
    if end.text and end.how != "steps":
        text += f": {end.text.splitlines()[0][:80]}"
    return TimelineRow(0, shown_path(end.place.path, root), end.place.line, text, cells)
