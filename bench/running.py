"""How does a benchmark run dtlint? As a user does: the command line, JSON out, nothing shared with this process."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dtlint import engine
from dtlint.config import Config
from dtlint.report import json as json_report
from dtlint.report.model import RenderOptions

REPOSITORY = Path(__file__).resolve().parent.parent
COMPLETE_ANSWERS = (0, 1, 3)  # clean, findings, findings of an incomplete analysis
WALL_PER_PROCESSOR = 20  # a machine that does much else: the clock then only ends what waits for ever


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a finding's trail."""

    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Reported:
    """What a benchmark needs of one finding in the JSON output."""

    code: str
    path: str
    line: int
    message: str
    fingerprint: str
    tier: str
    trail: tuple[Step, ...] = ()

    @property
    def places(self) -> tuple[tuple[str, int], ...]:
        return ((self.path, self.line), *((step.path, step.line) for step in self.trail))


@dataclass(frozen=True, slots=True)
class Answer:
    """One run of dtlint. `failure` is empty when it gave a usable answer."""

    findings: tuple[Reported, ...]
    seconds: float
    exit_code: int
    files: int = 0
    incomplete: tuple[str, ...] = ()
    failure: str = ""
    raw: dict[str, Any] = field(default_factory=dict, compare=False)


def command_line(arguments: Sequence[str]) -> list[str]:
    return [sys.executable, "-m", "dtlint", *arguments]


def limited(command: Sequence[str], processor_seconds: float) -> list[str]:
    """The command, ended when one of its processes has used so much of the processor, however long that took."""
    return ["/bin/sh", "-c", 'ulimit -S -t "$0" && exec "$@"', str(max(1, math.ceil(processor_seconds))), *command]


def environment(cache: Path | None) -> dict[str, str]:
    """The repository's own dtlint, and a cache of the benchmark's choice."""
    variables = dict(os.environ)
    paths = [str(REPOSITORY), variables.get("PYTHONPATH", "")]
    variables["PYTHONPATH"] = os.pathsep.join(path for path in paths if path)
    variables["NO_COLOR"] = "1"
    if variables.pop("PYTHONDONTWRITEBYTECODE", ""):  # an installed one is compiled: half a second
        variables.setdefault("PYTHONPYCACHEPREFIX", str(Path(tempfile.gettempdir(), "dtlint-bench-bytecode")))
    if cache is not None:
        variables["DTLINT_CACHE_DIR"] = str(cache)
    return variables


def check(
    root: Path,
    paths: Sequence[str] = (".",),
    *,
    options: Sequence[str] = (),
    limit_seconds: float = 600.0,
    processor_seconds: float | None = None,
    cache: Path | None = None,
) -> Answer:
    """Run `dtlint check` in `root`; without `cache` the run starts with an empty one."""
    command = command_line(["check", "--isolated", "--output-format", "json", *options, *paths])
    if processor_seconds is not None:
        command, limit_seconds = limited(command, processor_seconds), processor_seconds * WALL_PER_PROCESSOR
    with tempfile.TemporaryDirectory(prefix="dtlint-cache-", ignore_cleanup_errors=True) as fresh:
        started = time.perf_counter()
        try:
            done = subprocess.run(
                command,
                cwd=root,
                env=environment(cache or Path(fresh)),
                capture_output=True,
                text=True,
                encoding="utf-8",
                errors="replace",
                timeout=limit_seconds,
            )
        except subprocess.TimeoutExpired:
            return Answer((), time.perf_counter() - started, -1, failure=f"no answer in {limit_seconds:.0f} s")
        seconds = time.perf_counter() - started
    if processor_seconds is not None and done.returncode == -signal.SIGXCPU:
        return Answer((), seconds, done.returncode, failure=f"no answer in {processor_seconds:.0f} s of the processor")
    return parse(done.stdout, done.stderr, done.returncode, seconds)


def check_here(root: Path) -> Answer:
    """What the command would answer with an empty cache, asked in this process; its directory changes for it."""
    started = time.perf_counter()
    before = Path.cwd()
    os.chdir(root)
    try:
        report = engine.check(["."], replace(Config(), root=root, cache=False, jobs=1))
    finally:
        os.chdir(before)
    return parse(json_report.render(report, RenderOptions()), "", 0, time.perf_counter() - started)


def parse(output: str, errors: str, exit_code: int, seconds: float) -> Answer:
    if exit_code not in COMPLETE_ANSWERS:
        return Answer((), seconds, exit_code, failure=f"exit code {exit_code}: {last_line(errors)}")
    try:
        raw = json.loads(output)
    except ValueError:
        return Answer((), seconds, exit_code, failure=f"output is not JSON: {last_line(errors)}")
    summary = raw.get("summary", {})
    return Answer(
        findings=tuple(reported(row) for row in raw["findings"]),
        seconds=seconds,
        exit_code=exit_code,
        files=int(summary.get("files", 0)),
        incomplete=tuple(describe(row) for row in summary.get("incomplete", ())),
        raw=raw,
    )


def reported(row: dict[str, Any]) -> Reported:
    return Reported(
        code=row["code"],
        path=as_relative(row["path"]),
        line=int(row["line"]),
        message=row.get("message", ""),
        fingerprint=row.get("fingerprint", ""),
        tier=row.get("tier", "default"),
        trail=tuple(Step(as_relative(step["path"]), int(step["line"])) for step in row.get("trail") or ()),
    )


def as_relative(path: str) -> str:
    return path[2:] if path.startswith("./") else path


def describe(row: object) -> str:
    if isinstance(row, dict):
        return f"{row.get('path')}:{row.get('line', 0)}: {row.get('reason', '')}"
    return str(row)


def last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "no message"
