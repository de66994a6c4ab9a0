"""What Python does a notebook hold, and where does each of its lines come from?

The code cells become one text, in order. What only IPython understands is blanked line for line, so that every line
keeps its place: `cell N:row:column` for people, the line inside the `.ipynb` for tools that annotate files.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import Any

from dtlint.source.text import Incomplete

_PYTHON_CELL_MAGICS = ("time", "timeit", "capture", "prun", "memit", "mprun", "lprun", "px", "autopx", "rank")
_MAGIC = re.compile(r"^(?P<indent>\s*)(?:[%!?]|\w[\w.]*\?{1,2}\s*$|[\w.]+\?{1,2}$)")
_ASSIGNED_MAGIC = re.compile(r"^(?P<indent>\s*)(?P<target>[A-Za-z_][\w., \t]*?)\s*=\s*(?:!|%(?=[a-zA-Z]))")
_CELL_OF_SCRIPT = re.compile(r"^# ?%%", re.MULTILINE)
_CELL_MAGIC = re.compile(r"^\s*%%(?P<name>\w+)")


@dataclass(frozen=True, slots=True)
class NotebookCell:
    """`number` counts all cells from 1, as notebook programs do; `start` is its first line in the joined text."""

    number: int
    identity: str
    start: int
    physical: tuple[int, ...]  # the line of the .ipynb that holds each row, 1-based


@dataclass(frozen=True, slots=True)
class Notebook:
    text: str
    cells: tuple[NotebookCell, ...]

    def cell_of(self, line: int) -> tuple[NotebookCell, int] | None:
        """The cell a line of `text` belongs to, and its row there."""
        index = bisect_right([cell.start for cell in self.cells], line) - 1
        if index < 0:
            return None
        cell = self.cells[index]
        return cell, line - cell.start + 1

    def physical_line(self, line: int) -> int:
        found = self.cell_of(line)
        if found is None:
            return 1
        cell, row = found
        return cell.physical[min(row, len(cell.physical)) - 1] if cell.physical else 1


def cell_of_script(text: str, line: int) -> int:
    """A notebook may be kept as a script: how many cells (`# %%`) have begun by this line?"""
    return len(_CELL_OF_SCRIPT.findall("".join(text.splitlines(keepends=True)[:line])))


def read_notebook(raw: str, path: str) -> Notebook | Incomplete:
    try:
        content = json.loads(raw)
    except json.JSONDecodeError as error:
        return Incomplete(path, error.lineno, f"is not a valid notebook: {error.msg}")
    except RecursionError:
        return Incomplete(path, 1, "is not a valid notebook: nested too deeply")
    cells = _cells_of(content)
    if cells is None:
        return Incomplete(path, 1, "is not a valid notebook: it has no list of cells")
    if not _is_python(content):
        return Notebook("", ())
    places = _PhysicalLines(raw)
    lines: list[str] = []
    kept: list[NotebookCell] = []
    for number, cell in enumerate(cells, 1):
        if not isinstance(cell, dict):
            return Incomplete(path, 1, f"is not a valid notebook: cell {number} is not an object")
        source = _source_of(cell)
        if source is None:
            return Incomplete(path, 1, f"is not a valid notebook: the source of cell {number} is not text")
        physical = places.of(cell, source)
        if cell.get("cell_type") != "code" or _language(cell) not in ("", "python"):
            continue
        rows = source.split("\n")
        kept.append(NotebookCell(number, str(cell.get("id", "")), len(lines) + 1, physical))
        lines.extend(_python_rows(rows))
    return Notebook("\n".join(lines) + "\n" if lines else "", tuple(kept))


def _cells_of(content: Any) -> list[Any] | None:
    if not isinstance(content, dict):
        return None
    cells = content.get("cells")
    if cells is None and isinstance(content.get("worksheets"), list):  # nbformat 3
        sheets = [sheet for sheet in content["worksheets"] if isinstance(sheet, dict)]
        cells = [cell for sheet in sheets for cell in sheet.get("cells", ())]
    return cells if isinstance(cells, list) else None


def _source_of(cell: dict[str, Any]) -> str | None:
    source = cell.get("source", cell.get("input", ""))
    if isinstance(source, list) and all(isinstance(line, str) for line in source):
        source = "".join(source)
    return source.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "") if isinstance(source, str) else None


def _is_python(content: dict[str, Any]) -> bool:
    metadata = content.get("metadata")
    if not isinstance(metadata, dict):
        return True
    for key, name in (("kernelspec", "language"), ("language_info", "name")):
        table = metadata.get(key)
        if isinstance(table, dict) and isinstance(table.get(name), str):
            return "python" in table[name].lower()
    return True


def _language(cell: dict[str, Any]) -> str:
    metadata = cell.get("metadata")
    code = metadata.get("vscode") if isinstance(metadata, dict) else None
    language = code.get("languageId") if isinstance(code, dict) else None
    return language if isinstance(language, str) else ""


# --- magics ------------------------------------------------------------------------------------------------------


def _python_rows(rows: list[str]) -> list[str]:
    first = next((index for index, row in enumerate(rows) if row.strip()), 0)
    magic = _CELL_MAGIC.match(rows[first])
    if magic:
        if magic.group("name") not in _PYTHON_CELL_MAGICS:
            return [""] * len(rows)
        rows = [*rows[:first], "", *rows[first + 1 :]]
    done: list[str] = []
    blanking = False  # a magic goes on over lines that end in a backslash
    open_string = ""
    for row in rows:
        if blanking:
            done.append("")
            blanking = row.rstrip().endswith("\\")
            continue
        replaced = None if open_string else _without_magic(row)
        if replaced is None:
            open_string = _string_left_open(row, open_string)
            done.append(row)
        else:
            done.append(replaced)
            blanking = row.rstrip().endswith("\\")
    return done


def _without_magic(row: str) -> str | None:
    """The row as Python, when it is something else; None when it is Python already."""
    assigned = _ASSIGNED_MAGIC.match(row)
    if assigned:
        return f"{assigned.group('indent')}{assigned.group('target')} = None"
    magic = _MAGIC.match(row)
    return f"{magic.group('indent')}pass" if magic else None


_STRING_PIECES = re.compile(r"#.*$|\\.|\"\"\"|'''|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'", re.DOTALL)


def _string_left_open(row: str, quote: str) -> str:
    """The triple quote that is still open after this row, if one is: `%` in it is text, not a magic."""
    position = 0
    while True:
        if quote:
            end = row.find(quote, position)
            if end < 0:
                return quote
            position, quote = end + 3, ""
        for found in _STRING_PIECES.finditer(row, position):
            if found.group() in ('"""', "'''"):
                position, quote = found.end(), found.group()
                break
        else:
            return ""


