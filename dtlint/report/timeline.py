"""How does a rank timeline look: a table where there is room, one list per group of ranks where there is not?"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable
from dataclasses import replace

from rich.cells import cell_len
from rich.text import Text

from dtlint.findings import Cell, Timeline, TimelineRow
from dtlint.report.model import at_line
from dtlint.report.terminal import ASCII, clean

NARROW = 80
SHOWN = {
    Cell.RUNS: ("●", "green"),
    Cell.WAITS: ("◌ waits", "bold yellow"),
    Cell.NEVER: ("· never comes", "bold red"),
    Cell.TAKEN: ("taken", "dim"),
    Cell.SKIPPED: ("not taken", "dim"),
    Cell.LEFT: ("· has left", "bold red"),
    Cell.FAILED: ("✗ failed", "bold red"),
    Cell.PAIRS: ("◌ meets another", "bold yellow"),
    Cell.NOTHING: ("", ""),
}


def render(timeline: Timeline, width: int, ascii: bool = False, indent: int = 2) -> list[Text]:
    """The lines of the timeline, none of them wider than `width` where the content allows it."""
    if any(cell_len(_where(row)) > width // 3 for row in timeline.rows):
        shorter = without_common_directory(row.path for row in timeline.rows)
        rows = tuple(replace(row, path=shorter[row.path]) for row in timeline.rows)
        timeline = replace(timeline, rows=rows)
    lines = _table(timeline, width - indent) if width >= NARROW else None
    lines = lines or _lists(timeline, width - indent)
    margin = " " * indent
    return [Text(margin) + (_plain(line) if ascii else line) for line in lines]


def _plain(line: Text) -> Text:
    copy = Text(line.plain.translate(ASCII))
    copy.spans = list(line.spans)
    return copy


def shorten(text: str, room: int, keep_end: bool = False) -> str:
    """Cut to `room` columns with an ellipsis; of a path the end says more than the beginning."""
    if cell_len(text) <= room:
        return text
    while text and cell_len(text) > room - 1:
        text = text[1:] if keep_end else text[:-1]
    return "…" + text if keep_end else text + "…"


def without_common_directory(paths: Iterable[str]) -> dict[str, str]:
    """Each path without the directory that all of them are in: what is left still tells them apart."""
    known = list(paths)
    directories = [posixpath.dirname(path) for path in known]
    common = posixpath.commonpath(directories) if directories and all(directories) else ""
    return {path: posixpath.relpath(path, common) if common else path for path in known}


def _where(row: TimelineRow) -> str:
    return clean(at_line(row)) if row.path else "unknown place"


def _number(row: TimelineRow) -> str:
    return str(row.sequence) if row.sequence else ""


def _table(timeline: Timeline, width: int) -> list[Text] | None:
    """Columns: number, place, what, one per group of ranks. None when the groups leave no room for the rest."""
    rows = timeline.rows
    number = max((len(_number(row)) for row in rows), default=1)
    lanes = [
        max(cell_len(name), *(cell_len(SHOWN[row.cells[index]][0]) for row in rows), 1)
        for index, name in enumerate(timeline.lanes)
    ]
    room = width - number - sum(lanes) - 2 * (2 + len(lanes))
    place = max((cell_len(_where(row)) for row in rows), default=5)
    what = max((cell_len(clean(row.text)) for row in rows), default=4)
    place, what = max(place, 5), max(what, 4)
    if place + what > room:
        # The file's name and the line are what one looks for; the directories may go.
        name = max((cell_len(_where(row).rpartition("/")[2]) + 1 for row in rows), default=5)
        place = min(place, max(room - what, room * 2 // 5, name))
        what = room - place
    if what < 14:
        return None

    def line(first: str, second: str, third: str, cells: list[tuple[str, str]], style: str = "") -> Text:
        text = Text(_pad(first, number), style="dim")
        text.append("  " + _pad(shorten(second, place, keep_end=True), place), style or "cyan")
        text.append("  " + _pad(shorten(third, what), what), style)
        for (shown, color), room_here in zip(cells, lanes):
            text.append("  ").append(_pad(shown, room_here), color or style)
        text.rstrip()
        return text

    lines = [line("#", "where", "what", [(name, "bold") for name in timeline.lanes], "bold")]
    lines.append(Text("─" * min(width, number + place + what + sum(lanes) + 2 * (2 + len(lanes))), "dim"))
    for row in rows:
        lines.append(line(_number(row), _where(row), clean(row.text), [SHOWN[cell] for cell in row.cells]))
    return lines


def _pad(text: str, room: int) -> str:
    return text + " " * (room - cell_len(text))


def _lists(timeline: Timeline, width: int) -> list[Text]:
    """One list per group: what its ranks do, in order."""
    number = max((len(_number(row)) for row in timeline.rows), default=1) + 1
    lines: list[Text] = []
    for index, name in enumerate(timeline.lanes):
        lines.append(Text(name, "bold"))
        for row in timeline.rows:
            shown, color = SHOWN[row.cells[index]]
            if not shown:
                continue
            mark = f"#{row.sequence}" if row.sequence else ""
            text = Text("  ").append(_pad(mark, number), "dim").append(" ")
            room = max(12, width - 3 - number - cell_len(shown) - 1)
            text.append(shorten(clean(row.text), room)).append(" ").append(shown, color)
            lines.append(text)
            lines.append(Text(" " * (number + 3)).append(shorten(_where(row), width - number - 3, True), "cyan"))
    return lines
