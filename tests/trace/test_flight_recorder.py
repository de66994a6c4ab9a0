"""Dumps and logs of jobs that hung: where they part, and that nothing in them is run."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from dtlint.findings import Finding, Span, Step
from dtlint.trace import explain, flight_recorder
from dtlint.trace.flight_recorder import NotADump

LIBRARY = "/opt/env/lib/python3.11/site-packages/torch/distributed/distributed_c10d.py"


def entry(sequence: int, name: str, line: int, state: str = "completed", size: int = 3) -> dict[str, Any]:
    return {
        "record_id": sequence,
        "collective_seq_id": sequence,
        "process_group": ("0", "default_pg"),
        "profiling_name": f"nccl:{name}",
        "state": state,
        "is_p2p": False,
        "input_sizes": [[size]],
        "input_dtypes": ["Float"],
        "time_created_ns": 10**18 + sequence * 10**6,
        "frames": [
            {"name": name, "filename": LIBRARY, "line": 3245},
            {"name": "main", "filename": "/home/user/project/train.py", "line": line},
        ],
    }


def dump(*entries: dict[str, Any]) -> dict[str, Any]:
    ranks = {"0": {"desc": "default_pg", "name": "0", "ranks": "[0, 1]"}}
    return {"version": "2.10", "pg_config": ranks, "entries": list(entries)}


def write(folder: Path, *contents: dict[str, Any], form: str = "json") -> Path:
    for rank, content in enumerate(contents):
        data = json.dumps(content).encode() if form == "json" else pickle.dumps(content)
        (folder / f"nccl_trace_rank_{rank}").write_bytes(data)
    return folder


@pytest.mark.parametrize("form", ["json", "pickle"])
def test_different_calls_are_found_with_their_lines(tmp_path: Path, form: str) -> None:
    first = dump(entry(1, "all_reduce", 5), entry(2, "barrier", 9, "started"))
    second = dump(entry(1, "all_reduce", 5), entry(2, "all_reduce", 11, "started"))
    (result,) = flight_recorder.read([write(tmp_path, first, second, form=form)])
    assert (result.outcome.kind, result.outcome.reason) == ("mismatch", "COLLECTIVE_TYPE_MISMATCH")
    assert [(event.rank, event.place.line) for event in result.involved] == [(0, 9), (1, 11)]
    assert all(event.place.path.endswith("train.py") for event in result.events)


def test_a_rank_that_never_came(tmp_path: Path) -> None:
    first = dump(entry(1, "all_reduce", 5), entry(2, "all_reduce", 5, "scheduled"))
    (result,) = flight_recorder.read([write(tmp_path, first, dump(entry(1, "all_reduce", 5)))])
    assert result.outcome.kind == "deadlock"
    assert "rank 1 never came" in result.outcome.sentence


def test_a_record_that_begins_later_accuses_nobody(tmp_path: Path) -> None:
    first = dump(entry(1, "all_reduce", 5), entry(2, "all_reduce", 5))
    (result,) = flight_recorder.read([write(tmp_path, first, dump(entry(2, "all_reduce", 5)))])
    assert result.outcome.kind == "agreed"


def test_sizes_are_compared(tmp_path: Path) -> None:
    folder = write(tmp_path, dump(entry(1, "all_reduce", 5, size=3)), dump(entry(1, "all_reduce", 5, size=4)))
    (result,) = flight_recorder.read([folder])
    assert result.outcome.reason == "SIZE_OR_SYNTAX_MISMATCH"


class Evil:
    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, ("touch /tmp/dtlint-was-fooled",)


def test_a_pickle_that_wants_to_run_something_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rank_0.pickle"
    path.write_bytes(pickle.dumps({"entries": [Evil()]}))
    with pytest.raises(NotADump, match="system"):
        flight_recorder.read([path])
    assert not os.path.exists("/tmp/dtlint-was-fooled")


@pytest.mark.parametrize("content", [b"\x80\x04garbage", b"{broken", b'{"other": 1}'])
def test_other_files_are_answered_clearly(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "rank_0"
    path.write_bytes(content)
    with pytest.raises(NotADump, match="rank_0"):
        flight_recorder.read([path])


LOG = """\
[rank0]:[E1120 10:00:00.1 ProcessGroupNCCL.cpp:629] [Rank 0] Watchdog caught collective operation timeout: \
WorkNCCL(SeqNum=7, OpType=ALLREDUCE, NumelIn=64, NumelOut=64, Timeout(ms)=600000) ran for 600026 milliseconds
[rank1]:[E1120 10:00:00.2 ProcessGroupNCCL.cpp:629] [Rank 1] something last enqueued work: 6, last completed work: 6
"""


def test_a_watchdog_log(tmp_path: Path) -> None:
    path = tmp_path / "job.log"
    path.write_text(LOG)
    (result,) = flight_recorder.read([path])
    assert result.outcome.kind == "deadlock"
    assert "rank 0 waited in call 7, all_reduce" in result.outcome.sentence
    assert "rank 1 had only made 6 calls" in result.outcome.sentence


def finding(path: str, line: int, trail: tuple[Step, ...] = ()) -> Finding:
    span = Span(path, line, 1, line, 2)
    return Finding("DT101", "s", "hang", "error", "default", "m", "r", span, trail=trail, line_text="dist.barrier()")


def test_the_finding_at_the_call_explains_it(tmp_path: Path) -> None:
    first = dump(entry(1, "barrier", 9, "started"))
    second = dump(entry(1, "all_reduce", 11, "started"))
    (result,) = flight_recorder.read([write(tmp_path, first, second)])
    hit, by_trail = finding("project/train.py", 9), finding("project/train.py", 3, (Step("train.py", 11, "waits"),))
    others = [finding("project/other.py", 9), finding("project/train.py", 10)]
    assert explain.explaining(result, [*others, by_trail, hit]) == [hit, by_trail]


def test_the_command(tmp_path: Path) -> None:
    write(tmp_path, dump(entry(1, "barrier", 9, "started")), dump(entry(1, "all_reduce", 11, "started")))
    repository = Path(__file__).resolve().parents[2]
    environment = {**os.environ, "PYTHONPATH": str(repository)}
    command = [sys.executable, "-m", "dtlint", "match", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=60)
    assert done.returncode == 1, done.stderr
    assert "train.py:9" in done.stdout and "COLLECTIVE_TYPE_MISMATCH" in done.stdout


@pytest.mark.parametrize("entries", [[1, {"x": 3}], [{"input_sizes": 5, "input_dtypes": 7}], [{"process_group": 5}]])
def test_entries_of_another_kind_are_answered_clearly(tmp_path: Path, entries: list[object]) -> None:
    (tmp_path / "rank_0.json").write_text(json.dumps({"entries": entries}))
    try:
        flight_recorder.read([tmp_path / "rank_0.json"])
    except NotADump as problem:
        assert "rank_0.json" in str(problem)
