"""How does a readiness check go, from paths to an answered list?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dtlint import engine, registry
from dtlint.config import Config
from dtlint.launch.files import launch_files
from dtlint.launch.project import load
from dtlint.mistakes import Mistake
from dtlint.ready.assess import Evidence, Readiness, assess
from dtlint.ready.items import TARGETS
from dtlint.ready.scanning import scan
from dtlint.ready.starting import target_of


def ready(
    paths: Sequence[str],
    config: Config,
    target: str | None = None,
    hosts: int | None = None,
    rule_dirs: Sequence[Path] = (),
) -> Readiness:
    """The check-list for the programs in `paths`, with the launch files that lie there or beside them."""
    if target is not None and target not in TARGETS:
        raise Mistake(f"no target `{target}`; there are {', '.join(TARGETS)}")
    everything = with_launch_files(paths, config)
    report = engine.check(everything, config, rule_dirs=rule_dirs)
    listing = engine.listed(everything, config)
    launches = load(listing.launchers)
    evidence = Evidence(
        findings=report.findings,
        facts=scan([*listing.files, *listing.companions]),
        launches=launches,
        rules=frozenset(rule.code for rule in registry.rules(tuple(rule_dirs))),
        incomplete=report.incomplete,
        hosts=hosts,
    )
    if not listing.files and not listing.launchers:
        raise Mistake("there is neither a Python file nor a launch file")
    return assess(evidence, target or target_of(launches) or "torchrun")


def with_launch_files(paths: Sequence[str], config: Config) -> list[str]:
    """The paths, and for a program named outright the launch files in its directory."""
    wanted = list(dict.fromkeys(paths))
    for path in paths:
        if Path(path).is_file():
            beside = launch_files([str(Path(path).parent)], config.exclude, config.force_exclude)
            folder = Path(path).resolve().parent
            wanted += [file.path for file in beside.files if file.location.resolve().parent == folder]
    return list(dict.fromkeys(wanted))
