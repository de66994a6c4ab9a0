"""The report as JUnit XML: one suite per file with findings, one passing case when there are none."""

from __future__ import annotations

import re
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from dtlint.findings import Finding
from dtlint.report.model import RenderOptions, Report, at_line, place

# What XML 1.0 cannot hold, not even as an entity.
FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def render(report: Report, options: RenderOptions) -> str:
    failures, errors = len(report.findings), len(report.incomplete)
    tests = max(1, failures + errors)
    lines = ['<?xml version="1.0" encoding="utf-8"?>']
    lines.append(f'<testsuites name="dtlint" tests="{tests}" failures="{failures}" errors="{errors}">')
    for path, group in groupby(report.findings, key=lambda item: item.span.path):
        cases = [_case(finding) for finding in group]
        lines.append(f"  <testsuite name={_attribute(path)} tests={_attribute(str(len(cases)))}>")
        lines += [*cases, "  </testsuite>"]
    for item in report.incomplete:
        lines.append(f'  <testsuite name={_attribute(item.path)} tests="1" errors="1">')
        lines.append(f'    <testcase classname={_attribute(item.path)} name="analysis">')
        lines.append(f"      <error message={_attribute(item.reason)}/>")
        lines += ["    </testcase>", "  </testsuite>"]
    if not failures and not errors:
        lines += ['  <testsuite name="dtlint" tests="1">', '    <testcase classname="dtlint" name="check"/>']
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>"]) + "\n"


def _case(finding: Finding) -> str:
    text = "\n".join([place(finding), *(f"{at_line(step)} {step.text}" for step in finding.trail)])
    head = f"    <testcase classname={_attribute(finding.span.path)} name={_attribute(finding.code)}"
    head += f' line="{finding.span.line}" column="{finding.span.column}">\n'
    body = f"      <failure message={_attribute(finding.message)}>{_text(text)}\n{_text(finding.remedy)}</failure>\n"
    return head + body + "    </testcase>"


def _text(text: str) -> str:
    return escape(FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text))


def _attribute(text: str) -> str:
    return quoteattr(FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text))
