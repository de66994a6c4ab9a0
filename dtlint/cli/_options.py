"""What do several commands have in common: options, how configuration and command line meet, where output goes?"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click

from dtlint import __version__, config
from dtlint.config import Config, ConfigError
from dtlint.report import terminal
from dtlint.report.model import RenderOptions

if TYPE_CHECKING:
    from dtlint.source.text import Incomplete

Function = TypeVar("Function", bound=Callable[..., Any])

ANALYSIS = (
    click.option("--select", multiple=True, metavar="RULES", help="Only these: codes, families (DT1), names, or ALL."),
    click.option("--ignore", multiple=True, metavar="RULES", help="Not these."),
    click.option("--strict", is_flag=True, default=None, help="Also what needs judgement."),
    click.option("--world", metavar="HxL", help="Imagine H hosts with L ranks each.  [default: 2x2]"),
    click.option("--exclude", multiple=True, metavar="PATTERN", help="Leave these files out, besides the configured."),
    click.option("--force-exclude", is_flag=True, default=None, help="Exclude files even when they are named."),
    click.option("--config", "config_file", type=click.Path(path_type=Path), help="Use this configuration file."),
    click.option("--isolated", is_flag=True, help="Ignore configuration files."),
    click.option("--jobs", "-j", type=click.IntRange(0), help="Processes; 0 means one for each core."),
    click.option("--no-cache", is_flag=True, help="Neither read nor write the cache."),
    click.option("--cache-dir", metavar="DIR", help="Where the cache is (DTLINT_CACHE_DIR wins)."),
    click.option(
        "--rules",
        "rule_dirs",
        multiple=True,
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help="A directory with rules of your own. They are Python and will be run.",
    ),
)
COLOR = click.option("--color", type=click.Choice(["auto", "always", "never"]), default="auto", show_default=True)


def analysis_options(function: Function) -> Function:
    for option in reversed(ANALYSIS):
        function = option(function)
    return function


def configured(paths: Sequence[str], given: dict[str, Any]) -> Config:
    """The configuration of the project with the command line on top of it."""
    file = given.get("config_file")
    if file is not None and not file.is_file():
        raise ConfigError(f"{file}: there is no such configuration file")
    settings = config.load(paths, bool(given.get("isolated")), file)
    changes: dict[str, Any] = {}
    for name in ("select", "ignore"):
        values = _split(given.get(name) or ())
        if values:
            changes[name] = values
    if given.get("exclude"):
        # Patterns on the command line are meant from here, those in the file from where the file is.
        changes["exclude"] = (*settings.exclude, *given["exclude"])
    for name in ("strict", "world", "jobs", "cache_dir", "force_exclude", "fail_on", "allow_incomplete"):
        if given.get(name) is not None:
            changes[name] = given[name]
    if given.get("baseline"):
        changes["baseline"] = os.path.relpath(given["baseline"], settings.root)
    if given.get("no_cache"):
        changes["cache"] = False
    return config.checked(replace(settings, **changes), "command line")


def _split(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(part.strip() for value in values for part in value.split(",") if part.strip())


def look(stream: IO[str], color: str = "never", quiet: bool = False) -> RenderOptions:
    """How to render for this stream."""
    return RenderOptions(
        width=terminal.width(stream),
        color=terminal.color_wanted(color, stream),
        ascii=terminal.ascii_only(stream),
        quiet=quiet,
        version=__version__,
        lines=source_lines,
    )


def source_lines(path: str) -> Sequence[str]:
    """The lines of a file for a snippet, or nothing when it cannot be read any more."""
    from dtlint.source.text import SourceFile, read

    source = read(SourceFile(path, Path(path)))
    return getattr(source, "text", "").split("\n")


def say_incomplete(problems: Iterable[Incomplete]) -> None:
    for item in problems:
        say(f"dtlint: incomplete {item.path}:{item.line}: {item.reason}")


def say(text: str) -> None:
    """To stderr, where it does not mix with results."""
    click.echo(text, err=True)


def put(text: str) -> None:
    """To stdout, in whatever encoding that has; a character it lacks must not end the run."""
    stream = sys.stdout
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
        stream.flush()
    except BrokenPipeError:
        raise SystemExit(terminal.nobody_reads()) from None
