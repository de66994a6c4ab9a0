"""Does a finding point at the bug? Places are accepted lines; a finding's line or any step of its trail may hit one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bench.running import Reported


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file, both ends included."""

    path: str
    first: int
    last: int

    def holds(self, path: str, line: int) -> bool:
        return path == self.path and self.first <= line <= self.last


def touches(finding: Reported, places: Iterable[Place]) -> bool:
    accepted = tuple(places)
    return any(place.holds(path, line) for path, line in finding.places for place in accepted)


def of_codes(finding: Reported, codes: Iterable[str]) -> bool:
    """Codes match by prefix, as on the command line: `DT1` is the family."""
    return any(finding.code.startswith(code) for code in codes)


def shown(item: Reported) -> str:
    return f"{item.code} {item.path}:{item.line}"


def table(rows: Iterable[tuple[object, ...]], header: tuple[str, ...]) -> str:
    """A plain text table; numbers to the right."""
    cells = [tuple(header), *(tuple(str(cell) for cell in row) for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    numeric = [len(cells) > 1 and all(is_number(row[column]) for row in cells[1:]) for column in range(len(header))]
    lines = []
    for row in cells:
        padded = (
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        )
        lines.append("  ".join(padded).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def is_number(cell: str) -> bool:
    return cell.replace(".", "", 1).replace("%", "").replace("/", "").replace(" ", "").lstrip("-").isdigit() or not cell
