"""Which files does a run look at? Paths, globs and directories in, source files and notices out."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dtlint.source.text import Incomplete, SourceFile

SUFFIXES = (".py", ".pyw", ".ipynb")
NEVER = frozenset(
    {
        ".git", ".hg", ".svn", ".bzr", ".venv", "venv", ".env", "node_modules", "__pycache__", ".tox", ".nox", ".eggs",
        ".mypy_cache", ".ruff_cache", ".pytest_cache", ".dtlint_cache", ".ipynb_checkpoints", "site-packages",
        "__pypackages__", "buck-out",
    }
)  # fmt: skip
_GLOB = "*?["


@dataclass(slots=True)
class Discovery:
    """`missing`: paths that do not exist or globs that match nothing; the caller's mistake, not a finding."""

    files: list[SourceFile] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    notices: list[str] = field(default_factory=list)
    problems: list[Incomplete] = field(default_factory=list)


def discover(
    paths: Sequence[str | Path],
    exclude: Sequence[str] = (),
    force_exclude: bool = False,
    base: Path | None = None,
) -> Discovery:
    """Files named outright are taken whatever `exclude` says, unless `force_exclude`; git's ignores always hold below
    directories. Shown paths are relative to `base` (the current directory)."""
    base = Path(base or Path.cwd()).resolve()
    result = Discovery()
    found: dict[str, SourceFile] = {}
    excluded = _Patterns(exclude, base)
    for given in paths or (".",):
        for path in _expand(str(given), base, result):
            if path.is_dir():
                for file in _below(path, base, excluded, result):
                    found.setdefault(file.path, file)
                continue
            shown = shown_path(path, base)
            if force_exclude and excluded.match(path):
                result.notices.append(f"skipped {shown}: excluded by configuration (--force-exclude)")
                continue
            found.setdefault(shown, SourceFile(shown, path))
    result.files = [found[name] for name in sorted(found)]
    return result


def standard_input(data: bytes, name: str | None, base: Path | None = None) -> SourceFile:
    """What was piped in, under the name it would have on disk."""
    base = Path(base or Path.cwd()).resolve()
    location = base / (name or "<stdin>")
    return SourceFile(shown_path(location, base) if name else "<stdin>", location, data)


def shown_path(path: Path, base: Path) -> str:
    absolute = Path(os.path.normpath(base / path))
    try:
        return absolute.relative_to(base).as_posix()
    except ValueError:
        try:
            return Path(os.path.relpath(absolute, base)).as_posix()
        except ValueError:  # another drive
            return absolute.as_posix()


def _expand(given: str, base: Path, result: Discovery) -> Iterator[Path]:
    path = base / given
    if given.startswith("~") and not os.path.lexists(path):  # else a folder that is called so
        path = base / os.path.expanduser(given)
    try:
        path.lstat()
    except (OSError, ValueError):
        matches = sorted(_glob(given, base)) if any(sign in given for sign in _GLOB) else []
        matches = [match for match in matches if match.is_dir() or match.suffix in SUFFIXES]
        if not matches:
            result.missing.append(given)
        yield from matches
        return
    if path.exists():
        yield path
    else:
        result.problems.append(Incomplete(shown_path(path, base), 1, _broken_link(path)))


def _broken_link(path: Path) -> str:
    try:
        path.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        if "loop" in str(error).lower() or "too many levels" in str(error).lower():
            return "is a symbolic link that leads back to itself"
    return "is a symbolic link to nothing"


def _glob(pattern: str, base: Path) -> Iterator[Path]:
    import glob

    for match in glob.glob(pattern, root_dir=base, recursive=True):
        yield base / match


# --- directories -------------------------------------------------------------------------------------------------


def _below(directory: Path, base: Path, excluded: _Patterns, result: Discovery) -> Iterator[SourceFile]:
    tracked = _git_files(directory)
    for path in _walk(directory, base, result) if tracked is None else tracked:
        if path.suffix not in SUFFIXES or excluded.match(path):
            continue
        if NEVER.intersection(path.relative_to(directory).parts[:-1]):
            continue
        if path.is_symlink() and not path.exists():
            result.problems.append(Incomplete(shown_path(path, base), 1, _broken_link(path)))
        elif path.is_file():
            yield SourceFile(shown_path(path, base), path)
        elif path.exists() and not path.is_dir():
            result.problems.append(Incomplete(shown_path(path, base), 1, "not a regular file"))


