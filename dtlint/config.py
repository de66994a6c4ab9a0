"""What did the user configure? `[tool.dtlint]` in pyproject.toml, or dtlint.toml, whichever is nearest upward."""

from __future__ import annotations

import difflib
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from dtlint.findings import SEVERITIES
from dtlint.mistakes import Mistake

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MOST_RANKS = 16  # more say nothing new and cost time
WORLD = re.compile(r"([1-9]\d?)x([1-9]\d?)")


class ConfigError(Mistake):
    """The configuration cannot be used; the text says where and why."""


@dataclass(frozen=True, slots=True)
class Config:
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    strict: bool = False
    exclude: tuple[str, ...] = ()
    force_exclude: bool = False
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    world: str = "2x2"  # hosts x ranks per host
    knowledge: Mapping[str, Any] = field(default_factory=dict)
    fail_on: str = "note"
    allow_incomplete: bool = False
    baseline: str = ""  # a file of findings that are known already, relative to the root
    budget: int = 0  # steps before the machine gives up on an entry point; 0 = its own choice
    jobs: int = 0  # 0 = as many as there are cores
    cache_dir: str = ""  # "" = .dtlint_cache at the root; DTLINT_CACHE_DIR wins
    root: Path = field(default_factory=Path.cwd)  # what `exclude` and `per_file_ignores` are relative to
    cache: bool = True

    @property
    def hosts_and_ranks(self) -> tuple[int, int]:
        hosts, _, ranks = self.world.partition("x")
        return int(hosts), int(ranks)

    @property
    def workers(self) -> int:
        return self.jobs or os.cpu_count() or 1


NOT_IN_A_FILE = ("root", "cache")
KEYS = {item.name.replace("_", "-"): item.name for item in fields(Config) if item.name not in NOT_IN_A_FILE}


def find(start: Path) -> Path | None:
    """The nearest file upward that configures dtlint; the search ends at the root of the repository."""
    for directory in (start, *start.parents):
        path = _in(directory)
        if path is not None or (directory / ".git").exists():
            return path
    return None


def _in(directory: Path) -> Path | None:
    for name in ("dtlint.toml", "pyproject.toml"):
        path = directory / name
        if path.is_file() and (name == "dtlint.toml" or b"[tool.dtlint" in _bytes(path)):
            return path
    return None


def passed_over(files: Iterable[Path], root: Path) -> list[Path]:
    """Files below the root that configure dtlint, too: a run has one configuration, and theirs is not used."""
    folders = {above for folder in {file.parent for file in files} for above in (folder, *folder.parents)}
    below = sorted(folder for folder in folders if root in folder.parents)
    return [path for folder in below if (path := _in(folder)) is not None]


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as problem:
        raise ConfigError(f"{path}: {problem.strerror or problem}") from None


def root_of(start: Path) -> Path:
    """Where a project without configuration begins: at the nearest repository or pyproject.toml, else here."""
    for directory in (start, *start.parents):
        if (directory / ".git").exists() or (directory / "pyproject.toml").is_file():
            return directory
    return start


def starting_point(paths: Sequence[str]) -> Path:
    """Where to look for configuration: the deepest directory that holds everything that was asked for."""
    here = Path.cwd()
    found = [(here / path).resolve() for path in paths if path != "-" and (here / path).exists()]
    if not found:
        return here
    common = Path(os.path.commonpath(found))
    return common if common.is_dir() else common.parent


def load(paths: Sequence[str], isolated: bool = False, file: Path | None = None) -> Config:
    """The configuration for a check of these paths, before the command line has its say."""
    start = starting_point(paths)
    path = None if isolated else (file or find(start))
    if path is None:
        return Config(root=root_of(start))
    try:
        table = tomllib.loads(_bytes(path).decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise ConfigError(f"{path}: not valid TOML: {problem}") from None
    if path.name == "pyproject.toml":
        table = table.get("tool", {}).get("dtlint", {})
    return read(table, path)


def read(table: Mapping[str, Any], path: Path) -> Config:
    """A table from a file as a `Config`; a key or value that means nothing is an error, never ignored."""
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in KEYS:
            near = difflib.get_close_matches(key.replace("_", "-"), KEYS, 1, 0.5)
            hint = f"; did you mean `{near[0]}`?" if near else f"; known keys: {', '.join(sorted(KEYS))}"
            raise ConfigError(f"{path}: unknown key `{key}`{hint}")
        values[KEYS[key]] = _value(KEYS[key], value, f"{path}: `{key}`")
    return checked(replace(Config(root=path.resolve().parent), **values), str(path))


def _value(name: str, value: Any, where: str) -> Any:
    default = getattr(_DEFAULTS, name)
    match default:
        case bool():
            if isinstance(value, bool):
                return value
            raise ConfigError(f"{where} must be true or false")
        case tuple():
            return _strings(value, where)
        case int():
            if isinstance(value, int) and not isinstance(value, bool):
                return value
            raise ConfigError(f"{where} must be a whole number")
        case str():
            if isinstance(value, str):
                return value
            raise ConfigError(f"{where} must be a string")
    if not isinstance(value, dict):
        raise ConfigError(f"{where} must be a table")
    if name == "per_file_ignores":
        return {pattern: _strings(codes, f"{where}.{pattern!r}") for pattern, codes in value.items()}
    return value


def _strings(value: Any, where: str) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise ConfigError(f"{where} must be a list of strings")


def checked(config: Config, where: str) -> Config:
    """The same configuration, once its values have been found to make sense."""
    if not WORLD.fullmatch(config.world):
        raise ConfigError(f"{where}: world must be HOSTSxRANKS, as in `2x2`, not `{config.world}`")
    if not 2 <= config.hosts_and_ranks[0] * config.hosts_and_ranks[1] <= MOST_RANKS:
        raise ConfigError(f"{where}: world must have between 2 and {MOST_RANKS} ranks, not `{config.world}`")
    if config.fail_on not in SEVERITIES:
        raise ConfigError(f"{where}: fail-on must be one of {', '.join(SEVERITIES)}, not `{config.fail_on}`")
    if config.jobs < 0 or config.budget < 0:
        raise ConfigError(f"{where}: jobs and budget must not be negative")
    return config


_DEFAULTS = Config()
