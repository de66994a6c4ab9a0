"""Are colour, width and characters decided as people expect?"""

from __future__ import annotations

import io

import pytest

from dtlint.cli._progress import Progress
from dtlint.findings import Cell, Timeline, TimelineRow
from dtlint.report import terminal
from dtlint.report.timeline import render, shorten, without_common_directory


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("choice", "variables", "on_terminal", "in_pipe"),
    [
        ("auto", {}, True, False),
        ("auto", {"NO_COLOR": "1"}, False, False),
        ("auto", {"NO_COLOR": ""}, True, False),
        ("auto", {"FORCE_COLOR": "1"}, True, True),
        ("auto", {"FORCE_COLOR": "0"}, False, False),
        ("auto", {"FORCE_COLOR": ""}, False, False),
        ("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
        ("auto", {"TERM": "dumb"}, False, False),
        ("always", {"NO_COLOR": "1"}, True, True),
        ("never", {"FORCE_COLOR": "1"}, False, False),
    ],
)
def test_color(choice, variables, on_terminal, in_pipe):
    assert terminal.color_wanted(choice, Terminal(), variables) is on_terminal
    assert terminal.color_wanted(choice, io.StringIO(), variables) is in_pipe


@pytest.mark.parametrize(("columns", "width"), [("60", 60), ("", 80), ("0", 80), ("x", 80), ("3", 20)])
def test_width(columns, width):
    assert terminal.width(io.StringIO(), {"COLUMNS": columns}) == width


@pytest.mark.parametrize(
    ("encoding", "ascii"), [("utf-8", False), ("ascii", True), ("latin-1", True), ("nonsense", True)]
)
def test_ascii(encoding, ascii):
    class Stream(io.StringIO):
        pass

    Stream.encoding = encoding
    assert terminal.ascii_only(Stream()) is ascii


def test_clean():
    assert terminal.clean("a\tb") == "a   b"
    assert terminal.clean("\x1b[31mx\u202ey\x07\n") == "�[31mx�y��"


def test_shorten():
    assert shorten("abcdef", 6) == "abcdef"
    assert shorten("abcdef", 4) == "abc…"
    assert shorten("abcdef", 4, keep_end=True) == "…def"
    assert shorten("日本語テキスト", 5) == "日本…"


def wide(lanes, text="all_reduce(" + "x" * 80 + ")"):
    path = "a/very/long/path/to/some/module/of/the/project/train.py"
    return Timeline(
        tuple(f"rank {n}" for n in range(lanes)), (TimelineRow(1, path, 12345, text, (Cell.WAITS,) * lanes),), "x"
    )


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("lanes", [1, 2, 4, 12])
def test_long_content_is_cut_to_the_width(width, lanes):
    lines = [line.plain for line in render(wide(lanes), width)]
    assert max(map(len, lines)) <= width
    assert any("train.py:12345" in line for line in lines)
    assert sum(line.count("waits") for line in lines) == lanes


def test_a_table_where_there_is_room_and_lists_where_not():
    assert render(wide(2), 80)[0].plain.split()[:3] == ["#", "where", "what"]
    assert render(wide(2), 79)[0].plain.strip() == "rank 0"
    assert render(wide(12), 80)[0].plain.strip() == "rank 0"


def test_a_timeline_without_rows_or_lanes():
    assert render(Timeline(("rank 0",), (), ""), 80)
    assert render(Timeline((), (), ""), 60) == []


def test_progress_only_on_a_terminal_only_when_it_takes_long(monkeypatch):
    clock = iter([0.0, 0.1, 5.0, 5.01, 6.0])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    stream = Terminal()
    with Progress(stream) as progress:
        progress.step(0, 10, "running")
        assert stream.getvalue() == ""
        progress.step(5, 10, "running")
        assert "running [############............] 5/10" in stream.getvalue()
        progress.step(6, 10, "running")
        assert "6/10" not in stream.getvalue()
        progress.step(9, 0, "running")
    assert stream.getvalue().endswith("\r\x1b[K")
    pipe = io.StringIO()
    monkeypatch.setattr("time.monotonic", lambda: 100.0)
    with Progress(pipe) as progress:
        progress.step(5, 10, "running")
    assert pipe.getvalue() == ""


@pytest.mark.parametrize(
    ("paths", "shown"),
    [
        (["a/b/x.py", "a/b/x.py"], ["x.py", "x.py"]),
        (["a/b/x.py", "a/c/y.py"], ["b/x.py", "c/y.py"]),
        (["x.py", "a/y.py"], ["x.py", "a/y.py"]),
        (["../a/x.py", "../a/b/y.py"], ["x.py", "b/y.py"]),
        (["/a/x.py", "/a/y.py"], ["x.py", "y.py"]),
    ],
)
def test_common_directory(paths, shown):
    assert [without_common_directory(paths)[path] for path in paths] == shown
