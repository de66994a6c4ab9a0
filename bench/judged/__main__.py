"""`python -m bench.judged --mirror DIR`: findings of public repositories that a person has judged, checked again.

A change that was meant for one mistake is measured here on everything seen before: which right findings are lost,
which wrong ones are still there, and what is said now that nobody has looked at.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.judged.judgements import Judgement, Look, Place, judgements, looks
from bench.judging import shown, table
from bench.running import Reported, check
from bench.snapshots import BESIDE, NoSnapshot, export_whole, repository_of

ENDINGS = (".py", ".pyw", ".ipynb", *BESIDE)


@dataclass(frozen=True, slots=True)
class Compared:
    """One repository, then and now."""

    look: Look
    failure: str = ""
    left: tuple[Judgement, ...] = ()
    gone: tuple[Judgement, ...] = ()
    fresh: tuple[Reported, ...] = ()


def main(arguments: list[str] | None = None) -> int:
    options = read(arguments)
    known = judgements()
    chosen = [look for look in looks() if not options.only or look.repository in options.only.split(",")]
    compared = []
    if options.mirror:
        for look in chosen:
            mine = [one for one in known if one.repository == look.repository]
            compared.append(compare(look, mine, options))
            print(line_of(compared[-1]), file=sys.stderr, flush=True)
        told(compared)
    names = {look.repository for look in chosen}
    print(table(by_code([one for one in known if one.repository in names], compared), header(bool(compared))))
    lost = any(one.verdict == "right" for each in compared for one in each.gone)
    return 1 if lost or any(one.failure for one in compared) else 0


def read(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.judged", description=__doc__)
    parser.add_argument("--mirror", type=Path, help="git repositories called owner+name; without it: first looks only")
    parser.add_argument("--clone", action="store_true", help="clone missing repositories from GitHub into the mirror")
    parser.add_argument("--only", default="", metavar="OWNER/NAME,…")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for one repository")
    return parser.parse_args(arguments)


def compare(look: Look, known: Sequence[Judgement], options: argparse.Namespace) -> Compared:
    with tempfile.TemporaryDirectory(prefix="dtlint-judged-", ignore_cleanup_errors=True) as directory:
        try:
            export_whole(
                repository_of(options.mirror, look.repository, options.clone), look.commit, ENDINGS, Path(directory)
            )
        except NoSnapshot as problem:
            return Compared(look, f"no snapshot: {problem}")
        answer = check(Path(directory), limit_seconds=options.limit)
    if answer.failure:
        return Compared(look, answer.failure)
    now = {place_of(item) for item in answer.findings}
    then = {one.place for one in known}
    return Compared(
        look,
        left=tuple(one for one in known if one.place in now),
        gone=tuple(one for one in known if one.place not in now),
        fresh=tuple(item for item in answer.findings if place_of(item) not in then),
    )


def place_of(item: Reported) -> Place:
    return Place(item.code, item.path, item.line)


def line_of(one: Compared) -> str:
    counts = f"{len(one.left)} left, {len(one.gone)} gone, {len(one.fresh)} new"
    return f"{one.look.repository}: {one.failure or counts}"


def told(compared: Sequence[Compared]) -> None:
    """What a person should look at: right ones lost, wrong ones left, new ones."""
    for each in compared:
        for one in each.gone:
            if one.verdict == "right":
                print(f"lost   {one.repository} {one.place} ({one.why})")
        for one in each.left:
            if one.verdict == "wrong":
                print(f"wrong  {one.repository} {one.place} ({one.why})")
        for item in each.fresh:
            print(f"new    {each.look.repository} {shown(item)} {item.message}")


def header(again: bool) -> tuple[str, ...]:
    return ("code", "right", "wrong", "unclear", *(("right left", "wrong left", "new") if again else ()))


def by_code(known: Sequence[Judgement], compared: Sequence[Compared]) -> Iterator[tuple[object, ...]]:
    answered = {one.look.repository for one in compared if not one.failure}
    first = Counter((one.place.code, one.verdict) for one in known if not compared or one.repository in answered)
    left = Counter((one.place.code, one.verdict) for each in compared for one in each.left)
    fresh = Counter(item.code for each in compared for item in each.fresh)
    codes = sorted({code for code, _ in first} | set(fresh))
    for code in (*codes, "all"):
        mine = codes if code == "all" else [code]
        counts = [sum(first[one, verdict] for one in mine) for verdict in ("right", "wrong", "unclear")]
        again = [sum(left[one, verdict] for one in mine) for verdict in ("right", "wrong")]
        again.append(sum(fresh[one] for one in mine))
        yield (code, *counts, *(again if compared else ()))


if __name__ == "__main__":
    sys.exit(main())
