"""What is kept of a file's bytes is what would be found in them again."""

from pathlib import Path

import pytest

from dtlint.project.prefilter import select
from dtlint.project.surveys import Surveys, Wanted, decode, encode

WANTED = Wanted((b"all_reduce", b"torch.distributed"), frozenset({b"barrier"}))
FILES = {
    "wrapper.py": b"""
import torch.distributed as dist
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from there import Thing


class Meter(Base):
    total = 0

    def reduce(self):
        dist.all_reduce(self.total)


def plain(value):
    return value + 1
""",
    "caller.py": b"from wrapper import Meter\n\n\ndef log(meter: Meter):\n    Meter.reduce(meter)\n",
    "other.py": b"import json as data_format\n\nprint(data_format.dumps({}))\n",
}


def path_of(importer: str, module: str, level: int) -> str | None:
    return f"{module}.py" if f"{module}.py" in FILES else None


def survey(directory: Path | None, wanted: Wanted = WANTED) -> Surveys:
    surveys = Surveys(FILES, wanted, directory)
    for path in FILES:
        surveys.definitions(path)
    surveys.save()
    return surveys


def facts(surveys: Surveys) -> list[tuple[object, ...]]:
    return [(surveys.imports[path], surveys.tokens(path), surveys.definitions(path)) for path in FILES]


def test_what_is_kept_is_what_was_found(tmp_path):
    fresh = survey(None)
    assert facts(survey(tmp_path)) == facts(fresh)
    assert facts(survey(tmp_path)) == facts(fresh)
    for found in fresh._found.values():
        assert decode(encode(found)) == found
    assert select(survey(tmp_path), path_of) == select(fresh, path_of) == ("caller.py", "wrapper.py")


def test_nothing_is_read_twice(tmp_path, monkeypatch):
    survey(tmp_path)
    monkeypatch.setattr("dtlint.project.surveys.scan_imports", lambda data: pytest.fail("read again"))
    monkeypatch.setattr("dtlint.project.surveys.definitions_in", lambda *given: pytest.fail("read again"))
    survey(tmp_path)


def test_what_is_kept_belongs_to_what_was_looked_for(tmp_path):
    survey(tmp_path)
    assert survey(tmp_path, Wanted((b"dumps",))).tokens("other.py") == (b"dumps",)


@pytest.mark.parametrize("damage", [b"", b"[", b"{}", b"[[], [], 1]", b"[[[1]], [], null]", b"[[], [7], null]"])
def test_damage_is_as_good_as_nothing(tmp_path, damage):
    fresh = facts(survey(tmp_path))
    for file in (tmp_path / "surveys").rglob("*"):
        if file.is_file():
            file.write_bytes(damage)
    assert facts(survey(tmp_path)) == fresh
