"""The report as SARIF 2.1.0, in the subset and with the care that GitHub code scanning needs.

Paths are relative to the repository; the line hash is the one upload-sarif computes; suppressed findings are left out,
because GitHub would show them as open; those of a baseline stay in, because GitHub itself tells old from new and would
take them for fixed; every finding is one line long and carries one thread of events per rank group.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from dtlint.api import Rule
from dtlint.documentation import sections
from dtlint.findings import Cell, Finding
from dtlint.report.linehash import line_hashes
from dtlint.report.model import RenderOptions, Report
from dtlint.report.places import from_repository, one_line

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
PROBLEM = {"error": "error", "warning": "warning", "note": "recommendation"}
TEXT_LIMIT = 1024


def render(report: Report, options: RenderOptions) -> str:
    found = sorted((*report.findings, *report.baselined), key=lambda finding: finding.sort_key)
    used = {finding.code for finding in found}
    rules = [rule for rule in options.rules if rule.code in used]
    index = {rule.code: number for number, rule in enumerate(rules)}
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "dtlint",
                "semanticVersion": options.version,
                "rules": [_rule(rule) for rule in rules],
            }
        },
        "automationDetails": {"id": "dtlint/"},
        "columnKind": "unicodeCodePoints",
        "invocations": [_invocation(report, options)],
        "results": [_result(finding, index, options) for finding in found],
    }
    if report.baselined:
        for finding, result in zip(found, run["results"]):
            result["baselineState"] = "unchanged" if finding in report.baselined else "new"
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, indent=2, ensure_ascii=options.ascii).encode("utf-8", "replace").decode() + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    parts = sections(rule.documentation)
    what = parts.get("What it finds") or rule.title
    return {
        "id": rule.code,
        "name": rule.slug,
        "shortDescription": {"text": _short(rule.title)},
        "fullDescription": {"text": _short(" ".join(what.split()))},
        "help": {"text": rule.documentation or rule.title, "markdown": rule.documentation or rule.title},
        "defaultConfiguration": {"level": rule.default_severity},
        "properties": {
            "tags": [rule.effect, rule.family, *rule.frameworks][:20],
            "precision": "high" if rule.tier == "default" else "medium",
            "problem.severity": PROBLEM[rule.default_severity],
        },
    }


def _short(text: str) -> str:
    return text if len(text) <= TEXT_LIMIT else text[: TEXT_LIMIT - 1] + "…"


def _invocation(report: Report, options: RenderOptions) -> dict[str, Any]:
    """Files that could not be analysed are part of the result: silence about them would read as "clean"."""
    notifications = [
        {
            "level": "error",
            "message": {"text": item.reason},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": _uri(item.path, options)},
                        "region": {"startLine": max(item.line or 1, 1)},
                    }
                }
            ],
        }
        for item in report.incomplete
    ]
    return {"executionSuccessful": True, "toolExecutionNotifications": notifications}


def _result(finding: Finding, index: dict[str, int], options: RenderOptions) -> dict[str, Any]:
    line, column, end = one_line(finding.span, options)
    region = {"startLine": line, "startColumn": column, "endLine": line, "endColumn": end}
    fingerprints = {"dtlint/v1": finding.fingerprint}
    hashes = _hashes(options.root / finding.span.path)
    if line <= len(hashes):
        fingerprints["primaryLocationLineHash"] = hashes[line - 1]
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "level": finding.severity,
        "message": {"text": f"{finding.message}. {finding.remedy}"},
        "locations": [
            {"physicalLocation": {"artifactLocation": {"uri": _uri(finding.span.path, options)}, "region": region}}
        ],
        "partialFingerprints": fingerprints,
        "properties": {"effect": finding.effect, "tier": finding.tier, "lanes": list(finding.lanes)},
    }
    if finding.code in index:
        result["ruleIndex"] = index[finding.code]
    threads = _threads(finding, options)
    if threads:
        result["codeFlows"] = [{"message": {"text": "what each group of ranks does"}, "threadFlows": threads}]
    return result


def _threads(finding: Finding, options: RenderOptions) -> list[dict[str, Any]]:
    """One thread flow per group of ranks: first why they differ, then what this group does."""
    trail = [_event(step.path, step.line, step.text, options) for step in finding.trail]
    timeline = finding.timeline
    if timeline is None or not timeline.lanes:
        return [{"locations": trail}] if trail else []
    threads = []
    for number, lane in enumerate(timeline.lanes):
        events = [
            _event(row.path, row.line, f"{lane}: {row.text.rstrip(':')}: {row.cells[number].value}", options)
            for row in timeline.rows
            if row.cells[number] is not Cell.NOTHING
        ]
        if trail or events:
            threads.append({"id": lane, "message": {"text": lane}, "locations": trail + events})
    return threads


def _event(path: str, line: int, text: str, options: RenderOptions) -> dict[str, Any]:
    region = {"startLine": max(line, 1)}
    physical = {"artifactLocation": {"uri": _uri(path, options)}, "region": region}
    return {"location": {"physicalLocation": physical, "message": {"text": text}}}


def _uri(path: str, options: RenderOptions) -> str:
    return quote(from_repository(path, options.root).encode("utf-8", "surrogateescape"), safe="/~")


@cache
def _hashes(path: Path) -> list[str]:
    try:
        return line_hashes(path.read_bytes().decode("utf-8", "replace"))
    except OSError:
        return []
