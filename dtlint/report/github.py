"""Findings as GitHub workflow commands, which the runner turns into annotations, and as a step summary.

GitHub drops what exceeds ten annotations of a level per step without a word, so the selection is made here and said.
No source text is printed: a line in the log that looks like a command would be run as one.
"""

from __future__ import annotations

from dtlint.findings import SEVERITIES, Finding
from dtlint.report.model import RenderOptions, Report, place, plural
from dtlint.report.places import from_repository, one_line
from dtlint.report.terminal import clean

LEVEL = {"error": "error", "warning": "warning", "note": "notice"}
SUMMARY_LIMIT = 1_000_000  # bytes; GitHub refuses a step summary above 1 MiB


def render(report: Report, options: RenderOptions) -> str:
    lines: list[str] = []
    kept = 0
    rest: list[Finding] = []
    for severity, limit in zip(SEVERITIES, options.limits):
        of_level = [item for item in report.findings if item.severity == severity]
        lines += [_command(item, options) for item in of_level[:limit]]
        kept += len(of_level[:limit])
        rest += of_level[limit:]
    lines += [_quoted(f"{place(item)}: {item.code}[{item.slug}] {item.message}") for item in rest]
    for item in report.incomplete:
        lines.append(_quoted(f"{item.path}: incomplete: {item.reason}"))
    if rest:
        lines.append(
            f"dtlint: {kept} of {len(report.findings)} findings annotated, the other {len(rest)} are listed above: "
            "GitHub keeps ten annotations of each level per step"
        )
    return "".join(line + "\n" for line in lines)


def _command(finding: Finding, options: RenderOptions) -> str:
    line, column, end = one_line(finding.span, options)
    properties = {
        "file": from_repository(finding.span.path, options.root),
        "line": str(line),
        "endLine": str(line),
        "col": str(column),
        "endColumn": str(end),
        "title": f"{finding.code} {finding.slug}",
    }
    shown = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{LEVEL[finding.severity]} {shown}::{_data(f'{finding.message}. {finding.remedy}')}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _quoted(text: str) -> str:
    """A line of the log that cannot be read as a workflow command, neither `::this` nor `##[that]`."""
    text = clean(text).replace("##[", "# #[")
    return " " + text.replace("::", ": :") if text.lstrip().startswith("::") else text


def summary(report: Report, options: RenderOptions) -> str:
    """Markdown for GITHUB_STEP_SUMMARY: all findings, with who waits for whom."""
    parts = [f"### dtlint: {plural(len(report.findings), 'finding')}\n\n"]
    if report.findings:
        parts.append("| | where | what |\n|---|---|---|\n")
    for item in report.findings:
        where = from_repository(item.span.path, options.root)
        cells = (f"{item.severity} `{item.code}`", f"`{where}:{item.span.line}`", item.message)
        parts.append("| " + " | ".join(_cell(cell) for cell in cells) + " |\n")
    for item in report.findings:
        if item.timeline is None or not item.timeline.rows:
            continue
        timeline = item.timeline
        header = ("#", "where", "what", *timeline.lanes)
        parts.append(f"\n**{_cell(place(item))}** {_cell(item.message)}\n\n")
        parts.append("| " + " | ".join(_cell(cell) for cell in header) + " |\n" + "|---" * len(header) + "|\n")
        for row in timeline.rows:
            values = (str(row.sequence or ""), f"`{row.path}:{row.line}`", f"`{row.text}`")
            shown = (*values, *(cell.value for cell in row.cells))
            parts.append("| " + " | ".join(_cell(cell) for cell in shown) + " |\n")
        parts.append(f"\n{_cell(timeline.outcome)}\n")
    for problem in report.incomplete:
        parts.append(f"\nincomplete: `{_cell(problem.path)}`: {_cell(problem.reason)}\n")
    return _within(parts, SUMMARY_LIMIT)


def _cell(text: str) -> str:
    return clean(text).replace("|", "\\|").replace("<", "&lt;")


def _within(parts: list[str], limit: int) -> str:
    """As many parts as fit, and a word about the rest."""
    size, kept = 200, []
    for part in parts:
        size += len(part.encode("utf-8", "replace"))
        if size > limit:
            kept.append("\n\n(the rest does not fit into a step summary; the log has it all)\n")
            break
        kept.append(part)
    return "".join(kept)
