"""`python -m bench.speed`: cold, unchanged and one-file-changed runs on trees of 108k and 1.76M lines."""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import libcst

from bench.corpus.packages import DEFAULT_DIRECTORY, count_lines, pinned, sources_of
from bench.judging import table
from bench.running import COMPLETE_ANSWERS, command_line, environment
from bench.speed.measuring import Cost, measured

TREES = {
    "M": ("accelerate", "trl"),
    "L": ("transformers", "deepspeed", "nemo-toolkit", "megatron-core"),
}
GOALS = {"M": {"cold": 6.0, "unchanged": 0.3, "changed": 1.5}, "L": {"cold": 60.0, "unchanged": 0.6}}
SUPPOSED_PACE = 23_000  # of the machine the goals were set on: read the figures as multiples of it
MEMORY_GOAL_MIB = {"M": 400.0}
CHANGED = {"M": "trl/trl/trainer/utils.py", "L": "megatron-core/megatron/core/utils.py"}


@dataclass(frozen=True, slots=True)
class Row:
    tree: str
    run: str
    wall: float
    processor: float
    largest_process_mib: float
    tree_mib: float
    goal: float
    failure: str


def main(arguments: list[str] | None = None) -> int:
    options = read(arguments)
    rows = []
    for tree in options.tree:
        with tempfile.TemporaryDirectory(prefix=f"dtlint-speed-{tree}-") as directory:
            root = Path(directory) / tree
            lay_out(tree, options.dir, root)
            files, lines = count_lines(root)
            print(f"tree {tree}: {files} files, {lines} lines", file=sys.stderr)
            pace = lines_parsed_per_second(root / CHANGED[tree])
            print(f"libcst parses {pace:,.0f} lines/s here; the goals suppose {SUPPOSED_PACE:,}", file=sys.stderr)
            rows += list(runs(tree, root, Path(directory), options))
    if options.json:
        print(json.dumps([{name: getattr(row, name) for name in Row.__slots__} for row in rows], indent=1))
    else:
        print_report(rows)
    return 1 if any(row.failure or missed(row) for row in rows) else 0


def read(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.speed", description=__doc__)
    parser.add_argument("--dir", type=Path, default=DEFAULT_DIRECTORY, help="where archives and sources are kept")
    parser.add_argument("--tree", action="append", choices=sorted(TREES), help="M or L; both when not given")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each kind; the median counts")
    parser.add_argument("--limit", type=float, default=600.0, help="seconds for one run")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    options.tree = options.tree or ["M", "L"]
    return options


def lines_parsed_per_second(path: Path) -> float:
    """How fast is this machine today? The best of three, in processor time."""
    text = path.read_text(encoding="utf-8")
    seconds = []
    for _ in range(3):
        start = time.process_time()
        libcst.parse_module(text)
        seconds.append(time.process_time() - start)
    return text.count("\n") / min(seconds)


def lay_out(tree: str, sources: Path, root: Path) -> None:
    """A copy: one run changes a file."""
    root.mkdir()
    for package in pinned():
        if package.name in TREES[tree]:
            shutil.copytree(sources_of(package, sources), root / package.name)


def runs(tree: str, root: Path, directory: Path, options: argparse.Namespace) -> list[Row]:
    """Cold starts with an empty cache each time; the other two reuse the last one."""
    cache = directory / "cache"
    changed_file = root / CHANGED[tree]
    original = changed_file.read_text(encoding="utf-8")

    def once() -> Cost:
        command = command_line(["check", "--isolated", "--output-format", "json", "."])
        return measured(command, root, environment(cache), options.limit)

    def cold() -> Cost:
        shutil.rmtree(cache, ignore_errors=True)
        return once()

    turn = 0

    def changed() -> Cost:
        nonlocal turn
        turn += 1
        changed_file.write_text(f"{original}\n\ndef added_{turn}():\n    return {turn}\n", encoding="utf-8")
        return once()

    once()  # compiles dtlint itself and warms the file cache
    kinds: tuple[tuple[str, Callable[[], Cost]], ...] = (("cold", cold), ("unchanged", once), ("changed", changed))
    return [summed(tree, kind, [action() for _ in range(options.repeat)]) for kind, action in kinds]


def summed(tree: str, kind: str, costs: list[Cost]) -> Row:
    failed = [cost for cost in costs if cost.exit_code not in COMPLETE_ANSWERS]
    return Row(
        tree=tree,
        run=kind,
        wall=round(statistics.median(cost.wall for cost in costs), 3),
        processor=round(statistics.median(cost.processor for cost in costs), 3),
        largest_process_mib=round(max(cost.largest_process_mib for cost in costs), 1),
        tree_mib=round(max(cost.tree_mib for cost in costs), 1),
        goal=GOALS[tree].get(kind, 0.0),
        failure=f"exit code {failed[0].exit_code}: {failed[0].errors.strip()[-120:]}" if failed else "",
    )


def missed(row: Row) -> bool:
    too_slow = bool(row.goal) and row.wall > row.goal
    return too_slow or row.tree_mib > MEMORY_GOAL_MIB.get(row.tree, float("inf"))


def print_report(rows: list[Row]) -> None:
    cells = [
        (
            row.tree,
            row.run,
            f"{row.wall:.2f}",
            f"{row.goal:.1f}" if row.goal else "",
            f"{row.processor:.2f}",
            f"{row.largest_process_mib:.0f}",
            f"{row.tree_mib:.0f}",
            row.failure or ("over the goal" if missed(row) else "ok"),
        )
        for row in rows
    ]
    header = ("tree", "run", "wall s", "goal s", "processor s", "largest process MiB", "all processes MiB", "verdict")
    print(table(cells, header))


if __name__ == "__main__":
    sys.exit(main())