# --- lines of the file -------------------------------------------------------------------------------------------


class _PhysicalLines:
    """Finds the line of the .ipynb that holds each row, by searching for its JSON spelling from top to bottom."""

    def __init__(self, raw: str) -> None:
        self._raw = raw
        self._position = 0
        self._line = 1

    def of(self, cell: dict[str, Any], source: str) -> tuple[int, ...]:
        written = cell.get("source", cell.get("input", ""))
        if isinstance(written, str):
            line = self._find(written)
            return (line,) * (source.count("\n") + 1)
        lines: list[int] = []
        ended = True
        for piece in written:
            line = self._find(piece)
            rows = piece.split("\n")
            new = len(rows) - (0 if rows[-1] else 1)
            lines.extend([line] * (new if ended else new - 1))
            ended = piece.endswith("\n")
        rows_wanted = source.count("\n") + 1
        return tuple((lines + [lines[-1] if lines else 1] * rows_wanted)[:rows_wanted])

    def _find(self, text: str) -> int:
        for spelling in (json.dumps(text, ensure_ascii=False), json.dumps(text)):
            found = self._raw.find(spelling, self._position)
            if found >= 0:
                self._line += self._raw.count("\n", self._position, found)
                self._position = found
                line = self._line
                self._position += len(spelling)
                return line
        return self._line
