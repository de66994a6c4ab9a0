"""Which findings touch what was changed in git? For hooks: all is analysed, only the change is reported."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from dataclasses import replace

import click

from dtlint.findings import paths_of
from dtlint.report.model import Report, plural


def only_changed(report: Report, say: Callable[[str], None], since: str = "") -> Report:
    """The report less what no changed file takes part in; how much was left out is said, not hidden."""
    changed = changed_files(since)
    if not changed and not since:
        say("dtlint: nothing is changed in git, so everything is reported")
        return report
    kept = tuple(finding for finding in report.findings if {_real(path) for path in paths_of(finding)} & changed)
    incomplete = tuple(item for item in report.incomplete if _real(item.path) in changed)
    left_out = len(report.findings) - len(kept) + len(report.incomplete) - len(incomplete)
    notices = report.notices
    if left_out:
        notices = (*notices, f"{plural(left_out, 'finding')} not shown: no changed file takes part")
    return replace(report, findings=kept, incomplete=incomplete, notices=notices)


def _real(path: str) -> str:
    return os.path.realpath(path)


UNTRACKED = ("ls-files", "-z", "--others", "--exclude-standard", "--full-name", ":/")


def changed_files(since: str = "") -> set[str]:
    """What differs from where this branch left `since`; without it pushed commits under a pre-push hook, else what is
    staged, else what differs from the last commit."""
    root = _git("rev-parse", "--show-toplevel")[0]
    begin, end = os.environ.get("PRE_COMMIT_FROM_REF"), os.environ.get("PRE_COMMIT_TO_REF")
    if since:
        if since.startswith("-"):
            raise click.UsageError(f"--changed-since: `{since}` is no commit")
        names = _git("diff", "--name-only", "-z", "--diff-filter=d", "--merge-base", since, "--") + _git(*UNTRACKED)
    elif begin and end and not (begin + end).startswith("-"):
        names = _git("diff", "--name-only", "-z", "--diff-filter=d", f"{begin}...{end}", "--")
    else:
        names = _git("diff", "--cached", "--name-only", "-z", "--diff-filter=d", "--")
        if not names and not os.environ.get("PRE_COMMIT"):
            names = _git(*UNTRACKED)
            if _git("rev-list", "-n", "1", "--all"):  # else there is no last commit to compare with
                names += _git("diff", "--name-only", "-z", "--diff-filter=d", "HEAD", "--")
    return {os.path.realpath(os.path.join(root, name)) for name in names}


def _git(*arguments: str) -> list[str]:
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    # A repository may configure programs that git runs for it; a check must not start them.
    command = ["git", "-c", "core.fsmonitor=false", "-c", "diff.external=", *arguments]
    try:
        done = subprocess.run(command, capture_output=True, env=environment, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise click.UsageError(f"which files are changed, git has to say: {problem}") from None
    if done.returncode:
        raise click.UsageError("git: " + done.stderr.decode("utf-8", "replace").strip())
    text = os.fsdecode(done.stdout)
    return (
        [name for name in text.replace("\n", "\0").split("\0") if name]
        if arguments[0] == "rev-parse"
        else [name for name in text.split("\0") if name]
    )
