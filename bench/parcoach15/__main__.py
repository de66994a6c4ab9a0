"""`python -m bench.parcoach15`: fifteen small programs, each about one way a value may depend on the rank."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from bench import configuration
from bench.judging import Place, table, touches
from bench.running import check

HERE = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Situation:
    file: str
    sentence: str
    lines: tuple[int, ...]  # none: the program is correct

    @property
    def source(self) -> Path:
        return HERE / "programs" / self.file


def situations() -> tuple[Situation, ...]:
    rows = configuration.load(HERE / "situations.toml")["situation"]
    return tuple(Situation(row["file"], row["sentence"], tuple(row["lines"])) for row in rows)


def main(arguments: list[str] | None = None) -> int:
    argparse.ArgumentParser(prog="python -m bench.parcoach15", description=__doc__).parse_args(arguments)
    judged = [(one, *judge(one)) for one in situations()]
    rows = [
        (one.file, "hang" if one.lines else "correct", "right" if right else "WRONG", said, one.sentence)
        for one, right, said in judged
    ]
    print(table(rows, ("program", "is", "judged", "dtlint says", "situation")))
    count = sum(right for _, right, _ in judged)
    print(f"\n{count}/{len(judged)}")
    return 0 if count == len(judged) else 1


def judge(situation: Situation) -> tuple[bool, str]:
    """A bug needs one finding at its place and nothing else; a correct program needs silence."""
    with tempfile.TemporaryDirectory(prefix="dtlint-parcoach15-") as directory:
        shutil.copy(situation.source, directory)
        answer = check(Path(directory))
    if problem := answer.failure or "; ".join(answer.incomplete[:1]):
        return False, problem
    said = ", ".join(f"{item.code} line {item.line}" for item in answer.findings) or "nothing"
    if not situation.lines:
        return not answer.findings, said
    places = [Place(situation.file, line, line) for line in situation.lines]
    return len(answer.findings) == 1 and touches(answer.findings[0], places), said


if __name__ == "__main__":
    sys.exit(main())
