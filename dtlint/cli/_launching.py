"""How does a check of launch files go, from paths to a report?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from dtlint import registry
from dtlint.config import Config
from dtlint.findings import Finding, with_fingerprints
from dtlint.launch.files import launch_files
from dtlint.launch.model import Launch
from dtlint.launch.run import LaunchRun, launch_run
from dtlint.launch.shell_values import shown
from dtlint.mistakes import Mistake
from dtlint.outcome import sorted_out
from dtlint.report.model import Report
from dtlint.source.files import discover

if TYPE_CHECKING:
    from dtlint.source.files import Discovery

FAMILY = "launch"


def check(paths: Sequence[str], config: Config, rule_dirs: tuple[Path, ...] = ()) -> Report:
    """What the launch rules find in the launch files below `paths`."""
    found = _files(paths, config)
    run = _run(found, paths, config)
    known = registry.rules(rule_dirs)
    rules = [
        rule
        for rule in registry.chosen(known, config.select, config.ignore)
        if rule.family == FAMILY and rule.check is not None
    ]
    findings: list[Finding] = []
    for rule in rules:
        assert rule.check is not None
        findings += [
            finding for finding in rule.check(run) if registry.reported(finding, rule, config.select, config.strict)
        ]
    findings = with_fingerprints(list(dict.fromkeys(findings)))
    kept, suppressed, notices = sorted_out(findings, found.files, config, known, rules)
    return Report(
        findings=tuple(sorted(kept, key=lambda item: item.sort_key)),
        suppressed=tuple(suppressed),
        files=len(found.files),
        analysed=len(run.launches.files),
        incomplete=tuple(sorted({*found.problems, *run.incomplete})),
        notices=(*found.notices, *run.launches.notices, *notices),
    )


def _files(paths: Sequence[str], config: Config) -> Discovery:
    found = launch_files(paths, config.exclude, config.force_exclude)
    if found.missing:
        raise Mistake("no such file or directory: " + ", ".join(found.missing))
    return found


def _run(found: Discovery, paths: Sequence[str], config: Config) -> LaunchRun:
    folders = [path for path in paths if Path(path).is_dir()]
    beside = folders or sorted({str(file.location.parent) for file in found.files})
    python = discover(beside, config.exclude, True).files if beside else []
    return launch_run(found.files, python)


def listed(paths: Sequence[str], config: Config) -> str:
    """One line for everything that is started."""
    run = _run(_files(paths, config), paths, config)
    rows = [_row(launch) for launch in run.launches if launch.kind not in ("tpu-vm scp",)]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(4)]
    return "".join(
        "  ".join(text.ljust(width) for text, width in zip(row, widths, strict=False)).rstrip() + "\n" for row in rows
    )


def _row(launch: Launch) -> tuple[str, str, str, str]:
    number = "?" if launch.world_size is None else str(launch.world_size)
    nodes = "?" if launch.nodes is None else str(launch.nodes)
    depth = "  " * len(list(launch.outers))
    size = f"{number} processes on {nodes} nodes"
    return f"{launch.path}:{launch.line}", f"{depth}{launch.kind}", size, shown(launch.script or "")
