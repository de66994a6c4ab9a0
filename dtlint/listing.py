"""Which files does a check read: those asked for, those they import, those that start them, or tell how?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dtlint import context
from dtlint.config import Config, passed_over
from dtlint.launch.documents import document_files, requirements_above
from dtlint.launch.files import DATA_SUFFIXES, is_launching, launch_files
from dtlint.mistakes import Mistake
from dtlint.source.files import Discovery, discover, shown_path, standard_input
from dtlint.source.text import Incomplete, SourceFile


class NothingThere(Mistake):
    """A path that was asked for does not exist, or a pattern matches nothing."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The files that were asked for, those they import that were not, what may start them, and what tells how."""

    files: list[SourceFile]
    companions: list[SourceFile]
    launchers: list[SourceFile]
    documents: list[SourceFile]
    notices: list[str]
    problems: list[Incomplete]

    @property
    def everything(self) -> list[SourceFile]:
        return [*self.files, *self.companions, *self.launchers, *self.documents]


def listed(paths: Sequence[str], config: Config, stdin: tuple[str, bytes] | None = None) -> Listing:
    """The files to look at."""
    names = [path for path in paths if path != "-"]
    launching = [path for path in names if Path(path).is_dir() or is_launching(path)]
    python = [path for path in names if Path(path).is_dir() or path not in launching]
    found, launchers = Discovery(), Discovery()
    if python:
        found = discover(python, config.exclude, config.force_exclude)
    if launching:
        launchers = launch_files(launching, config.exclude, config.force_exclude)
    if missing := [*found.missing, *launchers.missing]:
        raise NothingThere("no such file or directory: " + ", ".join(missing))
    files = {file.path: file for file in found.files}
    named = [files[path] for name in names if (path := shown_path(Path(name), Path.cwd())) in files]
    if stdin is not None:
        piped = standard_input(stdin[1], stdin[0])
        files[piped.path] = piped
        named.append(piped)
    companions = context.companions(named, files.values(), config.root)
    companions += _started(names, launchers, [*files.values(), *companions], config)
    return Listing(
        [files[path] for path in sorted(files)],
        companions,
        launchers.files,
        _documents(names, config),
        [*found.notices, *launchers.notices, *_passed_over(launchers, names), *_other_projects(found.files, config)],
        [*found.problems, *(problem for problem in launchers.problems if problem not in found.problems)],
    )


def _documents(names: Sequence[str], config: Config) -> list[SourceFile]:
    above = requirements_above(names, config.root)
    return list({file.path: file for file in (*document_files(names, config.exclude).files, *above)}.values())


def _started(
    names: Sequence[str], launchers: Discovery, known: Sequence[SourceFile], config: Config
) -> list[SourceFile]:
    """The programs that launch files start which were asked for by name, with what they import."""
    asked = {shown_path(Path(name), Path.cwd()) for name in names}
    named = [file for file in launchers.files if file.path in asked]
    if not named:
        return []
    from dtlint.launch.project import programs  # parsers, which most runs do without

    seen = {file.path for file in known}
    found = [file for file in programs(named) if file.path not in seen]
    return [*found, *context.companions(found, [*known, *found], config.root)]


def _other_projects(files: Sequence[SourceFile], config: Config) -> list[str]:
    others = passed_over((file.location for file in files), config.root)
    return [
        f"{shown_path(path, Path.cwd())} is not used here; `dtlint check {shown_path(path.parent, Path.cwd())}` uses it"
        for path in others
    ]


def _passed_over(launchers: Discovery, names: Sequence[str]) -> list[str]:
    """What is said of data files that were asked for by name and are none."""
    asked = {shown_path(Path(name), Path.cwd()) for name in names if name.lower().endswith(DATA_SUFFIXES)}
    if not asked:
        return []
    from dtlint.launch.project import passed_over  # parsers, which most runs do without

    return [text for file in launchers.files if file.path in asked and (text := passed_over(file))]
