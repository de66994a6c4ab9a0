"""Which real bugs and benign look-alikes are replayed, and which rules answer for them?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from bench import configuration
from bench.judging import Place

HERE = Path(__file__).resolve().parent
MARGIN = 3  # lines around the recorded place that still count as the place


@dataclass(frozen=True, slots=True)
class Bug:
    id: str
    repo: str
    buggy_commit: str
    fix_commit: str | None
    path: str
    first: int
    last: int
    kind: str
    needs: str
    context_paths: tuple[str, ...]
    codes: tuple[str, ...]

    @property
    def place(self) -> Place:
        return Place(self.path, self.first - MARGIN, self.last + MARGIN)


@dataclass(frozen=True, slots=True)
class Benign:
    id: str
    repo: str
    commit: str
    path: str
    first: int
    last: int
    context_paths: tuple[str, ...]

    @property
    def place(self) -> Place:
        return Place(self.path, self.first, self.last)


def class_codes(path: Path = HERE / "classes.toml") -> dict[str, tuple[str, ...]]:
    table = configuration.load(path)["classes"]
    return {name: tuple(codes) for name, codes in table.items()}


def bugs(path: Path = HERE / "bugs.jsonl") -> tuple[Bug, ...]:
    codes = class_codes()
    return tuple(
        Bug(
            id=row["id"],
            repo=row["repo"],
            buggy_commit=row["buggy_commit"],
            fix_commit=row.get("fix_commit"),
            path=row["path"],
            first=row["line_start"],
            last=row["line_end"],
            kind=row["class"],
            needs=row.get("needs", ""),
            context_paths=tuple(row.get("context_paths") or ()),
            codes=tuple(row.get("codes", codes.get(row["class"], ()))),
        )
        for row in configuration.rows(path)
    )


def benign(path: Path = HERE / "benign.jsonl") -> tuple[Benign, ...]:
    return tuple(
        Benign(
            id=row["id"],
            repo=row["repo"],
            commit=row["commit"],
            path=row["path"],
            first=row["line_start"],
            last=row["line_end"],
            context_paths=tuple(row.get("context_paths") or ()),
        )
        for row in configuration.rows(path)
    )
