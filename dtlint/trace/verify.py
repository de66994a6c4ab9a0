"""Does a finding happen? For each finding the smallest runs that can decide it.

`verify` is what `dtlint check --verify` calls. It runs code of the checked project (in the sandbox, see sandbox.py);
`check` without `--verify` never does. A verdict is added to every finding and none is dropped.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from dtlint.findings import Finding, Verdict
from dtlint.trace import comparing, interpreter, judge, locate
from dtlint.trace.jax import judge as of_jax
from dtlint.trace.model import Result
from dtlint.trace.runs import Runs, path_of
from dtlint.trace.session import NotPossible

# rules whose harm is that ranks do not meet: what the lockstep engine can see
MEETINGS = frozenset({f"DT{number}" for number in range(101, 113)} | {"DT117", "DT412"})
FAILURES = ("DT105", "DT106")  # decided by making one rank fail
DECISIONS = ("DT110", "DT111")  # decided by making one rank decide otherwise
SUPPORTED = MEETINGS | comparing.COMPARED | of_jax.MEETINGS | of_jax.FAILING | frozenset(of_jax.FACTS)
SCRIPTS_TRIED = 3
LISTING = re.compile(r"\b(listdir|scandir|glob|iglob|rglob|iterdir|walk)\b")
STRENGTH_ORDER = ("confirmed", "refuted", "inconclusive", "not-reached")

Progress = Callable[[int, int], None]


def verify(
    findings: Sequence[Finding],
    project_root: str | Path,
    mode: str = "run",
    budget: float = 300.0,
    *,
    python: str = "",
    progress: Progress | None = None,
) -> list[Finding]:
    """The same findings, each with a verdict. `mode`: run, slice, or auto: a slice where the run decided nothing."""
    root = os.path.realpath(project_root)
    deadline = time.monotonic() + budget
    verdicts: list[Verdict] = [Verdict("inconclusive", "budget")] * len(findings)
    if mode in ("run", "auto"):
        verdicts = _by_runs(findings, root, deadline, python, progress)
    if mode in ("slice", "auto"):
        verdicts = _by_slices(findings, verdicts, root, deadline, mode, progress)
    return [replace(finding, verdict=verdict) for finding, verdict in zip(findings, verdicts, strict=True)]


def _by_runs(
    findings: Sequence[Finding], root: str, deadline: float, python: str, progress: Progress | None
) -> list[Verdict]:
    verdicts = []
    with Runs(python, deadline, root, findings) as runs:
        for number, finding in enumerate(findings):
            if progress is not None:
                progress(number, len(findings))
            verdicts.append(_one(finding, path_of(finding, root), runs))
    return verdicts


def _one(finding: Finding, path: str, runs: Runs) -> Verdict:
    """The best verdict that the scripts which reach this finding can give."""
    if finding.cell is not None or not path.endswith(".py"):
        return Verdict("inconclusive", "not-supported: only Python files are run", "run")
    if finding.code not in SUPPORTED:
        reason = "not-supported: the harm of this rule does not show in a traced run"
        return Verdict("inconclusive", reason, "run")
    near = runs.root if path.startswith(os.path.join(runs.root, "")) else os.path.dirname(path)
    scripts = locate.scripts_for(path, near)
    if not scripts:
        return Verdict("not-reached", "no script of the project reaches this file", "run")
    best = Verdict("not-reached", "", "run")
    for script in scripts[:SCRIPTS_TRIED]:
        if runs.over:
            return best if best.reason else Verdict("inconclusive", "budget", "run")
        found = _in_script(finding, path, script, runs)
        if not best.reason or STRENGTH_ORDER.index(found.state) < STRENGTH_ORDER.index(best.state):
            best = found
        if best.state == "confirmed":
            break
    return best


def _in_script(finding: Finding, path: str, script: str, runs: Runs) -> Verdict:
    try:
        if interpreter.framework_of(locate.text_of(script)) == "jax":
            return of_jax.verdict(finding, path, runs.of_jax(script))
        if finding.code in MEETINGS:
            return _of_meetings(finding, path, script, runs)
        if finding.code in comparing.COMPARED:
            return _of_comparison(finding, path, script, runs)
    except NotPossible as problem:
        return Verdict("inconclusive", f"not-supported: {problem}", "run")
    return Verdict("inconclusive", "not-supported: the harm of this rule does not show in a run of torch", "run")


def _of_comparison(finding: Finding, path: str, script: str, runs: Runs) -> Verdict:
    found = comparing.verdict(finding, path, runs.plain(script))
    line = locate.line_of(path, finding.span.line)
    line = locate.line_of(path, finding.span.line)
    if finding.code == "DT207" and found.state == "inconclusive" and LISTING.search(line) and not runs.over:
        return _of_listing(finding, path, runs.plain(script), runs.listing(script), found)
    return found


def _of_listing(finding: Finding, path: str, plain: Result, turned: Result, found: Verdict) -> Verdict:
    """Does another order of the names on one rank make ranks read the same files or samples?"""
    with_order = "with the names in another order on rank 1"
    other = comparing.verdict(finding, path, turned)
    if other.state == "confirmed":
        return replace(other, reason=f"{with_order}: {other.reason}")
    before = comparing.shared_reads(plain)
    for place, count in sorted(comparing.shared_reads(turned).items()):
        if count and before.get(place) == 0:
            where = f"{os.path.basename(place[0])}:{place[1]}"
            return Verdict("confirmed", f"{with_order}, both ranks read {count} of the files at {where}", "run")
    return found


def _of_meetings(finding: Finding, path: str, script: str, runs: Runs) -> Verdict:
    plain = runs.plain(script)
    if finding.code in FAILURES:
        return _with_failure(finding, path, script, runs, plain)
    found = judge.verdict(finding, path, plain)
    if found.state != "confirmed" and finding.code in DECISIONS and locate.decides(path, finding.span.line):
        return judge.verdict_of_decision(plain, runs.deciding(script, path, finding.span.line))
    agreed = plain.outcome.kind == "agreed" and plain.ranks == 2
    if agreed and found.state in ("refuted", "inconclusive") and not runs.over:
        found = _stronger(found, judge.verdict(finding, path, runs.plain(script, 4)))
    return found


def _stronger(two: Verdict, four: Verdict) -> Verdict:
    """Two ranks refute only what four do not contradict."""
    if four.state == "confirmed" or two.state != "refuted" or four.state == "refuted":
        return four if four.state in ("confirmed", "refuted") else two
    return Verdict("inconclusive", f"with four ranks: {four.reason}", "run")


def _with_failure(finding: Finding, path: str, script: str, runs: Runs, plain: Result) -> Verdict:
    failure = locate.failure_for(path, finding.span.line)
    where = path
    if failure is None and (name := locate.exit_method_class(path, finding.span.line)):
        body = locate.body_of_with(name, [script, *runs.paths])
        if body is not None:
            where, failure = body[0], locate.Failure(body[1], "", finding.span.line)
    if failure is None:
        found = judge.verdict(finding, path, plain)
        if found.state == "refuted":  # a run in which nothing fails says nothing about what happens then
            return Verdict("inconclusive", "no-failure: no place was found where a rank could be made to fail", "run")
        return found
    found = judge.verdict_of_failure(plain, runs.failing(script, where, failure))
    picky = any(guard.line >= failure.handler > 0 for guard in locate.guards_of(where, finding.span.line))
    if found.state == "refuted" and picky:
        reason = "picky-handler: the handler looks at the failure, and the one that was tried did not come here"
        return Verdict("inconclusive", reason, "run")
    if where != path and found.state == "refuted":
        return Verdict("inconclusive", found.reason, "run")
    return found


def _by_slices(
    findings: Sequence[Finding],
    earlier: list[Verdict],
    root: str,
    deadline: float,
    mode: str,
    progress: Progress | None,
) -> list[Verdict]:
    """Function by function, with stand-ins for the unknown; only where a run has not decided."""
    from dtlint.trace import slicing

    open_ones = [number for number, verdict in enumerate(earlier) if verdict.state in ("inconclusive", "not-reached")]
    verdicts = list(earlier)
    answers = slicing.verdicts([findings[number] for number in open_ones], root, deadline, progress)
    for number, answer in zip(open_ones, answers, strict=True):
        if mode == "slice" or answer.state in ("confirmed", "refuted"):
            verdicts[number] = answer
    return verdicts
