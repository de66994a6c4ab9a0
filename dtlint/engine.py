"""How does a check go, from paths to a report? The whole way on one screen."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dtlint import cache, units_cache
from dtlint.config import Config, ConfigError
from dtlint.findings import Finding, Step, paths_of, with_fingerprints
from dtlint.ir.stack import rarely_collected
from dtlint.listing import Listing, listed
from dtlint.report.model import Report
from dtlint.report.places import from_project
from dtlint.source.text import Incomplete, read

if TYPE_CHECKING:
    from dtlint.api import Rule
    from dtlint.knowledge.known import Knowledge
    from dtlint.launch.said import Said
    from dtlint.project.modules import Project

LAUNCH = "launch"  # the family whose rules read what starts the programs
Progress = Callable[[int, int, str], None]
_known: dict[str, Knowledge] = {}


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
        with rarely_collected():
            return _fresh(listing, config, rule_dirs, progress)
    store = cache.Store(cache.directory_for(config))
    hashes = store.content_hashes(listing.everything)
    more = [repr((listing.notices, listing.problems, [file.path for file in listing.files]))]
    key = cache.key([file.path for file in listing.everything], hashes, config, rule_dirs, more)
    report = store.load(key)
    if report is None:
        units = units_cache.Units(store, cache.key([], [], config, rule_dirs, []))
        with rarely_collected():
            report = _fresh(listing, config, rule_dirs, progress, units)
        if store.content_hashes(listing.everything) == hashes:  # else somebody is editing; the next run will see it
            store.save(key, report)
    store.remember_files()
    return report


def runs(listing: Listing, config: Config, about: str | None = None) -> tuple[Project, Iterator[Any]]:
    """These files, and what the abstract machine sees in them, one run after the other; with `about`, in those that
    can come to that file."""
    project = _project(listing, config, about=about)
    project.problems[:0] = listing.problems
    return project, _machine(project, config)


def _project(listing: Listing, config: Config, progress: Progress | None = None, about: str | None = None) -> Project:
    from dtlint.launch.documents import started
    from dtlint.project import pins
    from dtlint.project.modules import Project
    from dtlint.project.settings import named, said

    done, total = 0, len(listing.files)

    def tick(count: int) -> None:
        nonlocal done
        done += count
        if progress is not None:
            progress(done, total, "reading")

    directory = cache.directory_for(config) if config.cache else None
    files = [*listing.files, *listing.companions]
    known = _knowledge(config)
    project = Project.build(files, known.tokens, config.workers, directory, tick, known.leading, about)
    project.started = started([*listing.documents, *listing.launchers], project.texts())
    project.pins = pins.stated([*listing.files, *listing.documents, *listing.launchers])
    project.words = said(listing.launchers)
    project.settings = named(project.words, lambda dotted: project.find_module(dotted) is not None)
    return project


def _knowledge(config: Config) -> Knowledge:
    """The packs and the user's rows; reading them takes longer than most files do, so it is done once."""
    from dtlint.knowledge import loader

    own = json.dumps(config.knowledge, sort_keys=True, default=str)
    if own in _known:
        return _known[own]
    try:
        return _known.setdefault(own, loader.load(config.knowledge))
    except loader.KnowledgeError as problem:
        raise ConfigError(f"`knowledge` in the configuration: {problem}") from None


def _machine(project: Project, config: Config) -> Iterator[Any]:
    from dtlint.machine import run

    return run.analyse(project, _knowledge(config), config)


def _outcomes(
    project: Project, config: Config, rules: Sequence[Rule], store: units_cache.Units | None, progress: Progress | None
) -> Iterator[Any]:
    """What every unit of work found, from the last time where nothing it looked into has changed."""
    from dtlint.machine import run, units
    from dtlint.timeline import starting

    def ask(one: Any) -> tuple[list[Finding], list[Incomplete], list[Said]]:
        incomplete: list[Incomplete] = []
        found = [finding for rule in rules for finding in _answers(rule, one, incomplete)]
        return found, incomplete, list(starting.said(one))

    machine = run.machine_for(project, _knowledge(config), config)
    remembered = units_cache.Remembered(store, project, machine)
    outcomes = units.run_all(machine, project.selected, ask, config.workers, remembered.known, remembered.done)
    for count, outcome in enumerate(outcomes, 1):
        yield outcome
        if progress is not None:
            progress(count, 2 * len(project.selected), "running")
    remembered.save()


