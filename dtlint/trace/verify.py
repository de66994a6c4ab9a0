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
from dtlint.trace import comparing, interpreter, judge, locate, noting
from dtlint.trace.jax import judge as of_jax
from dtlint.trace.model import Result
from dtlint.trace.runs import Runs, path_of
from dtlint.trace.session import NotPossible

# rules whose harm is that ranks do not meet: what the lockstep engine can see
MEETINGS = frozenset({f"DT{number}" for number in range(101, 113)} | {"DT117", "DT412", "DT802", "DT803"})
FAILURES = ("DT105", "DT106")  # decided by making one rank fail
DECISIONS = ("DT110", "DT111")  # decided by making one rank decide otherwise
PARTING = MEETINGS | of_jax.MEETINGS | comparing.UNEVEN
SUPPORTED = MEETINGS | comparing.COMPARED | noting.NOTED.keys() | {"DT114", "DT501"}
SUPPORTED |= {"DT209"} | of_jax.MEETINGS | of_jax.FAILING | of_jax.FACTS.keys()
SCRIPTS_TRIED = 3
ODD_DEVICES = 3
MAKING = re.compile(r"\b(mkdir|makedirs)\(")
LISTING = re.compile(r"\b(listdir|scandir|glob|iglob|rglob|iterdir|walk)\b")
STRENGTH_ORDER = ("confirmed", "refuted", "inconclusive", "not-reached")
# their call can be let through: a quorum taken for granted, options dropped, one branch for all devices
LENIENT = frozenset({"DT303", "DT401", "DT406", "DT504", "DT602", "DT801"})
ROUNDS = 6  # of runs that go on past what the runs before have confirmed

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
        verdicts = _one_for_each_failure(findings, verdicts)
        for _ in range(ROUNDS):
            if runs.over or not _leave_out(findings, verdicts, runs):
                break
            for number, finding in enumerate(findings):
                if verdicts[number].state in ("inconclusive", "not-reached"):
                    verdicts[number] = _past_others(finding, verdicts[number], runs)
            verdicts = _one_for_each_failure(findings, verdicts)
    return verdicts


def _one_for_each_failure(findings: Sequence[Finding], verdicts: list[Verdict]) -> list[Verdict]:
    """What fails at the line of one finding says nothing about another one that only leads there."""
    owners = {
        verdict.reason.partition(comparing.FAILS_HERE)[2]: finding
        for finding, verdict in zip(findings, verdicts, strict=True)
        if comparing.FAILS_HERE in verdict.reason
    }
    answers = []
    for finding, verdict in zip(findings, verdicts, strict=True):
        owner = owners.get(verdict.reason.partition(comparing.FAILS_FROM_HERE)[2])
        if comparing.FAILS_FROM_HERE in verdict.reason and owner is not None and owner is not finding:
            where = f"{owner.code} at line {owner.span.line}"
            verdict = Verdict("inconclusive", f"other-failure: the call fails, but because of {where}", "run")
        answers.append(verdict)
    return answers


def _leave_out(findings: Sequence[Finding], verdicts: Sequence[Verdict], runs: Runs) -> bool:
    """What has been confirmed and ends its run goes, so that what comes after it is seen. Whether anything went."""
    grown = False
    for finding, verdict in zip(findings, verdicts, strict=True):
        if verdict.state != "confirmed":
            continue
        path = path_of(finding, runs.root)
        for script in _scripts(finding, path, runs):
            result = runs.latest(script)
            for place in _to_leave_out(finding, path, result) if result is not None else ():
                change = runs.let_through if finding.code in LENIENT else runs.leave_out
                grown |= change(script, *place)
    return grown


