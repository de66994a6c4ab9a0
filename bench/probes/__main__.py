"""`python -m bench.probes DIR…`: bad twins get the finding they deserve and nothing else, good ones get silence.

`--quick` asks the analyzer in forked copies of this process instead of starting the command for each program: six
programs a second. What is known to be judged wrong stands in `known.txt` beside the rounds; only what differs from that
makes the command fail.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

from bench.judging import Place, table, touches
from bench.running import Answer, Reported, check, check_here

Check = Callable[[Path], Answer]
KNOWN = "known.txt"  # lines `ROUND/PROBE TWIN`


@dataclass(frozen=True, slots=True)
class Judged:
    """One program of a probe: `twin` is bad, good or ok."""

    probe: str
    twin: str
    right: bool
    why: str
    seconds: float
    known: bool = False  # was it judged wrong before?

    @property
    def word(self) -> str:
        if self.right:
            return "right now" if self.known else "right"
        return "wrong" if self.known else "WRONG"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.probes", description=__doc__.partition("\n")[0])
    parser.add_argument("directories", type=Path, nargs="+", metavar="DIR")
    parser.add_argument("--each", type=int, default=1, metavar="N", help="only each Nth probe")
    parser.add_argument("--only", default="", help="probes whose name starts with this, for example DT1 or ok-")
    parser.add_argument("--quick", action="store_true", help="do not start the command for each program")
    parser.add_argument("--all", action="store_true", help="show the programs that are judged right, too")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args(arguments)
    probes = [path for directory in options.directories for path in found(directory.resolve(), options.only)]
    probes = probes[:: options.each]
    several = len(options.directories) > 1
    known = frozenset().union(*(known_wrong(directory.resolve()) for directory in options.directories))
    judged = [one for some in asked(probes, several, known, options.quick) for one in some]
    if options.json:
        print(json.dumps([asdict(one) for one in judged], indent=1))
    else:
        shown = judged if options.all or not several else [one for one in judged if not one.right or one.known]
        print(table([(one.probe, one.twin, one.word, one.why) for one in shown], ("probe", "twin", "judged", "why")))
        right = sum(one.right for one in judged)
        print(f"\n{right}/{len(judged)} programs judged right")
    return 0 if judged and all(one.right or one.known for one in judged) else 1


def found(directory: Path, prefix: str) -> list[Path]:
    return sorted(path.parent for path in directory.glob("*/expect.json") if path.parent.name.startswith(prefix))


def known_wrong(directory: Path) -> frozenset[str]:
    file = directory.parent / KNOWN
    return frozenset(file.read_text(encoding="utf-8").splitlines() if file.is_file() else ())


def asked(probes: Sequence[Path], several: bool, known: frozenset[str], quick: bool) -> Iterator[list[Judged]]:
    """Every probe's programs; a quick look uses all processors."""
    if not quick:
        yield from map(partial(judge, several=several, known=known), probes)
        return
    ask = partial(judge, several=several, known=known, look=check_here)
    with multiprocessing.get_context("fork").Pool(len(os.sched_getaffinity(0)), maxtasksperchild=100) as pool:
        yield from pool.imap(ask, probes)


def judge(
    probe: Path, several: bool = False, known: frozenset[str] = frozenset(), look: Check | None = None
) -> list[Judged]:
    look = look or check
    name = f"{probe.parent.name}/{probe.name}" if several else probe.name

    def silent(twin: str, root: Path) -> Judged:
        return judged_as(twin, look(root), silence)

    def judged_as(twin: str, answer: Answer, verdict: Callable[[list[Reported]], tuple[bool, str]]) -> Judged:
        problem = answer.failure or incomplete(answer)
        right, why = (False, problem) if problem else verdict(by_default(answer))
        before = f"{probe.parent.name}/{probe.name} {twin}" in known
        return Judged(name, twin, right, why, answer.seconds, before)

    expected = json.loads((probe / "expect.json").read_text(encoding="utf-8"))
    if expected.get("code") is None:
        twin = next((word for word in ("ok", "good") if (probe / word).is_dir()), "")
        return [silent(twin or "ok", probe / twin)]
    codes = (expected["code"], *expected.get("also_ok", ()))
    places = tuple(Place(row["file"], row["line"], row.get("line_end", row["line"])) for row in expected["bad"])
    bad = judged_as("bad", look(probe / "bad"), partial(deserved, codes, places))
    return [bad, silent("good", probe / "good")]


def deserved(codes: Sequence[str], places: Sequence[Place], findings: list[Reported]) -> tuple[bool, str]:
    right = [item for item in findings if item.code in codes and touches(item, places)]
    if not right:
        return False, f"{codes[0]} missed" + also(findings)
    if others := [item for item in findings if item not in right]:
        return False, "found, but also reported" + also(others)
    return True, f"{right[0].code} line {right[0].line}"


def silence(findings: list[Reported]) -> tuple[bool, str]:
    return not findings, "reported" + also(findings) if findings else "silent"


def incomplete(answer: Answer) -> str:
    """Silence about what was not analysed is worth nothing."""
    return f"incomplete: {answer.incomplete[0]}" if answer.incomplete else ""


def by_default(answer: Answer) -> list[Reported]:
    return [item for item in answer.findings if item.tier == "default"]


def also(findings: list[Reported]) -> str:
    return ": " + ", ".join(f"{item.code} {item.path}:{item.line}" for item in findings) if findings else ""


if __name__ == "__main__":
    sys.exit(main())