def _fresh(
    listing: Listing,
    config: Config,
    rule_dirs: Sequence[Path],
    progress: Progress | None,
    store: units_cache.Units | None = None,
) -> Report:
    from dtlint import outcome, registry
    from dtlint.launch.run import launch_run

    known = registry.rules(tuple(rule_dirs))
    rules = registry.chosen(known, config.select, config.ignore)
    for selector in chain.from_iterable(config.per_file_ignores.values()):
        registry.matching(selector, known)
    project = _project(listing, config, progress)
    findings: list[Finding] = []
    incomplete = [*listing.problems, *project.problems]
    here = [rule for rule in rules if rule.family != LAUNCH]
    said: list[Said] = []
    for done in _outcomes(project, config, here, store, progress):
        findings += done.findings
        said += done.said
        incomplete += done.incomplete
    started = launch_run(listing.launchers, _knowledge(config), project.files_with, said, project.pins)
    for rule in rules:
        check = rule.check if rule.family == LAUNCH else rule.check_launch
        if check is not None:
            findings += _answers(replace(rule, check=check), started, incomplete)
    incomplete += started.incomplete
    findings = [_recognisable(finding, project) for finding in _distinct(findings)]
    findings = with_fingerprints(findings, lambda path: from_project(path, Path.cwd(), config.root))
    asked_for = {file.path for file in (*listing.files, *listing.launchers)}
    findings = [finding for finding in findings if not asked_for.isdisjoint(paths_of(finding))]
    texts = _texts(project, listing, asked_for)
    kept, suppressed, notices = outcome.sorted_out(findings, texts, outcome.Asked(known, rules, config))
    return Report(
        findings=tuple(sorted(outcome.placed(kept, project.notebooks), key=lambda item: item.sort_key)),
        suppressed=tuple(outcome.placed(suppressed, project.notebooks)),
        files=len(listing.files) + len(started.launches.files),
        analysed=sum(path in asked_for for path in project.selected) + len(started.launches.files),
        incomplete=tuple(
            sorted(
                {item for item in incomplete if item.path in asked_for or item.path == "." or item in listing.problems}
            )
        ),
        notices=(*listing.notices, *started.launches.notices, *notices),
    )


def _answers(rule: Rule, run: Any, incomplete: list[Incomplete]) -> list[Finding]:
    """What a rule says about a run. A rule that fails takes only itself down, and not in silence."""
    assert rule.check is not None
    try:
        return list(rule.check(run))
    except Exception as problem:
        if os.environ.get("DTLINT_DEBUG"):
            raise
        reason = f"rule {rule.code} failed: {type(problem).__name__}: {problem}"
        entry = getattr(run, "entry", None)
        incomplete.append(Incomplete(entry.path if entry else ".", entry.line if entry else 1, reason))
        return []


def _recognisable(finding: Finding, project: Project) -> Finding:
    """Outside of every function a finding is told from others by the text of its line."""
    if finding.scope or finding.line_text or finding.span.path not in project.paths:
        return finding
    lines = project.text(finding.span.path).split("\n")
    return replace(finding, line_text=lines[finding.span.line - 1]) if finding.span.line <= len(lines) else finding


def _texts(project: Project, listing: Listing, asked_for: set[str]) -> dict[str, str]:
    """What was asked for and could be read, as text."""
    texts = {path: project.text(path) for path in project.paths if path in asked_for}
    for file in listing.launchers:
        if not isinstance(source := read(file), Incomplete):
            texts[file.path] = source.text
    return texts


def _distinct(findings: list[Finding]) -> list[Finding]:
    """Several runs may come by the same place; of equal codes at one place the best explained one is kept, with the
    calls by which the others came there: any of them may be the line to change."""
    best: dict[tuple[object, ...], Finding] = {}
    for finding in sorted(findings, key=lambda item: (*item.sort_key, -len(item.trail))):
        place = (finding.code, finding.span)
        kept = best.setdefault(place, finding)
        if kept is not finding:
            best[place] = _with_way(kept, finding)
    return list(best.values())


WAYS = 6  # further calls that are named


def _with_way(kept: Finding, other: Finding) -> Finding:
    """The last call on the other way, if it is another one."""
    calls = [step for step in other.trail if step.text.startswith("calls `")]
    known = {(step.path, step.line) for step in kept.trail}
    if not calls or (calls[-1].path, calls[-1].line) in known:
        return kept
    if sum(step.text.startswith("also ") for step in kept.trail) >= WAYS:
        return kept
    step = calls[-1]
    return replace(kept, trail=(*kept.trail, Step(step.path, step.line, f"also {step.text}")))


__all__ = ["check", "listed", "runs"]
