"""What came out, in one sentence?"""

from __future__ import annotations

from dtlint.findings import SEVERITIES
from dtlint.report.model import Report, plural


def summary(report: Report) -> str:
    """What was found, in how much code, and what could not be looked at."""
    if not report.files and not report.incomplete:
        return "0 files matched, nothing was checked"
    counts = [(name, sum(item.severity == name for item in report.findings)) for name in SEVERITIES]
    parts = ", ".join(plural(count, name) for name, count in counts if count)
    found = f"{plural(len(report.findings), 'finding')} ({parts})" if report.findings else "no findings"
    text = f"{found} in {plural(report.files, 'file')}, {report.analysed} of them analysed"
    if report.suppressed:
        text += f", {len(report.suppressed)} suppressed"
    if report.baselined:
        text += f", {len(report.baselined)} in the baseline"
    if report.incomplete:
        text += f", {len(report.incomplete)} incomplete"
    return text
