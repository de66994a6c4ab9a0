"""One line per finding, for editors, `grep` and error formats."""

from __future__ import annotations

from dtlint.findings import Finding
from dtlint.report.model import RenderOptions, Report, place
from dtlint.report.terminal import clean


def render(report: Report, options: RenderOptions) -> str:
    lines = [
        f"{clean(place(item))}: {item.code}[{item.slug}] {clean(item.message)}{_verdict(item)}"
        for item in report.findings
    ]
    for item in report.incomplete:
        lines.append(f"{clean(item.path)}:{item.line or 1}:1: incomplete: {clean(item.reason)}")
    return "".join(line + "\n" for line in lines)


def _verdict(finding: Finding) -> str:
    """What a traced run said, in a word: the reasons are in the other formats."""
    return f" [{finding.verdict.state}]" if finding.verdict is not None else ""
