"""How does the answered check-list look: for a terminal, as JSON, as Markdown?"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dtlint.findings import Finding
from dtlint.ready.assess import Answer, Mark, Readiness, Verdict
from dtlint.ready.items import SECTIONS

SIGNS = {Mark.WORKS: "✓", Mark.FAILS: "✗", Mark.UNKNOWN: "?"}
PLAIN = {Mark.WORKS: "+", Mark.FAILS: "x", Mark.UNKNOWN: "?"}
COLORS = {Mark.WORKS: "32", Mark.FAILS: "31", Mark.UNKNOWN: "33"}
WORDS = {
    Verdict.READY: "ready",
    Verdict.NOT_READY: "not ready",
    Verdict.UNKNOWN: "cannot tell: an essential point is not shown by the source",
}


@dataclass(frozen=True, slots=True)
class Look:
    width: int = 80
    color: bool = False
    ascii: bool = False


def full(result: Readiness, look: Look) -> str:
    lines = [_bold(f"readiness for {result.target}: {WORDS[result.verdict]}", look)]
    for section in SECTIONS:
        answers = result.section(section)
        if answers:
            lines += ["", _bold(section, look)]
        for answer in answers:
            lines += _lines(answer, look)
    if result.waste:
        lines += ["", _bold("what is wasted", look), *(_wrapped(item.text, look, "  ") for item in result.waste)]
    if result.incomplete:
        lines += ["", _bold("not analysed", look)]
        lines += [_wrapped(f"{item.path}:{item.line} {item.reason}", look, "  ") for item in result.incomplete]
    lines += ["", summary(result)]
    text = "\n".join(lines) + "\n"
    return text.replace("…", "...").replace("→", "->") if look.ascii else text


def summary(result: Readiness) -> str:
    counts = {mark: sum(answer.mark is mark for answer in result.answers) for mark in Mark}
    return f"{counts[Mark.WORKS]} work, {counts[Mark.FAILS]} critical, {counts[Mark.UNKNOWN]} cannot be told"


def _lines(answer: Answer, look: Look) -> Iterator[str]:
    sign = (PLAIN if look.ascii else SIGNS)[answer.mark]
    sign = f"\x1b[{COLORS[answer.mark]}m{sign}\x1b[0m" if look.color else sign
    yield _wrapped(answer.title, look, "    ").replace("    ", f"  {sign} ", 1)
    if answer.findings:
        for finding in answer.findings:
            yield _wrapped(f"{_place(finding)} {finding.code} {finding.message}", look, "      ")
            yield _wrapped(f"help: {finding.remedy}", look, "        ")
        return
    where = f" ({answer.facts[0].path}:{answer.facts[0].line})" if answer.facts and answer.mark is Mark.WORKS else ""
    yield _wrapped(answer.text + where, look, "      ")


def _place(finding: Finding) -> str:
    return f"{finding.span.path}:{finding.span.line}"


def _wrapped(text: str, look: Look, indent: str) -> str:
    return textwrap.fill(
        text, max(look.width, 40), initial_indent=indent, subsequent_indent=indent + "  ", break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def _bold(text: str, look: Look) -> str:
    return f"\x1b[1m{text}\x1b[0m" if look.color else text


def as_json(result: Readiness) -> str:
    return json.dumps(as_object(result), indent=2, ensure_ascii=False) + "\n"


def as_object(result: Readiness) -> dict[str, Any]:
    return {
        "schema": "dtlint-ready/1",
        "target": result.target,
        "verdict": result.verdict.value,
        "items": [
            {
                "section": answer.section,
                "title": answer.title,
                "mark": answer.mark.value,
                "essential": answer.critical,
                "text": answer.text,
                "places": [{"path": fact.path, "line": fact.line, "text": fact.text} for fact in answer.facts],
                "findings": [
                    {
                        "code": finding.code,
                        "path": finding.span.path,
                        "line": finding.span.line,
                        "message": finding.message,
                        "remedy": finding.remedy,
                    }
                    for finding in answer.findings
                ],
            }
            for answer in result.answers
        ],
        "waste": [
            {
                "text": item.text,
                "processes": item.processes,
                "effective": item.fraction,
                "code": item.finding.code,
                "path": item.finding.span.path,
                "line": item.finding.span.line,
            }
            for item in result.waste
        ],
        "incomplete": [{"path": item.path, "line": item.line, "reason": item.reason} for item in result.incomplete],
    }


def markdown(result: Readiness) -> str:
    lines = [f"# Readiness for {result.target}: {result.verdict.value}", "", f"{summary(result)}."]
    if result.waste:
        lines += ["", *(f"**{item.text[0].upper()}{item.text[1:]}.**" for item in result.waste)]
    for section in SECTIONS:
        answers = result.section(section)
        if not answers:
            continue
        lines += ["", f"## {section[0].upper()}{section[1:]}", ""]
        for answer in answers:
            lines.append(
                f"- {SIGNS[answer.mark]} {answer.title}" + ("" if answer.findings else f": {_safe(answer.text)}")
            )
            for finding in answer.findings:
                lines.append(f"  - `{_place(finding)}` **{finding.code}** {_safe(finding.message)}")
                lines.append(f"    - {_safe(finding.remedy)}")
    if result.incomplete:
        lines += ["", "## Not analysed", ""]
        lines += [f"- `{item.path}:{item.line}` {_safe(item.reason)}" for item in result.incomplete]
    return "\n".join(lines) + "\n"


def _safe(text: str) -> str:
    """Angle brackets and pipes are markup outside of backquotes."""
    parts = text.split("`")
    parts[::2] = [part.replace("<", "&lt;").replace("|", "\\|").replace("*", "\\*") for part in parts[::2]]
    return "`".join(parts)
