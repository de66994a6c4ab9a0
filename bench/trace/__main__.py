"""Are the verdicts of the traced run right? Every runnable bad and good fixture of DT1, run with the lockstep engine.

    python -m bench.trace [--python INTERPRETER] [--select DT101] [--json FILE]

A bad program must be seen to part, its good twin must be seen to agree (or, where one rank is made to fail, to fail
loudly). Codes whose harm is no missed meeting on a CPU (races, unwaited
works, results off the root, crossed communicators) are run but only their
good twins can be judged.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from dtlint.trace import interpreter
from dtlint.trace.model import Result
from dtlint.trace.session import Job, NotPossible, Session

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures"
HEADER = re.compile(r"#\s*run:\s*torchrun\s+(\d+)(?:\s+fault=rank(\d+))?")
FAULT = re.compile(r"#\s*fault:\s*(.+)")
NO_MEETING = {"DT113", "DT114", "DT115", "DT116"}
TIME_LIMIT = 0.5


@dataclass(frozen=True)
class Program:
    name: str
    script: Path
    ranks: int
    good: bool
    fault: int | None
    code: str


@dataclass(frozen=True)
class Judged:
    name: str
    good: bool
    outcome: str
    reason: str
    wall: float
    verdict: str  # right | false | missed | undecided


def programs(select: str) -> list[Program]:
    found = []
    for script in sorted(FIXTURES.glob("DT1*/**/*.py")):
        lines = script.read_text("utf-8").splitlines()[:4]
        match = HEADER.match(lines[0]) if lines else None
        code = script.relative_to(FIXTURES).parts[0]
        if match is None or (select and not code.startswith(select)):
            continue
        name = "/".join(script.relative_to(FIXTURES).parts[:2])
        fault = next((found_.group(1) for line in lines if (found_ := FAULT.match(line))), "")
        rank = int(match.group(2)) if match.group(2) else None
        good = name.removesuffix(".py").endswith("_ok")
        found.append(Program(name, script, int(match.group(1)), good, rank, fault))
    return found


def judge(program: Program, result: Result) -> str:
    kind, reason = result.outcome.kind, result.outcome.reason
    parted = kind in ("mismatch", "deadlock")
    if program.good:
        if kind == "agreed" or (program.fault is not None and reason == "injected-failure"):
            return "right"
        return "false" if parted else "undecided"
    if parted:
        return "right"
    if program.name.split("/")[0] in NO_MEETING:
        return "not judged"
    return "missed" if kind == "agreed" else "undecided"


def run(python: str, chosen: list[Program], timeout: float) -> list[Judged]:
    judged = []
    with Session(python) as session:
        print(f"{session.ready['framework']}, import {session.ready['import_seconds']} s", file=sys.stderr)
        for program in chosen:
            prelude = {"rank": program.fault, "code": program.code} if program.fault is not None else None
            folder = str(program.script.parent)  # what a program reads lies beside it
            job = Job(str(program.script), program.ranks, 0, folder, timeout=timeout, prelude=prelude)
            began = time.monotonic()
            result = session.run_as_wanted(job)
            wall = round(time.monotonic() - began, 3)
            outcome = result.outcome
            row = Judged(program.name, program.good, outcome.kind, outcome.reason, wall, judge(program, result))
            judged.append(row)
            if row.verdict in ("false", "missed", "undecided"):
                print(f"{row.verdict:>10}  {row.name}  {outcome.kind}: {outcome.sentence[:160]}", file=sys.stderr)
    return judged


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.trace", description=__doc__.splitlines()[0])
    parser.add_argument("--python", default="", help="the interpreter that has torch")
    parser.add_argument("--select", default="", help="only codes that start so")
    parser.add_argument("--timeout", type=float, default=20.0)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    try:
        python = interpreter.choose(options.python, "torch")
    except NotPossible as problem:
        print(problem, file=sys.stderr)
        return 2
    began = time.monotonic()
    rows = run(python, programs(options.select), options.timeout)
    total = time.monotonic() - began
    counts = {word: sum(row.verdict == word for row in rows) for word in ("right", "false", "missed", "undecided")}
    pairs = {row.name.removesuffix(".py").removesuffix("_ok") for row in rows if row.good}
    pairs &= {row.name.removesuffix(".py") for row in rows if not row.good}
    walls = sorted(row.wall for row in rows) or [0.0]
    print(f"{len(rows)} programs ({len(pairs)} pairs): " + ", ".join(f"{n} {word}" for word, n in counts.items()))
    slow = sum(wall > TIME_LIMIT for wall in walls)
    print(f"wall {total:.1f} s with import; median {walls[len(walls) // 2]:.2f} s, {slow} above {TIME_LIMIT} s")
    if options.json:
        options.json.write_text(json.dumps([asdict(row) for row in rows], indent=1), "utf-8")
    return 1 if counts["false"] else 0


if __name__ == "__main__":
    sys.exit(main())