def _to_leave_out(finding: Finding, path: str, result: Result) -> list[tuple[str, int]]:
    """Where this finding ends its run: its decision, or else its own statement and the calls that wait."""
    own = (path, locate.to_leave_out(path, finding.span.line))
    if finding.code in LENIENT:
        return [(path, finding.span.line)]
    if result.outcome.kind in judge.PARTED:
        if finding.code not in PARTING or not judge.points_at(finding, path, result):
            return []
        calls = [event.place for event in judge.calls_of(finding, path, result)]
        if locate.decides(path, finding.span.line):
            calls = []
        places = [own, *(place.real for place in calls)]
        return [(where, line) for where, line in places if line and locate.to_leave_out(where, line) == line]
    failed = result.outcome.kind == "inconclusive" and comparing.failures_at(comparing.places_of(finding, path), result)
    return [own] if failed and own[1] and finding.code in comparing.FAILING | of_jax.FAILING else []


def _past_others(finding: Finding, before: Verdict, runs: Runs) -> Verdict:
    """Only a confirmation of a changed program says something about the program as it is."""
    path = path_of(finding, runs.root)
    changes = []
    for table, what in ((runs.without, "left out"), (runs.lenient, "let through")):
        places = {place for script in _scripts(finding, path, runs) for place in table.get(script, ())}
        if places:
            changes.append(f"{_lines(places, path)} {what}")
    if not changes or runs.over:
        return before
    again = _one(finding, path, runs)
    if again.state == "refuted":
        return before
    return replace(again, reason=f"with {' and '.join(changes)}: {again.reason}")


def _lines(places: set[tuple[str, int]], path: str) -> str:
    """`lines 3, 7 and model.py:12`, as seen from one file."""
    own = [str(line) for where, line in sorted(places) if where == path]
    names = [f"{os.path.basename(where)}:{line}" for where, line in sorted(places) if where != path]
    here = [f"line{'s' if len(own) > 1 else ''} {', '.join(own)}"] if own else []
    return ", ".join([*here, *names])


def _scripts(finding: Finding, path: str, runs: Runs) -> list[str]:
    """Scripts that reach this file, those that the finding itself mentions first."""
    near = runs.root if path.startswith(os.path.join(runs.root, "")) else os.path.dirname(path)
    mentioned = {os.path.realpath(os.path.join(runs.root, step.path)) for step in finding.trail}
    return sorted(locate.scripts_for(path, near), key=lambda script: script not in mentioned)[:SCRIPTS_TRIED]


def _one(finding: Finding, path: str, runs: Runs) -> Verdict:
    """The best verdict that the scripts which reach this finding can give."""
    if finding.cell is not None or not path.endswith(".py"):
        return Verdict("inconclusive", "not-supported: only Python files are run", "run")
    if finding.code not in SUPPORTED:
        reason = "not-supported: the harm of this rule does not show in a traced run"
        return Verdict("inconclusive", reason, "run")
    scripts = _scripts(finding, path, runs)
    if not scripts:
        return Verdict("not-reached", "no script of the project reaches this file", "run")
    best = Verdict("not-reached", "", "run")
    for script in scripts:
        if runs.over:
            return best if best.reason else Verdict("inconclusive", "budget", "run")
        found = _in_script(finding, path, script, runs)
        if script in runs.made_up:  # what other data would do is not known
            state = "inconclusive" if found.state == "refuted" else found.state
            found = replace(found, state=state, reason=f"with stand-ins for what is not here: {found.reason}")
        if (start := runs.starts.get(script)) is not None:
            found = replace(found, reason=f"started as in {start.path}:{start.line}: {found.reason}")
        if not best.reason or STRENGTH_ORDER.index(found.state) < STRENGTH_ORDER.index(best.state):
            best = found
        if best.state == "confirmed":
            break
    return best


def _in_script(finding: Finding, path: str, script: str, runs: Runs) -> Verdict:
    try:
        if interpreter.framework_of(locate.text_of(script)) == "jax":
            return _of_jax(finding, path, script, runs)
        if finding.code in MEETINGS:
            return _of_meetings(finding, path, script, runs)
        if finding.code == "DT114":
            return _of_race(finding, path, script, runs)
        if finding.code in noting.NOTED:
            return _of_notes(finding, path, script, runs)
        if finding.code == "DT501":  # on one host, or with as many GPUs as ranks, there is nothing wrong
            return noting.verdict_of_devices(finding, path, runs.on_hosts(script))
        if finding.code in comparing.COMPARED:
            return _of_comparison(finding, path, script, runs)
    except NotPossible as problem:
        return Verdict("inconclusive", f"not-supported: {problem}", "run")
    return Verdict("inconclusive", "not-supported: the harm of this rule does not show in a run of torch", "run")


