"""`python -m bench.probes DIR`: bad twins get the finding they deserve and nothing else, good ones get silence."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.judging import Place, table, touches
from bench.running import Answer, Reported, check


@dataclass(frozen=True, slots=True)
class Judged:
    """One program of a probe: `twin` is bad, good or ok."""

    probe: str
    twin: str
    right: bool
    why: str
    seconds: float


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m bench.probes", description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--only", default="", help="probes whose name starts with this, for example DT1 or ok-")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args(arguments)
    probes = sorted(path.parent for path in options.directory.glob("*/expect.json"))
    judged = [one for probe in probes if probe.name.startswith(options.only) for one in judge(probe)]
    if options.json:
        print(json.dumps([asdict(one) for one in judged], indent=1))
    else:
        rows = [(one.probe, one.twin, "right" if one.right else "WRONG", one.why) for one in judged]
        print(table(rows, ("probe", "twin", "judged", "why")))
        right = sum(one.right for one in judged)
        print(f"\n{right}/{len(judged)} programs judged right")
    return 0 if judged and all(one.right for one in judged) else 1


def judge(probe: Path) -> list[Judged]:
    expected = json.loads((probe / "expect.json").read_text(encoding="utf-8"))
    if expected.get("code") is None:
        twin = next((name for name in ("ok", "good") if (probe / name).is_dir()), "")
        return [judge_silent(probe.name, twin or "ok", probe / twin)]
    codes = (expected["code"], *expected.get("also_ok", ()))
    places = tuple(Place(row["file"], row["line"], row.get("line_end", row["line"])) for row in expected["bad"])
    return [
        judge_bad(probe.name, probe / "bad", codes, places),
        judge_silent(probe.name, "good", probe / "good"),
    ]


def judge_bad(name: str, root: Path, codes: tuple[str, ...], places: tuple[Place, ...]) -> Judged:
    answer = check(root)
    if problem := answer.failure or incomplete(answer):
        return Judged(name, "bad", False, problem, answer.seconds)
    findings = by_default(answer)
    deserved = [item for item in findings if item.code in codes and touches(item, places)]
    others = [item for item in findings if item not in deserved]
    if not deserved:
        return Judged(name, "bad", False, f"{codes[0]} missed" + also(findings), answer.seconds)
    if others:
        return Judged(name, "bad", False, "found, but also reported" + also(others), answer.seconds)
    return Judged(name, "bad", True, f"{deserved[0].code} line {deserved[0].line}", answer.seconds)


def judge_silent(name: str, twin: str, root: Path) -> Judged:
    answer = check(root)
    if problem := answer.failure or incomplete(answer):
        return Judged(name, twin, False, problem, answer.seconds)
    findings = by_default(answer)
    return Judged(name, twin, not findings, "silent" if not findings else "reported" + also(findings), answer.seconds)


def incomplete(answer: Answer) -> str:
    """Silence about what was not analysed is worth nothing."""
    return f"incomplete: {answer.incomplete[0]}" if answer.incomplete else ""


def by_default(answer: Answer) -> list[Reported]:
    return [item for item in answer.findings if item.tier == "default"]


def also(findings: list[Reported]) -> str:
    return ": " + ", ".join(f"{item.code} {item.path}:{item.line}" for item in findings) if findings else ""


if __name__ == "__main__":
    sys.exit(main())
