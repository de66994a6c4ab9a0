"""`python -m bench.mutants --mirror DIR`: make one usual mistake in real code, and see whether dtlint says so."""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.configuration import rows
from bench.judging import of_codes, shown, table
from bench.mutants.edits import EDITS, Edit, applied, changes
from bench.running import Reported, check
from bench.snapshots import NoSnapshot, export, files_of, git, git_directory, repository_of

LIST = Path(__file__).resolve().parent / "mutants.jsonl"
SIZES = range(4, 140)  # Python files of a repository that is drawn


@dataclass(frozen=True, slots=True)
class Mutant:
    """A place in a public repository, and the mistake to make there."""

    edit: str
    repo: str
    commit: str
    path: str
    line: int


@dataclass(frozen=True, slots=True)
class Outcome:
    mutant: Mutant
    status: str  # found, missed, or why there is no answer
    fresh: tuple[str, ...] = ()


def main(arguments: list[str] | None = None) -> int:
    options = read(arguments)
    if options.draw:
        for mutant in draw(options.mirror, options.seed, options.draw):
            print(json.dumps(asdict(mutant)), flush=True)
        return 0
    wanted = [one for one in mutants(options.list) if not options.edit or one.edit in options.edit.split(",")]
    outcomes = []
    for repo in dict.fromkeys(one.repo for one in wanted):
        for outcome in replay([one for one in wanted if one.repo == repo], options):
            at = outcome.mutant
            print(f"{outcome.status:7} {at.edit} {at.repo} {at.path}:{at.line} {' '.join(outcome.fresh)}", flush=True)
            outcomes.append(outcome)
    print(table(by_edit(outcomes), ("edit", "drawn", "answered", "found")))
    return 0


def read(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.mutants", description=__doc__)
    parser.add_argument("--mirror", type=Path, required=True, help="directory of git repositories called owner+name")
    parser.add_argument("--clone", action="store_true", help="clone missing repositories from GitHub into the mirror")
    parser.add_argument("--list", type=Path, default=LIST)
    parser.add_argument("--edit", default="", metavar="NAME,…", help=", ".join(edit.name for edit in EDITS))
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for one run of dtlint")
    parser.add_argument("--draw", type=int, default=0, metavar="N", help="print a new list, N places for each edit")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args(arguments)


def mutants(path: Path) -> list[Mutant]:
    return [Mutant(**row) for row in rows(path)]


def replay(group: list[Mutant], options: argparse.Namespace) -> Iterator[Outcome]:
    """All mutants of one repository: the tree is laid out and checked as it is once."""
    with tempfile.TemporaryDirectory(prefix="dtlint-mutants-", ignore_cleanup_errors=True) as directory:
        root, cache = Path(directory) / "tree", Path(directory) / "cache"
        try:
            repository = repository_of(options.mirror, group[0].repo, options.clone)
            export(repository, group[0].commit, group[0].path, (), root)
        except NoSnapshot as problem:
            yield from (Outcome(one, f"no snapshot: {problem}") for one in group)
            return
        before = check(root, limit_seconds=options.limit, cache=cache)
        if before.failure:
            yield from (Outcome(one, before.failure) for one in group)
            return
        known = {one.fingerprint for one in before.findings}
        for mutant in group:
            place = root / mutant.path
            source = place.read_text(encoding="utf-8")
            edit = next(one for one in EDITS if one.name == mutant.edit)
            change = next((one for one in changes(edit, source) if one.line == mutant.line), None)
            if change is None:
                yield Outcome(mutant, "no such place")
                continue
            place.write_text(applied(change, source), encoding="utf-8")
            after = check(root, limit_seconds=options.limit, cache=cache)
            place.write_text(source, encoding="utf-8")
            if after.failure:
                yield Outcome(mutant, after.failure)
                continue
            fresh = [one for one in after.findings if one.fingerprint not in known]
            yield Outcome(mutant, judged(fresh, edit, mutant), tuple(shown(one) for one in fresh[:3]))


def judged(fresh: list[Reported], edit: Edit, mutant: Mutant) -> str:
    """A new finding of the right family that speaks of the file."""
    about = (one for one in fresh if any(path == mutant.path for path, _ in one.places))
    return "found" if any(of_codes(one, edit.codes) for one in about) else "missed"


def draw(mirror: Path, seed: int, wanted: int) -> Iterator[Mutant]:
    """Places of each kind, no repository twice for one edit; the same list for the same mirror and seed."""
    chance = random.Random(seed)
    repositories = sorted(one.name for one in mirror.iterdir() if "+" in one.name)
    chance.shuffle(repositories)
    left = {edit.name: wanted for edit in EDITS}
    for name in repositories:
        repo = name.removesuffix(".git").replace("+", "/", 1)
        commit, sources = program(mirror, repo)
        for edit in EDITS:
            places = [(path, one.line) for path, text in sources.items() for one in changes(edit, text)]
            if places and left[edit.name]:
                left[edit.name] -= 1
                yield Mutant(edit.name, repo, commit, *chance.choice(places))
        if not any(left.values()):
            return


def program(mirror: Path, repo: str) -> tuple[str, dict[str, str]]:
    """The newest commit of a repository, and its modules; none of one that is too small or too large."""
    try:
        directory = git_directory(mirror, repo)
        commit = git(directory, "rev-parse", "HEAD").decode().strip()
        paths = sorted(files_of(directory, commit))
        if len(paths) not in SIZES:
            return commit, {}
        with tempfile.TemporaryDirectory(prefix="dtlint-mutants-") as root:
            export(directory, commit, paths[0], (), Path(root))
            present = [path for path in paths if "test" not in path.lower() and (Path(root) / path).is_file()]
            return commit, {path: (Path(root) / path).read_text("utf-8", "replace") for path in present}
    except NoSnapshot:
        return "", {}


def by_edit(outcomes: list[Outcome]) -> Iterator[tuple[object, ...]]:
    for edit in EDITS:
        mine = [one for one in outcomes if one.mutant.edit == edit.name]
        answered = [one for one in mine if one.status in ("found", "missed")]
        if mine:
            yield edit.name, len(mine), len(answered), sum(one.status == "found" for one in answered)
    answered = [one for one in outcomes if one.status in ("found", "missed")]
    yield "all", len(outcomes), len(answered), sum(one.status == "found" for one in answered)


if __name__ == "__main__":
    sys.exit(main())
