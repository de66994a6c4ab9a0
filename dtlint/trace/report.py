"""What does `dtlint trace` print? The answer, the timeline around it, and how every rank ended."""

from __future__ import annotations

import textwrap

from dtlint.report.model import RenderOptions
from dtlint.report.terminal import clean
from dtlint.report.timeline import render as render_timeline
from dtlint.trace.model import Result
from dtlint.trace.timeline import build, shown_path

WORDS = {
    "agreed": "agreed",
    "mismatch": "ranks make different calls",
    "deadlock": "ranks wait for calls that never come",
    "inconclusive": "inconclusive",
}
OUTPUT_LINES = 12


def render(result: Result, options: RenderOptions) -> str:
    from rich.text import Text

    from dtlint.report.full import write

    kind = result.outcome.kind
    color = {"agreed": "bold green", "inconclusive": "bold magenta"}.get(kind, "bold red")
    head = Text(f"{WORDS[kind]}", color).append(f": {clean(shown_path(result.program))}")
    head.append(f" with {result.ranks} ranks ({result.engine}, {result.wall:.1f} s)", "dim")
    lines = [head]
    reason = f"[{result.outcome.reason}] " if kind == "inconclusive" and result.outcome.reason else ""
    lines += [Text("  " + part) for part in textwrap.wrap(clean(reason + result.outcome.sentence), options.width - 2)]
    if result.events and kind != "agreed":
        lines.append(Text())
        lines += render_timeline(build(result), options.width, options.ascii)
    for end in sorted(result.ends, key=lambda item: item.rank):
        if end.how in ("exception", "killed", "exit"):
            place = f" at {clean(shown_path(end.place.path))}:{end.place.line}" if end.place.line else ""
            first = (end.text.splitlines() or [""])[0][:300]
            lines.append(Text(f"  rank {end.rank} {end.how}{place}: {clean(first)}"))
        if kind == "inconclusive" and end.output.strip() and end.how in ("exception", "killed", "exit"):
            lines += [Text(f"    | {clean(line)}", "dim") for line in end.output.strip().splitlines()[-OUTPUT_LINES:]]
    for fact in result.facts:
        if "text" in fact:
            lines.append(Text(f"  {clean(str(fact['text']))}"))
    for notice in result.notices:
        lines.append(Text(f"  note: {clean(notice)}", "dim"))
    return write(lines, options)
