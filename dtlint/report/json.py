"""The report as one JSON object, schema `dtlint/1`."""

from __future__ import annotations

import json
from typing import Any

from dtlint.findings import Finding, Timeline
from dtlint.report.model import RenderOptions, Report

SCHEMA = "dtlint/1"


def render(report: Report, options: RenderOptions) -> str:
    document = {
        "schema": SCHEMA,
        "findings": [finding_object(finding) for finding in report.findings],
        "summary": {
            "files": report.files,
            "analysed": report.analysed,
            "incomplete": [{"path": item.path, "line": item.line, "reason": item.reason} for item in report.incomplete],
        },
    }
    return json.dumps(document, indent=2, ensure_ascii=options.ascii).encode("utf-8", "replace").decode() + "\n"


def finding_object(finding: Finding) -> dict[str, Any]:
    """The keys are the contract of `dtlint/1`; `cell` is there for findings in notebooks only."""
    verdict = finding.verdict
    document: dict[str, Any] = {
        "code": finding.code,
        "slug": finding.slug,
        "effect": finding.effect,
        "severity": finding.severity,
        "tier": finding.tier,
        "message": finding.message,
        "remedy": finding.remedy,
        "path": finding.span.path,
        "line": finding.span.line,
        "column": finding.span.column,
        "end_line": finding.span.end_line,
        "end_column": finding.span.end_column,
        "lanes": list(finding.lanes),
        "trail": [{"path": step.path, "line": step.line, "text": step.text} for step in finding.trail],
        "timeline": timeline_object(finding.timeline),
        "fingerprint": finding.fingerprint,
        "verdict": verdict and {"state": verdict.state, "reason": verdict.reason, "strength": verdict.strength},
    }
    if finding.cell is not None:
        document["cell"] = dict(zip(("number", "line", "column"), finding.cell))
    return document


def timeline_object(timeline: Timeline | None) -> dict[str, Any] | None:
    if timeline is None:
        return None
    return {
        "lanes": list(timeline.lanes),
        "rows": [
            {
                "sequence": row.sequence,
                "path": row.path,
                "line": row.line,
                "text": row.text,
                "cells": [cell.value for cell in row.cells],
            }
            for row in timeline.rows
        ],
        "outcome": timeline.outcome,
    }
