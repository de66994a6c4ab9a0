"""How does a check go, from paths to a report? The whole way on one screen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dtlint import cache
from dtlint.config import Config
from dtlint.findings import Finding, with_fingerprints
from dtlint.mistakes import Mistake
from dtlint.report.model import Report
from dtlint.source.files import Discovery, discover, shown_path, standard_input
from dtlint.source.text import Incomplete

if TYPE_CHECKING:
    from dtlint.api import Rule
    from dtlint.project.modules import Project

Progress = Callable[[int, int, str], None]


class NothingThere(Mistake):
    """A path that was asked for does not exist, or a pattern matches nothing."""


def check(
    paths: Sequence[str],
    config: Config,
    *,
    rule_dirs: Sequence[Path] = (),
    stdin: tuple[str, bytes] | None = None,
    progress: Progress | None = None,
) -> Report:
    """Files, then what is known about them from the last time, then the analysis. `stdin` is a name and bytes."""
    listing = listed(paths, config, stdin)
    if not config.cache:
        return _fresh(listing, config, rule_dirs, progress)
    store = cache.Store(cache.directory_for(config))
    hashes = store.content_hashes(listing.files)
    more = [repr(listing.notices), repr(listing.problems)]
    key = cache.key([file.path for file in listing.files], hashes, config, rule_dirs, more)
    report = store.load(key)
    if report is None:
        report = _fresh(listing, config, rule_dirs, progress)
        if store.content_hashes(listing.files) == hashes:  # else somebody is editing; the next run will see it
            store.save(key, report)
    store.remember_files()
    return report


def listed(paths: Sequence[str], config: Config, stdin: tuple[str, bytes] | None = None) -> Discovery:
    """The files to look at."""
    names = [path for path in paths if path != "-"]
    listing = discover(names, config.exclude, config.force_exclude) if names else Discovery()
    if listing.missing:
        raise NothingThere("no such file or directory: " + ", ".join(listing.missing))
    if stdin is not None:
        piped = standard_input(stdin[1], stdin[0])
        listing.files = sorted(
            [file for file in listing.files if file.path != piped.path] + [piped], key=lambda file: file.path
        )
    return listing


def runs(listing: Discovery, config: Config, progress: Progress | None = None) -> Iterable[Any]:
    """What the abstract machine sees in these files, one run after the other."""
    return _machine(_project(listing, config), config, progress)


def _project(listing: Discovery, config: Config) -> Project:
    from dtlint.knowledge import loader
    from dtlint.project.modules import Project

    knowledge = loader.load(config.knowledge)
    directory = cache.directory_for(config) if config.cache else None
    return Project.build(listing.files, knowledge.tokens, config.workers, directory)


def _machine(project: Project, config: Config, progress: Progress | None) -> Iterator[Any]:
    from dtlint.knowledge import loader
    from dtlint.machine import run

    for number, one in enumerate(run.analyse(project, loader.load(config.knowledge), config), 1):
        yield one
        if progress is not None:
            progress(min(number, len(project.selected)), len(project.selected), "running")


def _fresh(listing: Discovery, config: Config, rule_dirs: Sequence[Path], progress: Progress | None) -> Report:
    from dtlint import registry
    from dtlint.outcome import placed, sorted_out

    known = registry.rules(tuple(rule_dirs))
    rules = registry.chosen(known, config.select, config.ignore)
    project = _project(listing, config)
    findings: list[Finding] = []
    incomplete = [*listing.problems, *project.problems]
    for run in _machine(project, config, progress):
        for rule in rules:
            findings += _asked(rule, run, config, incomplete)
        incomplete += getattr(run, "incomplete", ())
    findings = with_fingerprints(_distinct(findings))
    kept, suppressed, notices = sorted_out(findings, listing.files, config, known, rules)
    return Report(
        findings=tuple(sorted(placed(kept, listing.files), key=lambda item: item.sort_key)),
        suppressed=tuple(placed(suppressed, listing.files)),
        files=len(listing.files),
        analysed=len(project.selected),
        incomplete=tuple(sorted(set(incomplete))),
        notices=(*listing.notices, *notices),
    )


def _asked(rule: Rule, run: Any, config: Config, incomplete: list[Incomplete]) -> list[Finding]:
    """What a rule says about a run. A rule that fails takes only itself down, and not in silence."""
    from dtlint import registry

    assert rule.check is not None
    try:
        found = list(rule.check(run))
    except Exception as problem:
        reason = f"rule {rule.code} failed: {type(problem).__name__}: {problem}"
        incomplete.append(Incomplete(str(getattr(run, "path", "")), 0, reason))
        return []
    return [finding for finding in found if registry.reported(finding, rule, config.select, config.strict)]


def _distinct(findings: list[Finding]) -> list[Finding]:
    """Several runs may come by the same place; of equal codes at one place the best explained one is kept."""
    best: dict[tuple[object, ...], Finding] = {}
    for finding in sorted(findings, key=lambda item: (*item.sort_key, -len(item.trail))):
        best.setdefault((finding.code, finding.span), finding)
    return list(best.values())


__all__ = ["NothingThere", "check", "listed", "runs", "shown_path"]