def _of_jax(finding: Finding, path: str, script: str, runs: Runs) -> Verdict:
    plain = runs.of_jax(script)
    if finding.code == "DT209":  # a batch that these devices can divide, others may not
        other = runs.of_jax(script, devices=ODD_DEVICES, whole=True)
        return of_jax.verdict_of_change(finding, path, plain, other, f"with {ODD_DEVICES} devices")
    found = of_jax.verdict(finding, path, plain)
    if finding.code == "DT202" and found.state != "confirmed" and not runs.over:
        other = runs.of_jax(script, shorter=(path, finding.span.line))
        return of_jax.verdict_of_change(finding, path, plain, other, "with one sample less")
    return found


def _of_race(finding: Finding, path: str, script: str, runs: Runs) -> Verdict:
    """The ranks come here in any order: what if the one that writes is the last?"""
    found = Verdict("inconclusive", "no-writer: the finding names no line that writes", "run")
    for where, line in sorted(comparing.places_of(finding, path) - judge.own_places(finding, path)):
        if runs.over:
            break
        found = noting.verdict_of_slowness(finding, path, runs.slowed(script, where, line))
        if found.state == "confirmed":
            break
    return found


def _of_notes(finding: Finding, path: str, script: str, runs: Runs) -> Verdict:
    found = noting.verdict(finding, path, runs.plain(script))
    if found.state == "confirmed" or runs.over:
        return found
    if finding.code == "DT510":  # what a checkpoint is loaded for, a first run may not do
        return noting.verdict(finding, path, runs.resumed(script))
    if finding.code == "DT804" and "should_commit" in locate.line_of(path, finding.span.line):
        return noting.verdict_of_refusal(finding, path, runs.refusing(script, path, finding.span.line))
    return found


def _of_comparison(finding: Finding, path: str, script: str, runs: Runs) -> Verdict:
    found = comparing.verdict(finding, path, runs.plain(script))
    line = locate.line_of(path, finding.span.line)
    if finding.code in comparing.WRITES and found.state == "inconclusive" and MAKING.search(line) and not runs.over:
        # between the question whether it is there and the making, another rank may have made it
        late = comparing.failing(finding, path, runs.slowed(script, path, finding.span.line))
        return replace(late, reason=f"where another rank comes before: {late.reason}") if late else found
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
    if plain.outcome.kind in judge.PARTED and judge.calls_of(finding, path, plain):
        return judge.verdict(finding, path, plain)  # a rank failed by itself, and came here
    if number := locate.signal_of(path, finding.span.line):
        return judge.verdict_of_failure(plain, runs.signalled(script, number), f"receive {number} in its first calls")
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
    if found.reason.startswith("agreed") and failure.last and not runs.over:
        # what fails before it has communicated can be made up for; what fails afterwards cannot
        halfway = replace(failure, halfway=True)
        later = judge.verdict_of_failure(plain, runs.failing(script, where, halfway), "fail halfway through")
        found = later if later.state == "confirmed" else found
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

    verdicts = list(earlier)
    open_ones = []
    for number, verdict in enumerate(earlier):
        if findings[number].code not in MEETINGS | of_jax.MEETINGS:  # a slice sees which calls are made, and no more
            if mode == "slice":
                reason = "not-supported: the harm of this rule does not show in a slice"
                verdicts[number] = Verdict("inconclusive", reason, "slice")
        elif verdict.state in ("inconclusive", "not-reached"):
            open_ones.append(number)
    answers = slicing.verdicts([findings[number] for number in open_ones], root, deadline, progress)
    for number, answer in zip(open_ones, answers, strict=True):
        if mode == "slice" or answer.state in ("confirmed", "refuted"):
            verdicts[number] = answer
    return verdicts
