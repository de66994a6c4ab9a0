"""`python -m bench.ways`: every way of Python around a decision of the ranks: does dtlint judge it as it runs?"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from bench.judging import table
from bench.running import Answer, check
from bench.ways.write import Program, chained, single


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.ways", description=__doc__)
    parser.add_argument("--chained", type=int, default=0, metavar="N", help="draw as many programs of several ways each")
    parser.add_argument("--write", type=Path, metavar="DIR", help="keep the programs in this directory")
    options = parser.parse_args(arguments)
    programs = tuple(chained(range(options.chained)) if options.chained else single())
    with tempfile.TemporaryDirectory(prefix="dtlint-ways-") as temporary:
        told, answer = checked(programs, options.write or Path(temporary))
    for reason in failures(answer):
        print(reason, file=sys.stderr)
    wrong = misjudged(programs, told)
    for one in wrong:
        print("not told:" if one.parts else "told:", one.name)
    rows = []
    for parts, words in ((True, "ranks part"), (False, "ranks stay together")):
        every = [one for one in programs if one.parts is parts]
        rows.append((words, len(every), len(every) - sum(one.parts is parts for one in wrong)))
    print(table(rows, ("programs", "written", "judged right")))
    return 1 if failures(answer) else 0


def misjudged(programs: Iterable[Program], told: frozenset[str]) -> list[Program]:
    return [one for one in programs if (one.name in told) is not one.parts]


def checked(programs: Iterable[Program], folder: Path) -> tuple[frozenset[str], Answer]:
    """The names of those of which anything is told."""
    folder.mkdir(parents=True, exist_ok=True)
    for one in programs:
        (folder / f"{one.name}.py").write_text(one.source, encoding="utf-8")
    answer = check(folder, options=("--select", "DT1"))
    return frozenset(Path(one.path).stem for one in answer.findings), answer


def failures(answer: Answer) -> list[str]:
    return [*([answer.failure] if answer.failure else []), *map(str, answer.incomplete)]


if __name__ == "__main__":
    sys.exit(main())
