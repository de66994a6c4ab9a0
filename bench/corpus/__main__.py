"""`python -m bench.corpus`: dtlint over the pinned packages; every finding is triaged or listed as new."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.corpus.packages import DEFAULT_DIRECTORY, Package, count_lines, pinned, sources_of
from bench.corpus.triage import Judgement, judgements, suggested
from bench.judging import table
from bench.running import Reported, check

GOAL_PER_THOUSAND_LINES = 0.1
OWN_ERROR = re.compile(r"internal error|rule DT\d+ failed")


@dataclass(frozen=True, slots=True)
class Measured:
    """One package after its run."""

    package: str
    files: int
    lines: int
    seconds: float
    findings: tuple[Reported, ...]
    incomplete: int
    failure: str
    errors: tuple[str, ...] = ()  # of dtlint's own: a part of the package was not analysed, or a rule not asked

    @property
    def per_thousand(self) -> float:
        return 1000 * len(self.findings) / self.lines if self.lines else 0.0


def main(arguments: list[str] | None = None) -> int:
    options = read(arguments)
    wanted = options.only.split(",") if options.only else []
    chosen = [package for package in pinned() if not wanted or package.name in wanted]
    if options.download:
        for package in chosen:
            print(sources_of(package, options.dir))
        return 0
    extra = ("--strict",) if options.strict else ()
    extra += ("--select", options.codes) if options.codes else ()
    measured = [measure(package, options.dir, extra, options.limit) for package in chosen]
    known = judgements()
    if options.json:
        print(json.dumps([asdict(one) for one in measured], indent=1))
    else:
        print_report(measured, known, options.triage)
    untriaged = [item for one in measured for item in one.findings if (one.package, item.fingerprint) not in known]
    return 1 if untriaged or any(one.failure or one.errors for one in measured) else 0


def read(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.corpus", description=__doc__)
    parser.add_argument("--dir", type=Path, default=DEFAULT_DIRECTORY, help="where archives and sources are kept")
    parser.add_argument("--only", default="", metavar="NAME,…")
    parser.add_argument("--codes", default="", metavar="CODE,…")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for one package")
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--download", action="store_true", help="only download and unpack")
    parser.add_argument("--triage", action="store_true", help="print new findings as rows for triage.toml")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(arguments)


def measure(package: Package, directory: Path, extra: Sequence[str], limit: float) -> Measured:
    root = sources_of(package, directory)
    files, lines = count_lines(root)
    answer = check(root, options=extra, limit_seconds=limit)
    print(f"{package.label}: {len(answer.findings)} in {answer.seconds:.1f} s {answer.failure}", file=sys.stderr)
    errors = tuple(reason for reason in answer.incomplete if OWN_ERROR.search(reason))
    seconds = round(answer.seconds, 2)
    return Measured(
        package.name, files, lines, seconds, answer.findings, len(answer.incomplete), answer.failure, errors
    )


def print_report(measured: Sequence[Measured], known: dict[tuple[str, str], Judgement], as_triage: bool) -> None:
    rows: list[tuple[object, ...]] = [row(one, known) for one in measured]
    lines = sum(one.lines for one in measured)
    findings = [(one.package, item) for one in measured for item in one.findings]
    judged = [known[key] for package, item in findings if (key := (package, item.fingerprint)) in known]
    right = sum(one.verdict == "right" for one in judged)
    wrong = len(judged) - right
    rate = 1000 * len(findings) / lines if lines else 0.0
    seconds = sum(one.seconds for one in measured)
    total = (sum(one.files for one in measured), lines, f"{seconds:.1f}", len(findings), f"{rate:.3f}")
    rows.append(("all", *total, right, wrong, len(findings) - right - wrong, sum(one.incomplete for one in measured)))
    header = ("package", "files", "lines", "seconds", "findings", "per 1,000", "right", "wrong", "new", "incomplete")
    print(table(rows, header))
    print(f"\ngoal: at most {GOAL_PER_THOUSAND_LINES} findings per 1,000 lines; measured {rate:.3f}")
    if findings:
        codes = Counter(item.code for _, item in findings)
        print("by rule: " + ", ".join(f"{code} {count}" for code, count in sorted(codes.items())))
    new = [(package, item) for package, item in findings if (package, item.fingerprint) not in known]
    if new:
        print(f"\n{len(new)} not triaged:")
    for package, item in new:
        print(
            suggested(package, item) if as_triage else f"  {package} {item.path}:{item.line} {item.code} {item.message}"
        )
    for one in measured:
        for error in one.errors:
            print(f"\n{one.package}: {error}")
    gone = set(known) - {(package, item.fingerprint) for package, item in findings}
    gone = {key for key in gone if key[0] in {one.package for one in measured}}
    if gone:
        print(f"\n{len(gone)} triaged findings are no longer reported:")
    for key in sorted(gone):
        print(f"  {key[0]} {known[key].where} {known[key].code} was {known[key].verdict}")


def row(one: Measured, known: dict[tuple[str, str], Judgement]) -> tuple[object, ...]:
    verdicts = Counter(
        known[key].verdict if (key := (one.package, item.fingerprint)) in known else "new" for item in one.findings
    )
    rate = one.failure or f"{one.per_thousand:.3f}"
    counts = (verdicts["right"], verdicts["wrong"], verdicts["new"])
    return (one.package, one.files, one.lines, one.seconds, len(one.findings), rate, *counts, one.incomplete)


if __name__ == "__main__":
    sys.exit(main())
