"""The lanes of a traced run for chrome://tracing and Perfetto: one row for each rank, one slice for each call."""

from __future__ import annotations

from typing import Any

from dtlint.trace.model import Result

MICRO = 1_000_000


def export(result: Result) -> dict[str, Any]:
    events: list[dict[str, Any]] = [
        {"ph": "M", "pid": 0, "name": "process_name", "args": {"name": f"dtlint trace {result.program}"}}
    ]
    last = max((end.time for end in result.ends), default=result.wall) or result.wall
    for rank in range(result.ranks):
        events.append({"ph": "M", "pid": 0, "tid": rank, "name": "thread_name", "args": {"name": f"rank {rank}"}})
    for event in result.events:
        end = event.end if event.end is not None else max(last, event.start)
        place = f"{event.place.path}:{event.place.line}"
        arguments = {"state": event.state, "group": event.group, "position": event.position, "place": place}
        name = event.operation if event.state == "done" else f"{event.operation} ({event.state})"
        events.append(
            {
                "ph": "X",
                "pid": 0,
                "tid": event.rank,
                "name": name,
                "cat": "communication" if event.state == "done" else "stuck",
                "ts": round(event.start * MICRO),
                "dur": max(1, round((end - event.start) * MICRO)),
                "args": {**arguments, "detail": event.detail},
            }
        )
    for end_of in result.ends:
        what = {"how": end_of.how, "text": end_of.text, "steps": end_of.steps}
        mark = {"ph": "i", "s": "t", "pid": 0, "tid": end_of.rank, "name": f"end: {end_of.how}", "cat": "end"}
        events.append({**mark, "ts": round(end_of.time * MICRO), "args": what})
    return {"traceEvents": events, "displayTimeUnit": "ms", "otherData": {"outcome": result.outcome.sentence}}
