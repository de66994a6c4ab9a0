"""Which scripts have run for this verification, and how is each kind of run asked for?"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dtlint.findings import Finding
from dtlint.trace import comparing, interpreter, locate, noting
from dtlint.trace.jax.shape import speaks_of_hosts
from dtlint.trace.model import Result
from dtlint.trace.session import Job, NotPossible, Session

JOB_LIMIT = 45.0
BATCHES_WHEN_SLOW, STEPS_WHEN_SLOW = 4, 8  # of a script that did not come to its end in time
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


class Runs:
    """The runs of one verification: each script runs once for all its findings, within the budget."""

    def __init__(self, python: str, deadline: float, root: str, findings: Sequence[Finding]) -> None:
        self.python, self.deadline, self.root = python, deadline, root
        self.paths = tuple(sorted({path_of(finding, root) for finding in findings}))
        # seeing what a rank sees takes a little time, and is of use for some rules only
        seeing = comparing.COMPARED | noting.NOTED.keys()
        self.extra = {"see": True} if any(finding.code in seeing for finding in findings) else None
        self.sessions: dict[str, Session | NotPossible] = {}
        self.done: dict[tuple[object, ...], Result] = {}
        self.slow: set[str] = set()  # scripts that are run with a few batches only
        self.without: dict[str, tuple[tuple[str, int], ...]] = {}  # by script: the statements to leave out

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
        known = self.without.get(script, ())
        self.without[script] = known if (path, line) in known else (*known, (path, line))
        return (path, line) not in known

    def forget(self, script: str) -> None:
        """Run this script once more when it is asked for."""
        self.done = {key: result for key, result in self.done.items() if script not in key}

    def latest(self, script: str) -> Result | None:
        """The run of the script as it stands, if there was one."""
        gone = self.without.get(script, ())
        return self.done.get((gone, script, 2)) or self.done.get((gone, script, "jax"))

    def plain(self, script: str, ranks: int = 2) -> Result:
        # four ranks on two hosts show what two cannot: subgroups, local ranks, unequal neighbours
        per_host = 2 if ranks == 4 else 0
        job = Job(script, ranks, per_host, self.root, cover=self.paths, timeout=self._limit(), extra=self.extra)
        return self._run((script, ranks), job)

    def on_hosts(self, script: str) -> Result:
        """Four ranks on two hosts with two GPUs each, and nothing tried when these are in the way."""
        job = Job(script, 4, 2, self.root, cover=self.paths, timeout=self._limit(), extra=self.extra)
        return self._run((script, "hosts"), job, as_is=True)

    def of_jax(self, script: str) -> Result:
        ranks = HOSTS if speaks_of_hosts(Path(script)) else DEVICES
        job = Job(script, ranks, 0, self.root, (), self._limit(), engine="jax", cover=self.paths, extra=self.extra)
        return self._run((script, "jax"), job, "jax")

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

    def listing(self, script: str) -> Result:
        """One rank gets the names in its directories in another order."""
        prelude = {"rank": 1, "code": OTHER_ORDER}
        job = Job(script, 2, 0, self.root, (), self._limit(), cover=self.paths, extra=self.extra, prelude=prelude)
        return self._run((script, "listing"), job)

    def _limit(self) -> float:
        return max(1.0, min(JOB_LIMIT, self.deadline - time.monotonic()))

    def _run(self, key: tuple[object, ...], job: Job, framework: str = "torch", *, as_is: bool = False) -> Result:
        gone = self.without.get(job.script, ())
        key = (gone, *key)
        if key not in self.done:
            session = self.session(framework)
            run = session.run if as_is else session.run_as_wanted
            batches = BATCHES_WHEN_SLOW if job.script in self.slow else 0
            job = replace(job, without=gone, batches=batches)
            result = run(job)
            if result.outcome.reason == "timeout" and not job.batches and framework == "torch" and not self.over:
                self.slow.add(job.script)
                job = replace(job, batches=BATCHES_WHEN_SLOW, timeout=self._limit())
                result = run(job)
            if result.outcome.reason == "timeout" and not self.over:
                result = run(replace(job, batches=0, steps=STEPS_WHEN_SLOW, timeout=self._limit()))
            self.done[key] = result
        return self.done[key]


def path_of(finding: Finding, root: str) -> str:
    return os.path.realpath(os.path.join(root, finding.span.path))
