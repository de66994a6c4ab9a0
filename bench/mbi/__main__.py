"""`python -m bench.mbi`: write the programs, run dtlint over them, count what it tells right."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from bench.judging import table
from bench.mbi.generate import Program, programs, some
from bench.mbi.score import Score, baseline_findings, by_framework, by_shape, score
from bench.running import Answer, Reported, check


def main(arguments: list[str] | None = None) -> int:
    options = read(arguments)
    chosen = [one for one in programs() if matches(one, options)]
    selected = some(options.limit, tuple(chosen))
    with tempfile.TemporaryDirectory(prefix="dtlint-mbi-") as temporary:
        root = options.write or Path(temporary)
        write(selected, root)
        if options.write:
            print(f"{len(selected)} programs and labels.json in {root}")
            return 0
        answer = check(root, options=("--strict",) if options.strict else ())
    if answer.failure:
        print(f"dtlint gave no answer: {answer.failure}", file=sys.stderr)
        return 2
    findings = grouped(answer)
    result = score(selected, findings)
    if options.json:
        print(json.dumps(as_json(selected, result, answer), indent=1))
    else:
        print_report(selected, findings, result, answer, options.show)
    return 0 if not (result.false_negatives or result.false_positives or answer.incomplete) else 1


def read(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.mbi", description=__doc__)
    parser.add_argument("--limit", type=int, default=0, help="only so many programs, evenly spread")
    parser.add_argument("--shape", default="", help="only programs of this shape")
    parser.add_argument("--framework", default="", choices=("", "torch", "accelerate", "jax"))
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--show", type=int, default=3, help="print so many programs of each kind of mistake")
    parser.add_argument("--write", type=Path, help="only write the programs and their labels to this directory")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args(arguments)


def matches(program: Program, options: argparse.Namespace) -> bool:
    return options.shape in ("", program.shape) and options.framework in ("", program.framework)


def write(selected: Sequence[Program], root: Path) -> None:
    root.mkdir(parents=True, exist_ok=True)
    labels = {}
    for program in selected:
        (root / program.path).write_text(program.text, encoding="utf-8")
        labels[program.path] = {"correct": program.correct, "lines": program.lines, "codes": program.codes}
    (root / "labels.json").write_text(json.dumps(labels, indent=1), encoding="utf-8")


def grouped(answer: Answer) -> dict[str, list[Reported]]:
    findings: dict[str, list[Reported]] = {}
    for item in answer.findings:
        findings.setdefault(item.path, []).append(item)
    return findings


def as_json(selected: Sequence[Program], result: Score, answer: Answer) -> dict[str, object]:
    return {
        "programs": len(selected),
        "correct": sum(one.correct for one in selected),
        "precision": result.precision,
        "recall": result.recall,
        "findings_per_bug": result.findings_per_bug,
        "false_positives": result.false_positives,
        "false_negatives": result.false_negatives,
        "expected_code": result.expected_code,
        "seconds": answer.seconds,
    }


def print_report(
    selected: Sequence[Program], findings: dict[str, list[Reported]], result: Score, answer: Answer, show: int
) -> None:
    correct = sum(one.correct for one in selected)
    print(f"{len(selected)} programs, {correct} correct, checked in {answer.seconds:.1f} s\n")
    patterns = score(selected, baseline_findings(selected))
    rows = [("dtlint", *figures(result)), ("pattern", *figures(patterns))]
    rows += [(f"dtlint, {name}", *figures(one)) for name, one in by_framework(selected, findings).items()]
    print(table(rows, ("", "precision", "recall", "findings per bug", "TP", "FN", "FP", "TN")))
    print(f"\n{result.expected_code} of {len(result.true_positives)} found bugs carry the expected code")
    if answer.incomplete:
        print(f"{len(answer.incomplete)} programs incomplete, first: {answer.incomplete[0]}")
    report_mistakes("missed", selected, findings, result.false_negatives, show)
    report_mistakes("false alarm", selected, findings, result.false_positives, show)


def figures(result: Score) -> tuple[str, str, str, int, int, int, int]:
    return (
        f"{100 * result.precision:.1f} %",
        f"{100 * result.recall:.1f} %",
        f"{result.findings_per_bug:.2f}",
        len(result.true_positives),
        len(result.false_negatives),
        len(result.false_positives),
        result.true_negatives,
    )


def report_mistakes(
    title: str, selected: Sequence[Program], findings: dict[str, list[Reported]], names: Sequence[str], show: int
) -> None:
    if not names:
        return
    print(f"\n{title}, by shape: " + ", ".join(f"{shape} {n}" for shape, n in by_shape(selected, names).most_common()))
    for program in [one for one in selected if one.name in names][:show]:
        print(f"\n--- {program.path}: {title}, bug on lines {list(program.lines)}")
        print("\n".join(f"{number:3} {line}" for number, line in enumerate(program.text.splitlines(), 1)))
        for item in findings.get(program.path, ()):
            print(f"    {item.code} line {item.line}: {item.message}")


if __name__ == "__main__":
    sys.exit(main())