def _git_files(directory: Path) -> list[Path] | None:
    """What git tracks or would track below `directory`; None outside a work tree or without git."""
    if not any((parent / ".git").exists() for parent in (directory, *directory.parents)):
        return None
    paths = git_listed(directory, SUFFIXES)
    if paths is None or (not paths and _ignored(directory)):
        return None
    return [path for path in paths if os.path.lexists(path)]  # tracked, but deleted


def git_listed(directory: Path, suffixes: Sequence[str]) -> list[Path] | None:
    """Paths with one of these endings that git tracks or would track, those that were deleted included. The case of the
    endings counts: with `icase`, git forgets below a folder of the work tree what it does not track yet."""
    command = ["git", "-C", str(directory), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    command += ["--deduplicate", "--", *(f":(glob)**/*{suffix}" for suffix in suffixes)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=120, check=False, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError):
        return None
    if done.returncode != 0:
        return None
    return [directory / os.fsdecode(name) for name in done.stdout.split(b"\0") if name]


def _ignored(directory: Path) -> bool:
    """A directory that git ignores, asked for by name, is looked at all the same."""
    command = ["git", "-C", str(directory), "check-ignore", "-q", "."]
    try:
        done = subprocess.run(command, capture_output=True, timeout=60, check=False, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0


def _walk(directory: Path, base: Path, result: Discovery) -> Iterator[Path]:
    """All files below, outside git: `.gitignore` files hold here too. Links to directories are not followed, as git
    does not follow them: what they lead to is found in its own place, and no loop is possible."""
    pending: list[tuple[Path, tuple[_Ignores, ...]]] = [(directory, _ignores_above(directory, base))]
    while pending:
        here, ignores = pending.pop()
        try:
            entries = sorted(os.scandir(here), key=lambda entry: entry.name)
        except OSError as error:
            reason = f"cannot be read ({error.strerror or error})"
            result.problems.append(Incomplete(shown_path(here, base), 1, reason))
            continue
        own = _Ignores.read(here)
        if own is not None:
            ignores = (*ignores, own)
        for entry in entries:
            path = here / entry.name
            is_directory = entry.is_dir(follow_symlinks=False)
            if any(ignore.match(path, is_directory) for ignore in ignores):
                continue
            if not is_directory:
                yield path
            elif entry.name not in NEVER and not (path / "pyvenv.cfg").exists():
                pending.append((path, ignores))


def _ignores_above(directory: Path, base: Path) -> tuple[_Ignores, ...]:
    """The `.gitignore` files between `base` and a directory below it, but for those that ignore it altogether."""
    above = [parent for parent in directory.parents if parent == base or base in parent.parents]
    found = [_Ignores.read(parent) for parent in reversed(above)]
    return tuple(ignores for ignores in found if ignores is not None and not ignores.match(directory, True))


@dataclass(frozen=True, slots=True)
class _Ignores:
    """One `.gitignore`, for what lies below it."""

    directory: Path
    spec: object

    @staticmethod
    def read(directory: Path) -> _Ignores | None:
        try:
            lines = (directory / ".gitignore").read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return None
        return _Ignores(directory, _compiled(lines))

    def match(self, path: Path, is_directory: bool) -> bool:
        relative = path.relative_to(self.directory).as_posix()
        return bool(self.spec.match_file(relative + "/" if is_directory else relative))  # type: ignore[attr-defined]


class _Patterns:
    """`exclude` from the configuration: gitignore patterns below the base directory."""

    def __init__(self, patterns: Sequence[str], base: Path) -> None:
        self._base = base
        self._spec = _compiled(patterns) if patterns else None

    def match(self, path: Path) -> bool:
        if self._spec is None:
            return False
        return bool(self._spec.match_file(shown_path(path, self._base)))  # type: ignore[attr-defined]


def _compiled(lines: Sequence[str]) -> object:
    import pathspec  # late: most runs are inside a git repository and exclude nothing

    kind = getattr(pathspec, "GitIgnoreSpec", None)
    return kind.from_lines(lines) if kind else pathspec.PathSpec.from_lines("gitwildmatch", lines)
