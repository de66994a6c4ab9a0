"""What does dtlint say at the buggy commit, and what is left of it at the fix?"""

from __future__ import annotations

import ast
import difflib
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path

from bench.judging import Place, of_codes, shown, touches
from bench.realbugs.lists import Benign, Bug
from bench.running import Answer, Reported, check
from bench.snapshots import NoSnapshot, export, repository_of


@dataclass(frozen=True, slots=True)
class Setting:
    """How a replay runs: the same for every case."""

    mirror: Path
    may_clone: bool = False
    codes: tuple[str, ...] = ()  # ask dtlint for these rules only
    strict: bool = False
    processor_seconds: float = 300.0

    @property
    def options(self) -> tuple[str, ...]:
        selected = ("--select", ",".join(self.codes)) if self.codes else ()
        return (*selected, *(("--strict",) if self.strict else ()))


@dataclass(frozen=True, slots=True)
class Outcome:
    """One case after its replay. `status` is replayed, no snapshot or failed."""

    id: str
    repo: str
    kind: str
    needs: str
    status: str
    reason: str = ""
    scope: str = ""
    files: int = 0
    seconds: float = 0.0
    found: bool = False
    gone: bool = False
    matches: tuple[str, ...] = ()
    left_at_fix: tuple[str, ...] = ()
    near: tuple[str, ...] = ()  # other codes at the place: a wrong name for a right place
    elsewhere: int = 0
    codes: tuple[str, ...] = field(default=())


def replay_bug(bug: Bug, setting: Setting) -> Outcome:
    blank = Outcome(bug.id, bug.repo, bug.kind, bug.needs, "replayed", codes=bug.codes)
    try:
        with tempfile.TemporaryDirectory(prefix="dtlint-replay-", ignore_cleanup_errors=True) as directory:
            return replay_in(bug, setting, Path(directory), blank)
    except NoSnapshot as problem:
        return changed(blank, status="no snapshot", reason=str(problem))


def replay_in(bug: Bug, setting: Setting, directory: Path, blank: Outcome) -> Outcome:
    repository = repository_of(setting.mirror, bug.repo, setting.may_clone)
    buggy_root = directory / "buggy"
    exported = export(repository, bug.buggy_commit, bug.path, bug.context_paths, buggy_root)
    bug = in_whole_statements(bug, buggy_root / bug.path)
    answer = checked(buggy_root, exported.scope, bug.context_paths, setting)
    facts = {"scope": exported.scope, "files": exported.files, "seconds": round(answer.seconds, 2)}
    if answer.failure:
        return changed(blank, status="failed", reason=answer.failure, **facts)
    at_place = [item for item in answer.findings if touches(item, (bug.place,))]
    matches = [item for item in at_place if of_codes(item, bug.codes)]
    near = [item for item in at_place if not of_codes(item, bug.codes)]
    outcome = changed(
        blank,
        found=bool(matches),
        matches=tuple(shown(item) for item in matches),
        near=tuple(shown(item) for item in near),
        elsewhere=len(answer.findings) - len(at_place),
        **facts,
    )
    if not matches or not bug.fix_commit:
        return outcome
    return with_fix(bug, setting, directory, repository, matches, outcome)


def with_fix(
    bug: Bug, setting: Setting, directory: Path, repository: Path, matches: list[Reported], outcome: Outcome
) -> Outcome:
    fixed_root = directory / "fixed"
    try:
        exported = export(repository, str(bug.fix_commit), bug.path, bug.context_paths, fixed_root)
    except NoSnapshot as problem:
        return changed(outcome, reason=f"fix: {problem}")
    answer = checked(fixed_root, exported.scope, bug.context_paths, setting)
    if answer.failure:
        return changed(outcome, reason=f"fix: {answer.failure}")
    moved = moved_place(bug, directory / "buggy" / bug.path, fixed_root / bug.path)
    fingerprints = {item.fingerprint for item in matches}
    left = [
        item
        for item in answer.findings
        if of_codes(item, bug.codes) and (item.fingerprint in fingerprints or touches(item, (moved,)))
    ]
    return changed(outcome, gone=not left, left_at_fix=tuple(shown(item) for item in left))


def replay_benign(case: Benign, setting: Setting) -> Outcome:
    """`found` means: something was reported where nothing should be."""
    blank = Outcome(case.id, case.repo, "benign", "", "replayed")
    try:
        with tempfile.TemporaryDirectory(prefix="dtlint-replay-", ignore_cleanup_errors=True) as directory:
            root = Path(directory)
            exported = export(
                repository_of(setting.mirror, case.repo, setting.may_clone),
                case.commit,
                case.path,
                case.context_paths,
                root,
            )
            answer = checked(root, exported.scope, case.context_paths, setting)
    except NoSnapshot as problem:
        return changed(blank, status="no snapshot", reason=str(problem))
    facts = {"scope": exported.scope, "files": exported.files, "seconds": round(answer.seconds, 2)}
    if answer.failure:
        return changed(blank, status="failed", reason=answer.failure, **facts)
    noise = [item for item in answer.findings if case.place.holds(item.path, item.line)]
    return changed(
        blank,
        found=bool(noise),
        matches=tuple(shown(item) for item in noise),
        elsewhere=len(answer.findings) - len(noise),
        **facts,
    )


def checked(root: Path, scope: str, context: tuple[str, ...], setting: Setting) -> Answer:
    outside = [
        path for path in context if scope != "." and not path.startswith(scope + "/") and (root / path).is_file()
    ]
    return check(root, (scope, *outside), options=setting.options, processor_seconds=setting.processor_seconds)


def in_whole_statements(bug: Bug, file: Path) -> Bug:
    """With the rest of the simple statements that it begins or ends in: an argument is told where its call begins."""
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return bug
    first, last = bug.first, bug.last
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            end = node.end_lineno or node.lineno
            if node.lineno <= bug.last and bug.first <= end:
                first, last = min(first, node.lineno), max(last, end)
    return replace(bug, first=first, last=last)


def moved_place(bug: Bug, before: Path, after: Path) -> Place:
    """Where the bug's lines lie after the fix, by the line difference of the file."""
    old, new = lines_of(before), lines_of(after)
    first, last = len(new), 0
    for _, old_from, old_to, new_from, new_to in difflib.SequenceMatcher(None, old, new, False).get_opcodes():
        if old_to < bug.place.first or old_from + 1 > bug.place.last:
            continue
        if old_to - old_from == new_to - new_from:
            low = max(old_from, bug.place.first - 1) - old_from + new_from
            high = min(old_to, bug.place.last) - old_from + new_from
        else:
            low, high = new_from, new_to
        first, last = min(first, low + 1), max(last, high)
    return Place(bug.path, first, last)


def lines_of(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8", errors="replace").splitlines()


def changed(outcome: Outcome, **values: object) -> Outcome:
    return replace(outcome, **values)  # type: ignore[arg-type]
