"""Which launch files lie below these paths?"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from dtlint.launch import makefiles
from dtlint.source.files import NEVER, Discovery, discover, git_listed

SHELL_SUFFIXES = (".sh", ".bash", ".sbatch", ".slurm", ".srun")
YAML_SUFFIXES = (".yaml", ".yml")
SUFFIXES = (*SHELL_SUFFIXES, *YAML_SUFFIXES, ".json", *makefiles.FORMS)
DATA_SUFFIXES = (*YAML_SUFFIXES, ".json")
LARGEST = 512 * 1024  # larger YAML and JSON below a directory is data; named outright it is read all the same


def launch_files(paths: Sequence[str], exclude: Sequence[str] = (), force_exclude: bool = False) -> Discovery:
    """Files named outright are taken; below directories those with the endings of launch files, as git sees them."""
    given = [Path(path) for path in paths]
    named = [str(path) for path in given if not path.is_dir() and not _other(path)]
    result = discover(named, exclude, force_exclude) if named else Discovery()
    inside = files_below([path for path in given if path.is_dir()], SUFFIXES, exclude)
    known = {file.path for file in result.files}
    result.files += [file for file in inside.files if file.path not in known]
    result.files.sort(key=lambda file: file.path)
    return result


def files_below(
    directories: Sequence[Path],
    suffixes: Sequence[str],
    exclude: Sequence[str],
    wanted: Callable[[Path], bool] = lambda path: True,
) -> Discovery:
    """What lies in a directory was not asked for by name: `exclude` holds, and silently."""
    below = [str(file) for directory in directories for file in _below(directory, suffixes, wanted)]
    return discover(below, exclude, force_exclude=True) if below else Discovery()


def is_shell(path: str) -> bool:
    """Does a shell read it, or make, which hands its recipes to one?"""
    return path.lower().endswith(SHELL_SUFFIXES) or makefiles.is_makefile(path)


def is_launching(path: str) -> bool:
    return is_shell(path) or path.lower().endswith((*YAML_SUFFIXES, ".json"))


def ends_with(path: Path, suffixes: Sequence[str]) -> bool:
    return path.suffix.lower() in suffixes or (path.name in suffixes and makefiles.is_makefile(path.name))


def _other(path: Path) -> bool:
    return path.suffix.lower() in (".py", ".pyw", ".ipynb", ".md", ".toml")


def _below(directory: Path, suffixes: Sequence[str], wanted: Callable[[Path], bool]) -> Iterator[Path]:
    tracked = _tracked(directory, suffixes)
    for path in _walk(directory) if tracked is None else tracked:
        if (
            ends_with(path, suffixes)
            and wanted(path)
            and not NEVER.intersection(path.relative_to(directory).parts[:-1])
        ):
            if path.is_file() and (path.suffix.lower() not in DATA_SUFFIXES or path.stat().st_size <= LARGEST):
                yield path


def _tracked(directory: Path, suffixes: Sequence[str]) -> list[Path] | None:
    """What git tracks or would track, None outside a work tree or without git."""
    if not any((parent / ".git").exists() for parent in (directory.resolve(), *directory.resolve().parents)):
        return None
    return git_listed(directory, [form for suffix in suffixes for form in (suffix, suffix.upper())])


def _walk(directory: Path) -> Iterator[Path]:
    for here, folders, files in os.walk(directory):
        folders[:] = sorted(name for name in folders if name not in NEVER)
        yield from (Path(here) / name for name in sorted(files))
