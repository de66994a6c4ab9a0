"""`python -m bench.values DIR…`: expressions and small functions of real code, on values that are known: does the
machine believe what Python says?"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from pathlib import Path

from bench.judging import table
from bench.values.believed import LOST, RIGHT, UNKNOWN, WRONG, Belief, beliefs
from bench.values.samples import samples


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.values", description=__doc__)
    parser.add_argument("directories", nargs="+", type=Path, metavar="DIR", help="source code to take from")
    parser.add_argument("--files", type=int, default=1000, help="how many of the files, drawn at random")
    parser.add_argument("--show", choices=("wrong", "unknown", "lost"), help="list these, the most frequent first")
    options = parser.parse_args(arguments)
    files = sorted(file for folder in options.directories for file in folder.rglob("*.py"))
    random.Random(1).shuffle(files)
    judged = list(beliefs(samples(files[: options.files])))
    print(summary(judged))
    shown = {"wrong": WRONG, "unknown": UNKNOWN, "lost": LOST}.get(options.show or "")
    for one in sorted(judged, key=lambda one: (-one.sample.times, len(one.sample.text), one.sample.text)):
        if shown is not None and shown in (one.known, one.parted):
            print(described(one))
    return 0


def summary(judged: list[Belief]) -> str:
    known, parted = Counter(one.known for one in judged), Counter(one.parted for one in judged if one.parted)
    rows = [
        ("known alike on all ranks", known.total(), *(known[word] for word in (RIGHT, WRONG, UNKNOWN)), "-"),
        ("one input differs by rank", parted.total(), *(parted[word] for word in (RIGHT, WRONG, UNKNOWN, LOST))),
    ]
    return table(rows, ("inputs", "samples", RIGHT, WRONG, UNKNOWN, LOST))


def described(one: Belief) -> str:
    given = ", ".join(f"{name} = {value}" for name, value in one.sample.inputs)
    other = "" if one.sample.other is None else f"; or {' = '.join(one.sample.other)}: {one.sample.other_result!r}"
    text = one.sample.text.strip().replace("\n", "\n    ")
    return f"\n{one.sample.times} times, {one.sample.where}\n  {given}: {one.sample.result!r}{other}\n    {text}"


if __name__ == "__main__":
    sys.exit(main())
