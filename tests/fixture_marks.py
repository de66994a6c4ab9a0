"""What do the marks in a fixture expect?"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

MARK = re.compile(r"#\s*(want|miss|noise):\s*((?:DT\d{3}\b[,\s]*)+)(?:\"([^\"]*)\")?")
PASSED_OVER = re.compile(r"#\s*passed over:\s*\S")
STRICT = re.compile(r"#\s*tier:\s*strict")
TEXT_FILES = {".py", ".sh", ".sbatch", ".slurm", ".yaml", ".yml", ".ipynb", ".toml", ".mk", ""}


@dataclass(frozen=True)
class Mark:
    kind: str  # want | miss | noise
    path: str
    line: int
    code: str
    part: str = ""


def fixtures(folder: Path) -> list[Path]:
    """Every top-level file and directory below a code's folder is one project."""
    return [
        entry
        for group in sorted(folder.iterdir())
        if group.is_dir()
        for entry in sorted(group.iterdir())
        if not entry.name.startswith((".", "__")) and entry.name not in ("README.md", "expect.json")
    ]


def files_of(project: Path) -> list[Path]:
    if project.is_file():
        return [project]
    return [path for path in sorted(project.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]


def marks(project: Path) -> Iterator[Mark]:
    base = project.parent if project.is_file() else project
    for path in files_of(project):
        name = path.relative_to(base).as_posix()
        if path.name == "expect.json":
            yield from _from_json(path)
        if path.suffix not in TEXT_FILES:
            continue
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").split("\n"), 1):
            for match in MARK.finditer(line):
                for code in re.findall(r"DT\d{3}", match.group(2)):
                    yield Mark(match.group(1), name, number, code, match.group(3) or "")
    beside = base / "expect.json"
    if project.is_file() and project.suffix == ".json" and beside.is_file():
        yield from (mark for mark in _from_json(beside) if mark.path == project.name)


def _from_json(path: Path) -> Iterator[Mark]:
    for name, expected in json.loads(path.read_text(encoding="utf-8")).items():
        for line, code in expected:
            yield Mark("want", name, int(line), code)


def is_strict(project: Path) -> bool:
    first = [path.read_text(encoding="utf-8", errors="replace")[:200].split("\n")[0] for path in files_of(project)]
    return any(STRICT.search(line) for line in first)


def has_to_be_analysed(project: Path) -> bool:
    """It has Python in it, and nobody says why that should be passed over."""
    sources = [path for path in files_of(project) if path.suffix == ".py"]
    return bool(sources) and not any(PASSED_OVER.search(path.read_text(encoding="utf-8")) for path in sources)
