"""What does `check --verify` decide, and is any of it wrong? Every marked line of the fixtures as a finding.

    python -m bench.trace.verdicts [--mode run|slice|auto] [--python INTERPRETER] [--select DT101]

The fixtures mark real bugs, so `refuted` is wrong. On the good twins every line that looks like the bug is claimed to
be it (of the DT1 family: every line that communicates, as a DT101): there `confirmed` is wrong.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

from dtlint import engine
from dtlint.config import Config
from dtlint.findings import Finding, Span
from dtlint.trace.verify import SUPPORTED, verify

FIXTURES = Path(__file__).resolve().parents[2] / "tests" / "fixtures"
WANTED = re.compile(r"#\s*want:\s*(DT\d\d\d)")
CALL = re.compile(r"^\s+.*\b(?:barrier|all_reduce|all_gather\w*|broadcast\w*|wait_for_everyone|gather)\(")
LOOKS_LIKE = {  # what is claimed of the good twins, by family
    "DT2": re.compile(r"DataLoader\(|Sampler\(|shuffle\(|listdir\(|glob\("),
    "DT3": re.compile(r"seed\(|PRNGKey\(|random\.key\("),
    "DT4": re.compile(r"pmap\(|shard_map\(|psum\(|pmean\("),
    "DT7": re.compile(r"open\(|save\(|mkdir\(|unlink\(|makedirs\("),
    "DT8": re.compile(r"allreduce\(|should_commit\("),
}
RUNNABLE = re.compile(r"#\s*run:\s*(?:torchrun|jax)")


def claim(code: str, path: Path, line: int) -> Finding:
    span = Span(path.relative_to(FIXTURES).as_posix(), line, 1, line, 2)
    return Finding(code, "fixture", "wrong", "error", "default", "", "", span)


def runnable(path: Path) -> bool:
    """A program says so in its first line; a helper file belongs to the program beside it."""
    family = path.relative_to(FIXTURES).parts[0]
    beside = [path] if path.parent == FIXTURES / family else list(path.parent.glob("*.py"))
    return any(RUNNABLE.match(file.read_text("utf-8")) for file in beside)


def claims(select: str, good: bool) -> list[Finding]:
    found = []
    for path in sorted(FIXTURES.glob(f"{select}*/**/*.py")):
        name = path.relative_to(FIXTURES).parts[1].removesuffix(".py")
        if not path.relative_to(FIXTURES).parts[0].startswith(select) or name.endswith("_ok") is not good:
            continue
        if not runnable(path):
            continue
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            match = WANTED.search(line)
            family = path.relative_to(FIXTURES).parts[0]
            if good and family.startswith("DT1"):
                if CALL.match(line):
                    found.append(claim("DT101", path, number))
            elif good and family in SUPPORTED and LOOKS_LIKE[family[:3]].search(line):
                found.append(claim(family, path, number))
            elif not good and match and match.group(1) in SUPPORTED:
                found.append(claim(match.group(1), path, number))
    return found if good else with_trails(found)


def with_trails(claimed: list[Finding]) -> list[Finding]:
    """The findings of `check` in place of those claims that it makes itself: they know the lines that lead there."""
    made = {}
    for target in sorted({"/".join(finding.span.path.split("/")[:2]) for finding in claimed}):
        folder = FIXTURES / target
        root = folder if folder.is_dir() else folder.parent
        with contextlib.chdir(root):
            report = engine.check(["." if folder.is_dir() else folder.name], Config(strict=True, cache=False, jobs=1))
        for finding in report.findings:
            prefix = root.relative_to(FIXTURES).as_posix()
            steps = tuple(replace(step, path=f"{prefix}/{step.path}") for step in finding.trail)
            span = replace(finding.span, path=f"{prefix}/{finding.span.path}")
            made[finding.code, span.path, span.line] = replace(finding, span=span, trail=steps)
    return [made.get((item.code, item.span.path, item.span.line), item) for item in claimed]


def judge(findings: list[Finding], options: argparse.Namespace, wrong: str) -> int:
    began = time.monotonic()
    verified = verify(findings, FIXTURES, options.mode, options.budget, python=options.python)
    states = Counter(finding.verdict.state for finding in verified if finding.verdict)
    decided = states["confirmed"] + states["refuted"]
    for finding in verified:
        verdict = finding.verdict
        if verdict and (verdict.state == wrong or (wrong == "refuted" and verdict.state != "confirmed")):
            mark = "WRONG" if verdict.state == wrong else verdict.state
            print(f"{mark:>13}  {finding.code} {finding.span.path}:{finding.span.line}  {verdict.reason[:140]}")
    share = 100 * decided // max(1, len(verified))
    kind = "bad programs" if wrong == "refuted" else "good programs"
    print(
        f"{kind}: {len(verified)} findings, {share} % decided, {states[wrong]} wrong, {time.monotonic() - began:.0f} s"
    )
    print("  " + ", ".join(f"{count} {state}" for state, count in states.most_common()))
    return states[wrong]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.trace.verdicts")
    parser.add_argument("--mode", choices=["run", "slice", "auto"], default="auto")
    parser.add_argument("--python", default="")
    parser.add_argument("--select", default="DT1")
    parser.add_argument("--budget", type=float, default=600.0)
    options = parser.parse_args()
    wrong = judge(claims(options.select, good=False), options, "refuted")
    wrong += judge(claims(options.select, good=True), options, "confirmed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
