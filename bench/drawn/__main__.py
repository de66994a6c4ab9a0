"""`python -m bench.drawn`: draw programs, play them, check them, count where dtlint and the played ranks disagree."""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench.drawn.draw import program
from bench.drawn.play import Verdict, verdict
from bench.judging import table
from bench.running import check


@dataclass(frozen=True, slots=True)
class Counted:
    """Numbers of programs. One whose helpers part the ranks, were they called by all, may be reported or not."""

    bugs: tuple[int, ...]
    correct: tuple[int, ...]
    missed: tuple[int, ...]
    false_alarms: tuple[int, ...]
    failed: tuple[str, ...]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.drawn", description=__doc__)
    parser.add_argument("--first", type=int, default=0, help="number of the first program")
    parser.add_argument("--programs", type=int, default=2000)
    parser.add_argument("--write", type=Path, help="keep the programs in this directory")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="dtlint-drawn-") as temporary:
        counted = count(range(options.first, options.first + options.programs), options.write or Path(temporary))
    bugs, correct = len(counted.bugs), len(counted.correct)
    print(
        table(
            [
                ("ranks may part", bugs, bugs - len(counted.missed), f"missed: {listed(counted.missed)}"),
                ("correct", correct, correct - len(counted.false_alarms), f"told: {listed(counted.false_alarms)}"),
            ],
            ("programs", "drawn", "judged right", "numbers"),
        )
    )
    for reason in counted.failed:
        print(reason, file=sys.stderr)
    return 1 if counted.failed else 0


def listed(numbers: tuple[int, ...]) -> str:
    return " ".join(map(str, numbers)) or "none"


def count(numbers: range, folder: Path) -> Counted:
    folder.mkdir(parents=True, exist_ok=True)
    played: dict[int, Verdict] = {}
    for number in numbers:
        source = program(number)
        (folder / f"drawn_{number}.py").write_text(source, encoding="utf-8")
        played[number] = verdict(source)
    answer = check(folder, options=("--select", "DT1"))
    told = {int(Path(one.path).stem.rpartition("_")[2]) for one in answer.findings}
    bugs = tuple(number for number, one in played.items() if one.parts)
    correct = tuple(number for number, one in played.items() if not one.parts and not one.helpers)
    failed = (answer.failure,) if answer.failure else tuple(map(str, answer.incomplete))
    return Counted(
        bugs,
        correct,
        tuple(number for number in bugs if number not in told),
        tuple(number for number in correct if number in told),
        failed,
    )


if __name__ == "__main__":
    sys.exit(main())
