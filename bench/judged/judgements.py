"""What did a person say of each finding, when the repository was looked at for the first time?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.configuration import rows

HERE = Path(__file__).resolve().parent
VERDICTS = ("right", "wrong", "unclear")


@dataclass(frozen=True, slots=True, order=True)
class Place:
    code: str
    path: str
    line: int

    def __str__(self) -> str:
        return f"{self.code} {self.path}:{self.line}"


@dataclass(frozen=True, slots=True)
class Judgement:
    repository: str
    place: Place
    verdict: str
    why: str


@dataclass(frozen=True, slots=True)
class Look:
    """A repository at a commit; those without findings count as well."""

    repository: str
    commit: str
    lines: int
    looked_with: str  # commit of dtlint


def judgements(path: Path = HERE / "judgements.jsonl") -> list[Judgement]:
    return [
        Judgement(row["repository"], Place(row["code"], row["path"], row["line"]), row["verdict"], row["why"])
        for row in rows(path)
    ]


def looks(path: Path = HERE / "looks.jsonl") -> list[Look]:
    return [Look(row["repository"], row["commit"], row["lines"], row["looked_with"]) for row in rows(path)]


def mistakes(known: list[Judgement], seen: list[Look]) -> Iterator[str]:
    """What would make a replay count wrongly."""
    names = [look.repository for look in seen]
    places = [(one.repository, one.place) for one in known]
    yield from (f"{name}: looked at twice" for name in sorted({name for name in names if names.count(name) > 1}))
    for one in known:
        where = f"{one.repository} {one.place}"
        if one.verdict not in VERDICTS:
            yield f"{where}: verdict {one.verdict!r} is not one of {VERDICTS}"
        if not one.why.strip():
            yield f"{where}: says nothing"
        if one.repository not in names:
            yield f"{where}: the repository is not among the looks"
    yield from (
        f"{repository} {place}: judged twice"
        for repository, place in sorted({p for p in places if places.count(p) > 1})
    )
