"""Launch files made of text, for tests."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

from dtlint.launch.project import Launches, load
from dtlint.source.text import SourceFile


def loaded(folder: Path, files: dict[str, str]) -> Launches:
    sources = []
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text).lstrip("\n"), encoding="utf-8")
        sources.append(SourceFile(name, path))
    return load(sources)


def started(folder: Path, text: str, name: str = "run.sh"):
    """The launches of one file, without the steps around them."""
    steps = ("srun", "mpirun", "tpu-vm ssh", "pytorchjob", "jobset", "job", "trainjob", "skypilot")
    return [launch for launch in loaded(folder, {name: text}) if launch.kind not in steps]
