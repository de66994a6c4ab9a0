"""All five examples, broken and fixed: what does dtlint find, what does a run show, does the fixed one learn?

Two examples at a time: `python examples/demo.py` with torch and jax installed, or `--python PATH` to name an
interpreter that has them.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from running import NAMES, Example, Ran, found, lint, load, run_example

HEAD = ("example", "root causes found", "run of broken.py", "confirmed", "fixed clean", "loss before → after")
WIDTHS = (22, 18, 28, 11, 12, 22)
AT_A_TIME = 2  # an example has two ranks or more, and waits for its hangs to last


def broken_result(example: Example, ran: Ran | None) -> str:
    if ran is None:
        return "needs a pod"
    if ran.code is None:
        return f"hangs (stopped at {ran.seconds:.0f} s)"
    said = re.search(example.data["start"]["broken_says"], ran.output, re.IGNORECASE)
    if ran.code == 0:
        return "ended well?"
    return f"fails: {said.group(0)[:19]}" if said else f"fails ({ran.code})"


def confirmed(example: Example, python: str) -> str:
    """How many of the findings in the broken program were seen to happen in traced runs."""
    findings = lint(example.broken_program, "--verify", "--python", python)
    seen = sum(finding["verdict"]["state"] == "confirmed" for finding in findings)
    return f"{seen} of {len(findings)}"


def row_of(name: str, python: str, broken_timeout: float, verify: bool) -> tuple[tuple[str, ...], bool]:
    example = load(name)
    wanted = found(example, lint(example.broken_program, "--strict"))
    hits = sum(hit for _, hit in wanted)
    noise = lint(example.fixed_files)
    broken = run_example(python, example, "broken", broken_timeout)
    fixed = run_example(python, example, "fixed")
    losses = fixed.losses(example.data["loss"]["pattern"]) if fixed else []
    learnt = len(losses) > 1 and losses[-1] < losses[0] * example.data["loss"]["falls_below"]
    good = hits == len(wanted) and not noise and learnt and bool(fixed and fixed.code == 0)
    cells = (
        name,
        f"{hits} of {len(wanted)}",
        broken_result(example, broken),
        confirmed(example, python) if verify else "-",
        "yes" if not noise else f"{len(noise)} findings",
        f"{losses[0]:.3f} → {losses[-1]:.3f}" if losses else "did not train",
    )
    for expected, hit in wanted:
        if not hit:
            first = expected.lines(example.folder)[0]
            print(f"  not found: {expected.code} {name}/{expected.file}:{first} {expected.why}", file=sys.stderr)
    return cells, good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(NAMES), help="which examples (all)")
    parser.add_argument("--python", default=sys.executable, help="the interpreter with torch and jax")
    parser.add_argument("--broken-timeout", type=float, default=20.0, help="seconds before a hang is called a hang")
    parser.add_argument("--no-verify", dest="verify", action="store_false", help="leave out the traced runs (minutes)")
    arguments = parser.parse_args()
    started, good = time.monotonic(), True
    print("".join(text.ljust(width) for text, width in zip(HEAD, WIDTHS, strict=True)))
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        rows = pool.map(
            lambda name: row_of(name, arguments.python, arguments.broken_timeout, arguments.verify), arguments.names
        )
        for cells, fine in rows:
            good = good and fine
            print("".join(text.ljust(width) for text, width in zip(cells, WIDTHS, strict=True)), flush=True)
    print(f"{time.monotonic() - started:.0f} s")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
