"""The report for GitLab's Code Quality widget: a JSON array, also when there is nothing to say."""

from __future__ import annotations

import json

from dtlint.report.model import RenderOptions, Report
from dtlint.report.places import from_repository

SEVERITY = {"error": "critical", "warning": "major", "note": "minor"}


def render(report: Report, options: RenderOptions) -> str:
    issues = [
        {
            "description": f"{finding.code} {finding.message}",
            "check_name": finding.slug,
            "fingerprint": finding.fingerprint,
            "severity": SEVERITY[finding.severity],
            "location": {
                "path": from_repository(finding.span.path, options.root),
                "lines": {"begin": finding.span.line},
            },
        }
        for finding in report.findings
    ]
    return json.dumps(issues, indent=2) + "\n"
