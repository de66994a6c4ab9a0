"""What does the function around a finding do on several ranks, with stand-ins for everything unknown?

The cheaper and weaker second of the two ways to verify: it needs no framework and no data, and lists what it assumed.
"""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Sequence
from typing import Any

from dtlint.findings import Finding, Verdict
from dtlint.trace.session import Job, NotPossible, Session

SECONDS = 3.0
RECEIVED = re.compile(r"\w@\d+#\d+\.\d")  # the name that `stub.agree` gives
SHOWN = 3
REFUTABLE = ("DT101", "DT102", "DT108")  # decided by which calls are made; the others also by what is in them


def verdicts(
    findings: Sequence[Finding], root: str, deadline: float, progress: Callable[[int, int], None] | None = None
) -> list[Verdict]:
    """One verdict for each finding, all of strength `slice`."""
    answers: list[Verdict] = []
    if not findings:
        return answers
    try:
        with Session(sys.executable, "dtlint.trace.slicing.server", framework="slices") as session:
            for number, finding in enumerate(findings):
                if progress is not None:
                    progress(number, len(findings))
                if time.monotonic() > deadline:
                    answers.append(Verdict("inconclusive", "budget", "slice"))
                else:
                    answers.append(_one(session, finding, root))
    except NotPossible as problem:
        answers += [Verdict("inconclusive", f"engine-error: {problem}", "slice")] * (len(findings) - len(answers))
    return answers


def _one(session: Session, finding: Finding, root: str) -> Verdict:
    path = os.path.realpath(os.path.join(root, finding.span.path))
    if not path.endswith(".py") or finding.cell is not None:
        return Verdict("inconclusive", "not-supported: only Python files are sliced", "slice")
    job = Job(path, directory=root, timeout=SECONDS, extra={"line": finding.span.line})
    facts = session.run(job).facts
    fact = next((item for item in facts if "slice" in item), None)
    if fact is None or fact["slice"] == "engine-error":
        return Verdict("inconclusive", f"engine-error: {fact['text'] if fact else 'no answer'}"[:200], "slice")
    if fact["slice"] == "no-function":
        return Verdict("not-reached", "the line is in no function: a slice runs functions only", "slice")
    return judge(finding, path, fact)


def judge(finding: Finding, path: str, fact: dict[str, Any]) -> Verdict:
    """Confirmed on an error-free path where the ranks' logs differ at the finding; refuted when no path differs."""
    from dtlint.trace import locate

    first, last = locate.span_of(path, finding.span.line)
    steps = {(os.path.realpath(os.path.join(path[: -len(finding.span.path)], s.path)), s.line) for s in finding.trail}
    reached = clean = called = False
    for answers in fact["paths"]:
        answers = {int(rank): answer for rank, answer in answers.items()}
        reached |= any(first <= n <= last for a in answers.values() for n in a.get("lines", {}).get(path, ()))
        if any(answer["how"] not in ("ended", "left") for answer in answers.values()):
            continue
        clean = True
        called |= any(_at(entry, path, first, last) for answer in answers.values() for entry in answer["log"])
        difference = _difference(answers)
        if difference is None:
            continue
        entries, sentence = difference
        if any(entry["group"] for entry in entries):
            return Verdict("inconclusive", "group: the members of the group are not known", "slice")
        if _on_received_values(answers):
            continue  # what a rank received decides: a slice does not know it
        exits = _exit_of_some(answers, path, first, last)
        if exits or any(_at(e, path, first, last) or tuple(e["stack"][0]) in steps for e in entries):
            asked = max((answer["asked"] for answer in answers.values()), key=len)
            assumed = ", ".join(f"{name.split('@')[0]} is {value}" for name, value in asked[:SHOWN])
            return Verdict("confirmed", sentence + (f", assuming {assumed}" if assumed else ""), "slice")
    if not reached:
        return Verdict("not-reached", "no path of the slice executed this line", "slice")
    if not clean:
        return Verdict("inconclusive", "rank-error: no path of the slice ended without an error", "slice")
    if (
        finding.code in REFUTABLE
        and _both_sides(fact, path, first)
        and fact["complete"]
        and called
        and all(answer["how"] in ("ended", "left") for answers in fact["paths"] for answer in answers.values())
    ):
        if name := _assumed_at_guards(fact, path, first):
            return Verdict("inconclusive", f"assumed: `{name}` was taken to be equal on all ranks", "slice")
        return Verdict("refuted", f"on all {len(fact['paths'])} paths the ranks made the same calls", "slice")
    return Verdict("inconclusive", "budget: no path that was tried parts the ranks here", "slice")


def _both_sides(fact: dict[str, Any], path: str, line: int) -> bool:
    """Whether a decision around the line, inside the function, was seen to go both ways."""
    from dtlint.trace import locate

    guards = locate.guards_of(path, line)
    runs = [set(a["lines"].get(path, ())) for answers in fact["paths"] for a in answers.values()]
    return bool(guards) and all(
        any(guard.taken in lines for lines in runs)
        and any(guard.line in lines and guard.taken not in lines for lines in runs)
        for guard in guards
    )


def _assumed_at_guards(fact: dict[str, Any], path: str, line: int) -> str:
    """The unknown that decides about the line, if one does: it could differ between ranks."""
    from dtlint.trace import locate

    lines = {guard.line: locate.line_of(path, guard.line) for guard in locate.guards_of(path, line)}
    for answers in fact["paths"]:
        for answer in answers.values():
            for question, _ in answer["asked"]:
                if RECEIVED.search(question):
                    continue  # a collective made it equal
                name, _, place = question.rpartition("@")
                number = int(place.partition("#")[0] or 0)
                if number in lines or (not number and any(re.search(rf"\b{name}\b", text) for text in lines.values())):
                    return name
    return ""


def _at(entry: dict[str, Any], path: str, first: int, last: int) -> bool:
    return any(where == path and first <= line <= last for where, line in entry["stack"])


def _difference(answers: dict[int, dict[str, Any]]) -> tuple[list[dict[str, Any]], str] | None:
    """The first calls in which two ranks' logs differ."""
    ranks = sorted(answers)
    for rank in ranks[1:]:
        one, other = answers[ranks[0]]["log"], answers[rank]["log"]
        for position in range(max(len(one), len(other))):
            here = one[position] if position < len(one) else None
            there = other[position] if position < len(other) else None
            if here and there and here["operation"] == there["operation"]:
                continue
            entries = [entry for entry in (here, there) if entry]
            words = [
                f"rank {who} = {entry['operation']} at line {entry['stack'][0][1]}"
                if entry
                else f"rank {who} makes no more calls"
                for who, entry in ((ranks[0], here), (rank, there))
            ]
            return entries, ", ".join(words)
    return None


def _on_received_values(answers: dict[int, dict[str, Any]]) -> bool:
    """Whether some ranks only were asked about a value that came out of a collective."""
    asked = {rank: {name for name, _ in answer["asked"] if RECEIVED.search(name)} for rank, answer in answers.items()}
    return len({frozenset(names) for names in asked.values()}) > 1


def _exit_of_some(answers: dict[int, dict[str, Any]], path: str, first: int, last: int) -> bool:
    from dtlint.trace import locate

    for line in range(first, last + 1):
        makers = [rank for rank, answer in answers.items() if line in answer["lines"].get(path, ())]
        if 0 < len(makers) < len(answers) and locate.leaves(path, line):
            return True
    return False
