"""Which findings were there already? A file of them, so that an old project can begin with what is new.

A finding is known again by its fingerprint: neither the number of its line nor the words of its message are part of it.
The file has one line for each, sorted, so that a change of it can be read and merged.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from dtlint.config import Config
from dtlint.findings import Finding
from dtlint.mistakes import Mistake
from dtlint.report.model import Report, plural
from dtlint.report.places import from_project

SCHEMA = "dtlint-baseline/1"
TAKE_OUT = "`dtlint check --update-baseline` takes them out"


class BaselineError(Mistake):
    """The baseline cannot be used or made. Without it everything old would be reported, or everything new hidden."""


@dataclass(frozen=True, slots=True, order=True)
class Known:
    path: str
    code: str
    fingerprint: str
    message: str = ""  # for the person who reads the file


def less_known(report: Report, config: Config, targets: Iterable[str]) -> Report:
    """The report less what its baseline knows; what the baseline knows and nobody finds any more is said."""
    known = read(Path(config.root / config.baseline))
    old = {item.fingerprint for item in known}
    there = {finding.fingerprint for finding in (*report.findings, *report.suppressed)}
    asked = [from_project(target, Path.cwd(), config.root) for target in targets if target != "-"]
    gone = [item for item in known if item.fingerprint not in there and _below(item.path, asked)]
    notices = report.notices
    if gone:
        notices = (*notices, f"{plural(len(gone), 'finding')} of {config.baseline} no longer found; {TAKE_OUT}")
    return replace(
        report,
        findings=tuple(finding for finding in report.findings if finding.fingerprint not in old),
        baselined=tuple(finding for finding in report.findings if finding.fingerprint in old),
        notices=notices,
    )


def _below(path: str, asked: Iterable[str]) -> bool:
    place = PurePosixPath(path)
    return any(item == "." or PurePosixPath(item) in (place, *place.parents) for item in asked)


def read(path: Path) -> list[Known]:
    try:
        table = json.loads(path.read_bytes())
        if table["schema"] != SCHEMA:
            raise BaselineError(f"{path}: not a baseline that this dtlint reads: {table['schema']!r}")
        return [Known(**item) for item in table["findings"]]
    except FileNotFoundError:
        raise BaselineError(f"{path}: there is no such baseline; `dtlint check --update-baseline` writes it") from None
    except OSError as problem:
        raise BaselineError(f"{path}: {problem.strerror or problem}") from None
    except (ValueError, KeyError, TypeError) as problem:
        if isinstance(problem, BaselineError):
            raise
        raise BaselineError(f"{path}: not a baseline: {problem}") from None


def write(report: Report, config: Config) -> str:
    """Make what was found the baseline, and say so. Of files that were not analysed nothing is known: no baseline."""
    path = Path(config.root / config.baseline)
    if report.incomplete and not config.allow_incomplete:
        first = report.incomplete[0]
        raise BaselineError(
            f"{path} is not written: {plural(len(report.incomplete), 'file')} could not be analysed, "
            f"{first.path}: {first.reason} (--allow-incomplete writes it all the same)"
        )
    known = sorted(_known(finding, config) for finding in report.findings)
    rows = ",\n".join("  " + json.dumps(_row(item), ensure_ascii=False) for item in known)
    text = f'{{"schema": "{SCHEMA}", "findings": [\n{rows}\n]}}\n'
    try:
        path.write_text(text, encoding="utf-8", errors="replace", newline="\n")
    except OSError as problem:
        raise BaselineError(f"{path}: {problem.strerror or problem}") from None
    return f"{plural(len(known), 'finding')} written to {config.baseline}: from now on only others are reported"


def _known(finding: Finding, config: Config) -> Known:
    place = from_project(finding.span.path, Path.cwd(), config.root)
    return Known(place, finding.code, finding.fingerprint, finding.message)


def _row(item: Known) -> dict[str, str]:
    return {"path": item.path, "code": item.code, "fingerprint": item.fingerprint, "message": item.message}
