"""`python -m bench.ways`: write the programs, run them on four ranks, check them, say where dtlint is wrong."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from bench.judging import table
from bench.running import check
from bench.ways.write import Program, single


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.ways", description=__doc__)
    parser.add_argument("--write", type=Path, help="keep the programs in this directory")
    options = parser.parse_args(arguments)
    programs = tuple(single())
    with tempfile.TemporaryDirectory(prefix="dtlint-ways-") as temporary:
        told = told_of(programs, options.write or Path(temporary))
    rows = []
    for parts in (True, False):
        some = [one for one in programs if one.parts is parts]
        wrong = [one.name for one in some if (one.name in told) is not parts]
        rows.append(("ranks part" if parts else "correct", len(some), len(some) - len(wrong)))
        for name in wrong:
            print("not told" if parts else "told", name)
    print(table(rows, ("programs", "written", "judged right")))
    return 0


def told_of(programs: tuple[Program, ...], folder: Path) -> frozenset[str]:
    folder.mkdir(parents=True, exist_ok=True)
    for one in programs:
        (folder / f"{one.name}.py").write_text(one.source, encoding="utf-8")
    answer = check(folder, options=("--select", "DT1"))
    if answer.failure:
        print(answer.failure, file=sys.stderr)
    for text in answer.incomplete:
        print(text, file=sys.stderr)
    return frozenset(Path(one.path).stem for one in answer.findings)


if __name__ == "__main__":
    sys.exit(main())
