"""From recorded events to the table of `check`, to JSON and back, and to Chrome's format."""

from __future__ import annotations

from dtlint.findings import Cell
from dtlint.trace import chrome, model
from dtlint.trace.model import Event, Outcome, Place, RankEnd, Result
from dtlint.trace.timeline import build


def event(rank: int, number: int, operation: str, line: int, state: str) -> Event:
    end = 0.2 if state == "done" else None
    return Event(rank, number, operation, "0", (0, 1, 2), number, "", Place("train.py", line), (), 0.1, end, state)


def parted() -> Result:
    result = Result("train.py", 3, "lockstep")
    for rank in range(3):
        result.events.append(event(rank, 1, "all_reduce", 5, "done"))
    result.events += [event(rank, 2, "barrier", 9, "waiting") for rank in (0, 1)]
    result.ends = [RankEnd(2, "exit", Place("train.py", 7), text="exit status 0"), RankEnd(0, "stopped")]
    result.outcome = Outcome("deadlock", "COLLECTIVE_STATE_MISMATCH", "ranks wait", ((0, 2), (1, 2)))
    return result


def test_ranks_that_behave_alike_share_a_lane() -> None:
    timeline = build(parted())
    assert timeline.lanes == ("ranks 0 and 1", "rank 2")
    assert [row.cells for row in timeline.rows] == [
        (Cell.RUNS, Cell.RUNS),
        (Cell.WAITS, Cell.NEVER),
        (Cell.NOTHING, Cell.LEFT),
    ]
    assert [row.line for row in timeline.rows] == [5, 9, 7]


def test_only_the_last_agreed_calls_are_shown() -> None:
    result = Result("train.py", 3, "lockstep")
    result.events = [event(rank, number, "all_reduce", number, "done") for rank in range(3) for number in range(1, 40)]
    result.outcome = Outcome("agreed")
    assert [row.sequence for row in build(result).rows] == [35, 36, 37, 38, 39]


def test_records_survive_the_stream() -> None:
    before, after = parted(), Result("train.py", 3, "lockstep")
    for item in before.events:
        model.add(after, model.record("event", item))
    for item in before.ends:
        model.add(after, model.record("end", item))
    model.add(after, model.record("outcome", before.outcome))
    assert (after.events, after.ends, after.outcome) == (before.events, before.ends, before.outcome)
    assert after.exit_code == 1
    assert [item.rank for item in after.involved] == [0, 1]


def test_a_later_state_replaces_the_earlier() -> None:
    result = Result("train.py", 1, "lockstep")
    model.add(result, model.record("event", event(0, 1, "barrier", 3, "waiting")))
    model.add(result, {"type": "state", "rank": 0, "number": 1, "state": "done", "end": 0.5})
    assert (result.events[0].state, result.events[0].end) == ("done", 0.5)


def test_every_call_has_a_slice_in_its_rank() -> None:
    slices = [item for item in chrome.export(parted())["traceEvents"] if item["ph"] == "X"]
    assert [item["tid"] for item in slices] == [0, 1, 2, 0, 1]
    assert all(item["dur"] > 0 for item in slices)
    assert {item["cat"] for item in slices} == {"communication", "stuck"}
