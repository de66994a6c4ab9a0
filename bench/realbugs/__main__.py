"""`python -m bench.realbugs --mirror DIR`: replay known bugs of real projects, and their benign look-alikes."""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path

from bench.judging import table
from bench.realbugs.lists import HERE, benign, bugs
from bench.realbugs.replay import Outcome, Setting, replay_benign, replay_bug


def main(arguments: list[str] | None = None) -> int:
    options = read(arguments)
    setting = Setting(options.mirror, options.clone, split(options.codes), options.strict, options.limit)
    wanted = split(options.only)
    cases = [bug for bug in bugs(options.bugs) if not wanted or bug.id in wanted]
    if options.kind:
        cases = [bug for bug in cases if bug.kind in split(options.kind)]
    if options.answering:
        prefixes = split(options.answering)
        cases = [bug for bug in cases if any(code.startswith(prefixes) for code in bug.codes)]
    quiet = [] if options.kind or options.answering or options.no_benign else list(benign(options.benign))
    quiet = [case for case in quiet if not wanted or case.id in wanted]
    with ThreadPoolExecutor(options.jobs) as pool:
        replayed = [report_progress(one) for one in pool.map(lambda bug: replay_bug(bug, setting), cases)]
        silent = [report_progress(one) for one in pool.map(lambda case: replay_benign(case, setting), quiet)]
    if options.json:
        print(json.dumps({"bugs": list(map(asdict, replayed)), "benign": list(map(asdict, silent))}, indent=1))
    else:
        print_report(replayed, silent)
    return 1 if any(one.found for one in silent) or any(one.status == "failed" for one in replayed + silent) else 0


def read(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.realbugs", description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True, help="directory of git repositories called owner+name")
    parser.add_argument("--clone", action="store_true", help="clone missing repositories from GitHub into the mirror")
    parser.add_argument("--bugs", type=Path, default=HERE / "bugs.jsonl")
    parser.add_argument("--benign", type=Path, default=HERE / "benign.jsonl")
    parser.add_argument("--no-benign", action="store_true", help="replay the bugs only")
    parser.add_argument("--only", default="", metavar="ID,…")
    parser.add_argument("--class", dest="kind", default="", metavar="CLASS,…")
    parser.add_argument("--answering", default="", metavar="CODE,…", help="bugs these rules answer for, e.g. DT1")
    parser.add_argument("--codes", default="", metavar="CODE,…", help="run dtlint with these rules only")
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds of the processor for one run of dtlint")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(arguments)


def split(text: str) -> tuple[str, ...]:
    return tuple(part for part in text.split(",") if part)


def report_progress(one: Outcome) -> Outcome:
    state = ("found" + (", gone" if one.gone else "")) if one.found else one.status
    print(f"{one.id}: {state} {one.reason} ({one.seconds:.1f} s, {one.files} files)", file=sys.stderr, flush=True)
    return one


def print_report(replayed: list[Outcome], silent: list[Outcome]) -> None:
    classes: dict[str, list[Outcome]] = {}
    for one in replayed:
        classes.setdefault(one.kind, []).append(one)
    rows = [(kind, *figures(members), ",".join(members[0].codes)) for kind, members in sorted(classes.items())]
    rows.append(("all", *figures(replayed), ""))
    print(table(rows, ("class", "bugs", "replayed", "found", "and gone", "elsewhere", "seconds", "codes")))
    found = [
        (one.id, one.needs, "; ".join(one.matches[:2]), "; ".join(one.left_at_fix[:2]) or ("gone" if one.gone else "?"))
        for one in replayed
        if one.found
    ]
    if found:
        print("\nfound:\n" + table(found, ("id", "needs", "finding", "at the fix")))
    others = [(one.id, one.status, one.reason, "; ".join(one.near[:2])) for one in replayed if not one.found]
    if others:
        print("\nnot found:\n" + table(others, ("id", "status", "reason", "other code at the place")))
    if silent:
        noisy = [one for one in silent if one.found]
        done = sum(one.status == "replayed" for one in silent)
        print(f"\nbenign: {done} of {len(silent)} replayed, {len(noisy)} reported")
        for one in noisy:
            print(f"  {one.id}: {'; '.join(one.matches)}")


def figures(members: list[Outcome]) -> tuple[int, int, int, int, int, str]:
    return (
        len(members),
        sum(one.status == "replayed" for one in members),
        sum(one.found for one in members),
        sum(one.gone for one in members),
        sum(one.elsewhere for one in members),
        f"{sum(one.seconds for one in members):.1f}",
    )


if __name__ == "__main__":
    sys.exit(main())
