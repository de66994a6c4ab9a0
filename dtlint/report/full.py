"""How is a finding told to the person who has to fix it: snippet, trail, who waits for whom, what to change?"""

from __future__ import annotations

import io
import textwrap
from dataclasses import replace

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from dtlint.findings import Finding, Step
from dtlint.report.model import RenderOptions, Report, at_line, place
from dtlint.report.summary import summary
from dtlint.report.terminal import ASCII, clean
from dtlint.report.timeline import render as render_timeline
from dtlint.report.timeline import shorten, without_common_directory

COLOR_OF = {"error": "bold red", "warning": "bold yellow", "note": "bold blue"}


def render(report: Report, options: RenderOptions) -> str:
    lines: list[Text] = []
    for finding in report.findings:
        lines += _finding(finding, options)
        lines.append(Text())
    for item in report.incomplete:
        where = f"{clean(item.path)}:{item.line}" if item.line else clean(item.path)
        lines += _prose(Text("incomplete", "bold magenta"), f"{where}: {item.reason}", options.width, 2)
    if report.incomplete:
        lines.append(Text())
    if not options.quiet:
        lines += _prose(Text(), summary(report), options.width, 2)
    return write(lines, options)


def write(lines: list[Text], options: RenderOptions) -> str:
    """The lines as text, with colour codes or without; no line is ever folded or cropped."""
    console = Console(
        file=io.StringIO(),
        width=10_000,
        force_terminal=options.color,
        no_color=not options.color,
        color_system="standard" if options.color else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    with console.capture() as capture:
        for line in lines:
            if options.ascii:
                line = _ascii(line)
            console.print(line, soft_wrap=True)
    return "".join(part.rstrip() + "\n" for part in capture.get().splitlines())


def _ascii(line: Text) -> Text:
    copy = Text(line.plain.translate(ASCII), line.style)
    copy.spans = list(line.spans)
    return copy


def _finding(finding: Finding, options: RenderOptions) -> list[Text]:
    head = Text()
    head.append(f"{finding.severity}[{finding.code}]", COLOR_OF[finding.severity])
    lines = _prose(head, finding.message, options.width, 2, "bold")
    lines.append(Text("  --> ", "dim").append(clean(place(finding)), "cyan").append(f"  {finding.slug}", "dim"))
    lines += _snippet(finding, options)
    if finding.trail:
        lines += _trail(finding.trail, options.width)
    if finding.timeline is not None and finding.timeline.rows:
        lines += render_timeline(finding.timeline, options.width)
    if finding.timeline is not None and finding.timeline.outcome:
        lines += _prose(Text("  "), finding.timeline.outcome, options.width, 4, "bold")
    lines += _prose(Text("  ").append("help:", "bold green"), finding.remedy, options.width, 8)
    if finding.verdict is not None:
        said = " ".join(filter(None, (finding.verdict.state, finding.verdict.reason and f"({finding.verdict.reason})")))
        who = "traced slice:" if finding.verdict.strength == "slice" else "traced run:"
        lines += _prose(Text("  ").append(who, "bold"), said, options.width, 8)
    return lines


def _prose(head: Text, text: str, width: int, indent: int, style: str = "") -> list[Text]:
    """`head` and then words, folded at `width` with a hanging indent; a line end in them is a blank."""
    lead = cell_len(head.plain)
    glue = " " if head.plain.strip() else ""
    folded = textwrap.wrap(
        clean(" ".join(text.split("\n"))),
        max(width, 30),
        initial_indent=" " * lead + glue,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    ) or [""]
    first = head.copy().append(glue + folded[0][lead + len(glue) :], style)
    return [first, *(Text(line, style) for line in folded[1:])]


def _snippet(finding: Finding, options: RenderOptions) -> list[Text]:
    """The line, the line before it, and a caret under the place."""
    line, column, end = finding.span.line, finding.span.column, finding.span.end_column
    source = options.lines(finding.span.path)
    raw = source[line - 1] if finding.cell is None and 0 < line <= len(source) else finding.line_text
    if not raw.strip():
        return []
    if finding.cell is not None:
        # Lines and columns in the file are those of JSON; the person thinks in those of the cell.
        end += finding.cell[2] - column
        _, line, column = finding.cell
        source = ()
    if finding.span.end_line != finding.span.line or end <= column:
        column, end = max(column, len(raw) - len(raw.lstrip()) + 1), len(raw.rstrip()) + 1
    gutter = len(str(line))
    bar = "│"
    lines = [Text(f"{' ' * gutter} {bar}", "dim")]
    room = max(20, options.width - gutter - 3)
    before = source[line - 2].rstrip() if 2 <= line <= len(source) + 1 else ""
    shown = clean(raw.rstrip())
    common = 0
    if finding.cell is None and not source:
        # Only the stripped line is known: put the caret under its beginning.
        stripped = len(raw) - len(raw.lstrip())
        column, end = stripped + 1, min(end - column + stripped + 1, len(raw) + 1)
    if len(shown) > room:
        common = min(len(shown) - len(shown.lstrip()), len(before) - len(before.lstrip()) if before.strip() else 999)
    if before.strip():
        number = Text(f"{line - 1:>{gutter}} {bar} ", "dim")
        lines.append(number.append(shorten(clean(before)[common:], room), "dim"))
    lines.append(Text(f"{line:>{gutter}} {bar} ", "dim").append(shorten(shown[common:], room), "not dim"))
    lead = cell_len(clean(raw[: column - 1])[common:])
    marks = max(1, cell_len(clean(raw[column - 1 : end - 1])))
    if lead < room:
        caret = Text(f"{' ' * gutter} {bar} ", "dim").append(" " * lead)
        lines.append(caret.append("^" * min(marks, room - lead), COLOR_OF[finding.severity]))
    return lines


def _trail(trail: tuple[Step, ...], width: int) -> list[Text]:
    """Why ranks differ here, as a list of places and words."""
    places = [clean(at_line(step)) for step in trail]
    if max(map(cell_len, places)) > width // 3:
        shorter = without_common_directory(step.path for step in trail)
        places = [clean(at_line(replace(step, path=shorter[step.path]))) for step in trail]
    column = min(max(cell_len(item) for item in places), max(12, width // 3))
    lines = [Text("  why:", "bold")]
    for step, where in zip(trail, places):
        shown = shorten(where, column, keep_end=True)
        head = Text("    ").append(shown, "cyan").append(" " * (column - cell_len(shown) + 1))
        lines += _prose(head, step.text, width, 4 + column + 2)
    return lines
