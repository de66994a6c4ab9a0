"""What do launch files start, and what do the rules for them find?"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dtlint import engine
from dtlint.config import Config
from dtlint.launch.files import launch_files
from dtlint.launch.model import Launch
from dtlint.launch.project import load
from dtlint.launch.shell_values import shown
from dtlint.mistakes import Mistake
from dtlint.report.model import Report
from dtlint.source.files import Discovery


def check(paths: Sequence[str], config: Config, rule_dirs: tuple[Path, ...] = ()) -> Report:
    """A check of the launch files below `paths`, and of nothing else there."""
    found = _files(paths, config)
    if not found.files:
        return Report((), incomplete=tuple(found.problems), notices=tuple(found.notices))
    return engine.check([str(file.location) for file in found.files], config, rule_dirs=rule_dirs)


def _files(paths: Sequence[str], config: Config) -> Discovery:
    found = launch_files(paths, config.exclude, config.force_exclude)
    if found.missing:
        raise Mistake("no such file or directory: " + ", ".join(found.missing))
    return found


def listed(paths: Sequence[str], config: Config) -> str:
    """One line for everything that is started."""
    rows = [_row(launch) for launch in load(_files(paths, config).files) if launch.kind != "tpu-vm scp"]
    widths = [max((len(row[column]) for row in rows), default=0) for column in range(4)]
    return "".join("  ".join(map(str.ljust, row, widths)).rstrip() + "\n" for row in rows)


def _row(launch: Launch) -> tuple[str, str, str, str]:
    number = "?" if launch.world_size is None else str(launch.world_size)
    nodes = "?" if launch.nodes is None else str(launch.nodes)
    depth = "  " * len(list(launch.outers))
    size = f"{number} processes on {nodes} nodes"
    return f"{launch.path}:{launch.line}", f"{depth}{launch.kind}", size, shown(launch.script or "")
