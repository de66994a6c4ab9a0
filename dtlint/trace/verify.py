"""Does a finding happen? For each finding the smallest runs that can decide it.

`verify` is what `dtlint check --verify` calls. It runs code of the checked project (in the sandbox, see sandbox.py);
`check` without `--verify` never does. A verdict is added to every finding and none is dropped.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from dtlint.findings import Finding, Verdict
from dtlint.trace import interpreter, judge, locate
from dtlint.trace.model import Result
from dtlint.trace.session import Job, NotPossible, Session

# rules whose harm is that ranks do not meet: what the lockstep engine can see
MEETINGS = frozenset({f"DT{number}" for number in range(101, 113)} | {"DT117", "DT412"})
FAILURES = ("DT105", "DT106")  # decided by making one rank fail
DECISIONS = ("DT110", "DT111")  # decided by making one rank decide otherwise
SCRIPTS_TRIED = 3
JOB_LIMIT = 30.0
STRENGTH_ORDER = ("confirmed", "refuted", "inconclusive", "not-reached")

Progress = Callable[[int, int], None]


class Runs:
    """The runs of one verification: each script runs once for all its findings, within the budget."""

    def __init__(self, session: Session, deadline: float, root: str, paths: Sequence[str]) -> None:
        self.session, self.deadline, self.root = session, deadline, root
        self.paths = tuple(sorted(set(paths)))
        self.done: dict[tuple[object, ...], Result] = {}

    @property
    def over(self) -> bool:
        return time.monotonic() > self.deadline

    def plain(self, script: str, ranks: int = 2) -> Result:
        # four ranks on two hosts show what two cannot: subgroups, local ranks, unequal neighbours
        per_host = 2 if ranks == 4 else 0
        job = Job(script, ranks, per_host, self.root, cover=self.paths, timeout=self._limit())
        return self._run((script, ranks), job)

    def failing(self, script: str, path: str, failure: locate.Failure) -> Result:
        inject = {"path": path, "line": failure.line, "rank": 1, "exception": failure.exception}
        job = Job(script, cover=self.paths, timeout=self._limit(), directory=self.root, inject=inject)
        return self._run((script, path, failure), job)

    def deciding(self, script: str, path: str, line: int) -> Result:
        flip = {"path": path, "line": line, "rank": 1}
        job = Job(script, cover=self.paths, timeout=self._limit(), directory=self.root, flip=flip)
        return self._run((script, path, line), job)

    def _limit(self) -> float:
        return max(1.0, min(JOB_LIMIT, self.deadline - time.monotonic()))

    def _run(self, key: tuple[object, ...], job: Job) -> Result:
        if key not in self.done:
            self.done[key] = self.session.run_as_wanted(job)
        return self.done[key]


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
    if not findings:
        return []
    try:
        chosen = interpreter.choose(python, "torch")
        with Session(chosen) as session:
            paths = [_path(finding, root) for finding in findings]
            runs = Runs(session, deadline, root, paths)
            verdicts = []
            for number, finding in enumerate(findings):
                if progress is not None:
                    progress(number, len(findings))
                verdicts.append(_one(finding, paths[number], runs))
            return verdicts
    except NotPossible as problem:
        return [Verdict("inconclusive", f"not-supported: {problem}", "run")] * len(findings)


def _path(finding: Finding, root: str) -> str:
    return os.path.realpath(os.path.join(root, finding.span.path))


def _one(finding: Finding, path: str, runs: Runs) -> Verdict:
    """The best verdict that the scripts which reach this finding can give."""
    if finding.code not in MEETINGS:
        return Verdict(
            "inconclusive", "not-supported: the harm of this rule is not a call that some rank misses", "run"
        )
    if finding.cell is not None or not path.endswith(".py"):
        return Verdict("inconclusive", "not-supported: only Python files are run", "run")
    scripts = locate.scripts_for(path, runs.root)
    if not scripts:
        return Verdict("not-reached", "no script of the project reaches this file", "run")
    best = Verdict("not-reached", "", "run")
    for script in scripts[:SCRIPTS_TRIED]:
        if runs.over:
            return best if best.reason else Verdict("inconclusive", "budget", "run")
        if interpreter.framework_of(locate.text_of(script)) == "jax":
            found = Verdict("inconclusive", "not-supported: a jax program", "run")
        else:
            found = _in_script(finding, path, script, runs)
        if not best.reason or STRENGTH_ORDER.index(found.state) < STRENGTH_ORDER.index(best.state):
            best = found
        if best.state == "confirmed":
            break
    return best


def _in_script(finding: Finding, path: str, script: str, runs: Runs) -> Verdict:
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
