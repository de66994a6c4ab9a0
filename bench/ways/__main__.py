"""`python -m bench.ways`: every way of Python around a decision of the ranks: does dtlint judge it as it runs?"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from bench.judging import table
from bench.running import Answer, check
from bench.ways.write import DRAWN, OF_RANK, Program, carrying_things, chained, single


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.ways", description=__doc__)
    parser.add_argument(
        "--chained", type=int, default=0, metavar="N", help="draw as many programs of several ways each"
    )
    parser.add_argument("--drawn", action="store_true", help="each rank draws what it decides by")
    parser.add_argument(
        "--things", action="store_true", help="mistakes with things that are carried, of other families"
    )
    parser.add_argument("--write", type=Path, metavar="DIR", help="keep the programs in this directory")
    options = parser.parse_args(arguments)
    own = DRAWN if options.drawn else OF_RANK
    programs = tuple(chained(range(options.chained)) if options.chained else single(own))
    if options.things:
        programs = tuple(carrying_things())
    with tempfile.TemporaryDirectory(prefix="dtlint-ways-") as temporary:
        told, answer = checked(programs, options.write or Path(temporary))
    for reason in failures(answer):
        print(reason, file=sys.stderr)
    wrong = misjudged(programs, told)
    for one in wrong:
        print("not told:" if one.wrong else "told:", one.name)
    rows = []
    for mistake, words in ((True, "with a mistake"), (False, "correct")):
        every = [one for one in programs if one.wrong is mistake]
        rows.append((words, len(every), len(every) - sum(one.wrong is mistake for one in wrong)))
    print(table(rows, ("programs", "written", "judged right")))
    return 1 if failures(answer) else 0


def misjudged(programs: Iterable[Program], told: dict[str, set[str]]) -> list[Program]:
    """Those of which the code that is looked for is not told, or told without reason."""
    return [
        one for one in programs if one.wrong is not any(code.startswith(one.code) for code in told.get(one.name, ()))
    ]


def checked(programs: Iterable[Program], folder: Path) -> tuple[dict[str, set[str]], Answer]:
    """The codes that are told of each, by name."""
    folder.mkdir(parents=True, exist_ok=True)
    for one in programs:
        (folder / f"{one.name}.py").write_text(one.source, encoding="utf-8")
    answer = check(folder, options=("--select", ",".join(sorted({one.code for one in programs}))))
    told: dict[str, set[str]] = {}
    for one in answer.findings:
        told.setdefault(Path(one.path).stem, set()).add(one.code)
    return told, answer


def failures(answer: Answer) -> list[str]:
    return [*([answer.failure] if answer.failure else []), *map(str, answer.incomplete)]


if __name__ == "__main__":
    sys.exit(main())
