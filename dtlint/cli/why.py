"""`dtlint why FILE:LINE`: what makes this line depend on the rank."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dtlint.cli import _options as options
from dtlint.findings import Step
from dtlint.report.model import at_line, plural

if TYPE_CHECKING:
    from dtlint.project.modules import Project

PLACE = re.compile(r"(?P<path>.+?):(?:cell (?P<cell>\d+):)?(?P<line>\d+)(?::\d+)?")


@click.command(
    "why",
    short_help="Show what makes a line depend on the rank.",
    epilog="Exit codes: 0 answered, 2 usage or configuration, 3 the file cannot be analysed, 4 internal error.",
)
@click.argument("place", metavar="FILE:LINE")
@click.argument("paths", nargs=-1, type=click.Path())
@options.analysis_options
@options.COLOR
@click.pass_context
def command(ctx: click.Context, place: str, paths: tuple[str, ...], color: str, **given: Any) -> None:
    """Show the trail that makes FILE:LINE depend on the rank: sources, assignments, decisions.

    PATHS are what is analysed along with the file; the current directory unless given. In a notebook a place is
    `FILE:cell CELL:LINE`, as findings show it.
    """
    from dtlint import engine
    from dtlint.machine import queries
    from dtlint.outcome import stepped
    from dtlint.source.files import shown_path

    match = PLACE.fullmatch(place)
    if match is None:
        raise click.UsageError(f"`{place}` is not of the form FILE:LINE")
    targets = (match["path"], *(paths or (".",)))
    settings = options.configured(targets, given)
    listing = engine.listed(targets, settings)
    path = shown_path(Path(match["path"]), Path.cwd())
    project, runs = engine.runs(listing, settings, about=path)
    unread = [problem for problem in project.problems if problem.path == path]
    if unread:
        options.say_incomplete(unread)
        ctx.exit(3)
    line = _line(project, path, int(match["line"]), int(match["cell"] or 0))
    trails = queries.why(runs, path, line)
    if not trails:
        shown = at_line(stepped(Step(path, line, ""), project.notebooks))
        options.put(f"{shown}: nothing on this line depends on the rank, as far as dtlint can see\n")
    for number, trail in enumerate(trails):
        steps = [stepped(step, project.notebooks) for step in trail]
        options.put("\n" * bool(number) + "".join(f"{at_line(step)}: {step.text}\n" for step in steps))


def _line(project: Project, path: str, line: int, cell: int) -> int:
    """The line in the analysed text: of a notebook, all its cells are one."""
    if path not in project.paths:
        raise click.UsageError(f"{path} is not among the Python files that are analysed")
    last = project.text(path).removesuffix("\n").count("\n") + 1
    if path in project.notebooks:
        starts = {one.number: one.start for one in project.notebooks[path].cells}
        if cell not in starts:
            raise click.UsageError(f"in a notebook a place is `{path}:cell CELL:LINE`, with the number of a code cell")
        line += starts[cell] - 1
    if not 1 <= line <= last:
        raise click.UsageError(f"{path} has {plural(last, 'line')}")
    return line
