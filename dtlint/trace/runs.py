"""Which scripts have run for this verification, and how is each kind of run asked for?"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dtlint.findings import Finding
from dtlint.launch import starts
from dtlint.launch.model import Launch
from dtlint.trace import comparing, interpreter, locate, noting
from dtlint.trace.jax.shape import speaks_of_hosts
from dtlint.trace.model import Result
from dtlint.trace.session import Job, NotPossible, Session

JOB_LIMIT, MOST_PATIENCE = 45.0, 4.0
BATCHES_WHEN_SLOW, STEPS_WHEN_SLOW = 4, 8  # of a script that did not come to its end in time
NOT_HERE = ("ModuleNotFoundError", "FileNotFoundError")
DEVICES, HOSTS = 4, 2  # of a JAX program
# the order of a directory is up to its file system, and hosts need not have the same one
OTHER_ORDER = """\
import glob, os, pathlib
def turned(original):
    return lambda *args, **keywords: list(original(*args, **keywords))[::-1]
os.listdir, glob.glob, glob.iglob = turned(os.listdir), turned(glob.glob), turned(glob.iglob)
for name in ("iterdir", "glob", "rglob"):
    setattr(pathlib.Path, name, turned(getattr(pathlib.Path, name)))
"""


Changes = dict[str, tuple[tuple[str, int], ...]]


class Runs:
    """The runs of one verification: each script runs once for all its findings, within the budget."""

    def __init__(self, python: str, deadline: float, root: str, findings: Sequence[Finding]) -> None:
        self.python, self.deadline, self.root = python, deadline, root
        self.paths = tuple(sorted({path_of(finding, root) for finding in findings}))
        # seeing what a rank sees takes a little time, and is of use for some rules only
        seeing = comparing.COMPARED | noting.NOTED.keys() | {"DT209"}
        unchanged = [(path_of(finding, root), finding.span.line) for finding in findings if finding.code == "DT511"]
        see: dict[str, object] = {"see": True, "unchanged": unchanged}
        self.extra = see if any(finding.code in seeing for finding in findings) else None
        self.sessions: dict[str, Session | NotPossible] = {}
        self.done: dict[tuple[object, ...], Result] = {}
        self.slow: set[str] = set()  # scripts that are run with a few batches only
        self.made_up: set[str] = set()  # scripts that are run with stand-ins for data and modules that are not here
        self.starts: dict[str, Launch | None] = {}  # how scripts that wanted arguments are started, if that is known
        self.without: Changes = {}  # by script: the statements to leave out
        self.lenient: Changes = {}  # by script: the calls to let through

    def __enter__(self) -> Runs:
        return self

    def __exit__(self, *_: object) -> None:
        for session in self.sessions.values():
            if isinstance(session, Session):
                session.close()

    @property
    def over(self) -> bool:
        return time.monotonic() > self.deadline

    def session(self, framework: str) -> Session:
        """The one of this framework, started when the first script wants it."""
        if framework not in self.sessions:
            try:
                chosen = interpreter.choose(self.python, framework)
                started = Session(chosen, f"dtlint.trace.{framework}.server", framework=framework)
                self.sessions[framework] = started.__enter__()
            except NotPossible as problem:
                self.sessions[framework] = problem
        session = self.sessions[framework]
        if isinstance(session, NotPossible):
            raise session
        return session

    def leave_out(self, script: str, path: str, line: int) -> bool:
        """From now on, run this script without that statement; whether this is new."""
        return _added(self.without, script, (path, line))

    def let_through(self, script: str, path: str, line: int) -> bool:
        """From now on, what would fail in this call does not; whether this is new."""
        return _added(self.lenient, script, (path, line))

    def latest(self, script: str) -> Result | None:
        """The run of the script as it stands, if there was one."""
        changed = self._changed(script)
        return self.done.get((changed, script, 2)) or self.done.get((changed, script, "jax"))

    def _changed(self, script: str) -> tuple[object, ...]:
        return self.without.get(script, ()), self.lenient.get(script, ())

    def plain(self, script: str, ranks: int = 2) -> Result:
        # four ranks on two hosts show what two cannot: subgroups, local ranks, unequal neighbours
        per_host = 2 if ranks == 4 else 0
        job = Job(script, ranks, per_host, self.root, cover=self.paths, timeout=self._limit(), extra=self.extra)
        return self._run((script, ranks), job)

    def on_hosts(self, script: str) -> Result:
        """Four ranks on two hosts with two GPUs each, and nothing tried when these are in the way."""
        job = Job(script, 4, 2, self.root, cover=self.paths, timeout=self._limit(), extra=self.extra)
        return self._run((script, "hosts"), job, as_is=True)

    def of_jax(
        self, script: str, devices: int = DEVICES, whole: bool = False, shorter: tuple[str, int] | None = None
    ) -> Result:
        """`whole`: only whole batches; `shorter`: the loader made there has a sample less."""
        ranks = HOSTS if speaks_of_hosts(Path(script)) else devices
        extra = {**(self.extra or {}), "whole": whole, "shorter": shorter}
        job = Job(script, ranks, 0, self.root, (), self._limit(True), engine="jax", cover=self.paths, extra=extra)
        changes = (devices, whole, shorter) if (devices, whole, shorter) != (DEVICES, False, None) else ()
        return self._run((script, "jax", *changes), job, "jax")

    def failing(self, script: str, path: str, failure: locate.Failure) -> Result:
        inject = {"path": path, "line": failure.line, "rank": 1, "exception": failure.exception}
        inject |= {"last": failure.last, "halfway": failure.halfway}
        if failure.message:
            inject["message"] = failure.message
        job = Job(script, cover=self.paths, timeout=self._limit(), directory=self.root, inject=inject)
        return self._run((script, path, failure), job)

    def signalled(self, script: str, name: str) -> Result:
        """One rank receives this signal after a few calls."""
        inject = {"rank": 1, "signal": name}
        job = Job(script, cover=self.paths, timeout=self._limit(), directory=self.root, inject=inject)
        return self._run((script, name), job)

    def slowed(self, script: str, path: str, line: int) -> Result:
        """Whoever comes to this line waits there until no other rank can go on."""
        slow = {"path": path, "line": line}
        job = Job(script, cover=self.paths, timeout=self._limit(), directory=self.root, slow=slow)
        return self._run((script, "slow", path, line), job)

    def deciding(self, script: str, path: str, line: int) -> Result:
        flip = {"path": path, "line": line, "rank": 1}
        job = Job(script, cover=self.paths, timeout=self._limit(), directory=self.root, flip=flip)
        return self._run((script, path, line), job)

    def resumed(self, script: str) -> Result:
        """Run a second time, beside the files of the first."""
        job = Job(script, cover=self.paths, timeout=self._limit(), directory=self.root, extra=self.extra, again=True)
        return self._run((script, "again"), job)

    def refusing(self, script: str, path: str, line: int) -> Result:
        """The managers that are asked there do not commit."""
        refuse = {"path": path, "line": line}
        job = Job(script, cover=self.paths, timeout=self._limit(), directory=self.root, extra=self.extra, refuse=refuse)
        return self._run((script, "refuse", path, line), job)

    def listing(self, script: str) -> Result:
        """One rank gets the names in its directories in another order."""
        prelude = {"rank": 1, "code": OTHER_ORDER}
        job = Job(script, 2, 0, self.root, (), self._limit(), cover=self.paths, extra=self.extra, prelude=prelude)
        return self._run((script, "listing"), job)

    def _limit(self, patient: bool = False) -> float:
        """`patient`: there is no shorter run to try, and a busy machine takes longer for the same."""
        crowd = os.getloadavg()[0] / (os.cpu_count() or 1)
        limit = JOB_LIMIT * (min(max(crowd, 1.0), MOST_PATIENCE) if patient else 1.0)
        return max(1.0, min(limit, self.deadline - time.monotonic()))

    def _run(self, key: tuple[object, ...], job: Job, framework: str = "torch", *, as_is: bool = False) -> Result:
        key = (self._changed(job.script), *key)
        if key not in self.done:
            session = self.session(framework)
            run = session.run if as_is else session.run_as_wanted
            batches = BATCHES_WHEN_SLOW if job.script in self.slow else 0
            gone, lenient = self.without.get(job.script, ()), self.lenient.get(job.script, ())
            made_up = job.script in self.made_up
            job = replace(job, without=gone, lenient=lenient, batches=batches, turns=True, synthetic=made_up)
            job = _started(job, self.starts.get(job.script))
            result = run(job)
            if job.script not in self.starts and _stopped_early(result) and not self.over:
                self.starts[job.script] = start = starts.first(job.script, self.root)
                job = _started(job, start)
                result = run(job) if start is not None else result
            if not made_up and _lacks_something(result) and not self.over:
                self.made_up.add(job.script)
                job = replace(job, synthetic=True, timeout=self._limit(True))
                result = session.run_as_wanted(job)
            if result.outcome.reason == "timeout" and not job.batches and framework == "torch" and not self.over:
                self.slow.add(job.script)
                job = replace(job, batches=BATCHES_WHEN_SLOW, timeout=self._limit(True))
                result = run(job)
            if result.outcome.reason == "timeout" and not self.over:
                result = run(replace(job, batches=0, steps=STEPS_WHEN_SLOW, timeout=self._limit()))
            self.done[key] = result
        return self.done[key]


def _added(changes: Changes, script: str, place: tuple[str, int]) -> bool:
    """Whether this place is new among those of the script."""
    known = changes.get(script, ())
    if place in known:
        return False
    changes[script] = (*known, place)
    return True


def _started(job: Job, start: Launch | None) -> Job:
    return job if start is None else replace(job, **starts.as_there(start))


def _stopped_early(result: Result) -> bool:
    """Whether every rank refused to go on before it communicated: the script may want arguments."""
    return not result.events and bool(result.ends) and all(end.how in ("exit", "exception") for end in result.ends)


def _lacks_something(result: Result) -> bool:
    """Whether every rank ended for want of a module or a file."""
    wanting = [end.how == "exception" and end.text.startswith(NOT_HERE) for end in result.ends]
    return bool(wanting) and all(wanting)


def path_of(finding: Finding, root: str) -> str:
    return os.path.realpath(os.path.join(root, finding.span.path))
