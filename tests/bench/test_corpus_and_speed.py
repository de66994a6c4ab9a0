"""Are archives checked and unpacked safely, is triage strict, and are costs measured?"""

from __future__ import annotations

import hashlib
import io
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from bench.corpus import __main__ as corpus
from bench.corpus.packages import Package, count_lines, find_archive, pinned, sources_of, unpack
from bench.corpus.triage import judgements, suggested
from bench.running import Answer, Reported
from bench.speed.__main__ import CHANGED, TREES
from bench.speed.measuring import measured


def sdist(path: Path, members: dict[str, str]) -> str:
    with tarfile.open(path, "w:gz") as archive:
        for name, text in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_pins_are_complete() -> None:
    packages = pinned()
    assert len(packages) == 18
    assert all(len(package.digest) == 64 and package.version for package in packages)
    assert {name for names in TREES.values() for name in names} <= {package.name for package in packages}
    assert set(CHANGED) == set(TREES)


def test_sources_come_from_the_archive_with_the_pinned_hash(tmp_path: Path) -> None:
    archives = tmp_path / "archives"
    archives.mkdir()
    digest = sdist(
        archives / "some_name-1.0.tar.gz", {"some_name-1.0/a.py": "x = 1\ny = 2\n", "some_name-1.0/b.txt": "-"}
    )
    root = sources_of(Package("some-name", "1.0", digest), tmp_path)
    assert [path.name for path in root.rglob("*") if path.is_file()] == ["a.py"]
    assert count_lines(root) == (1, 2)
    assert find_archive(Package("some-name", "1.0", "0" * 64), archives) is None


def test_wheels_are_unpacked_too(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a-1-py3-none-any.whl", "w") as wheel:
        wheel.writestr("a/__init__.py", "x = 1\n")
    unpack(tmp_path / "a-1-py3-none-any.whl", tmp_path / "out")
    assert (tmp_path / "out" / "a" / "__init__.py").read_text() == "x = 1\n"


def test_members_outside_of_the_target_are_refused(tmp_path: Path) -> None:
    sdist(tmp_path / "a-1.tar.gz", {"a-1/../../evil.py": "x"})
    with pytest.raises(ValueError, match="outside"):
        unpack(tmp_path / "a-1.tar.gz", tmp_path / "out")
    assert not (tmp_path / "evil.py").exists()


def test_the_triage_file_is_valid() -> None:
    assert all(one.verdict in ("right", "wrong") for one in judgements().values())


def test_an_error_of_its_own_fails_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def answered(reason: str) -> int:
        monkeypatch.setattr(corpus, "sources_of", lambda package, directory: tmp_path)
        monkeypatch.setattr(corpus, "check", lambda *_, **__: Answer((), 0.1, 3, incomplete=(f"a.py:1: {reason}",)))
        return corpus.main(["--only", "trl"])

    assert answered("needs more steps than the budget allows") == 0
    assert answered("internal error in `f`: KeyError: 'x'") == 1
    assert answered("rule DT302 failed: TypeError: 'Call' object is not iterable") == 1


def test_a_suggested_row_must_be_completed_before_it_counts(tmp_path: Path) -> None:
    row = suggested("pkg", Reported("DT101", "a.py", 3, 'says "x"', "f1", "default"))
    path = tmp_path / "triage.toml"
    path.write_text(row)
    with pytest.raises(ValueError, match="verdict"):
        judgements(path)
    path.write_text(row.replace('"?"', '"right"').replace('why = ""', 'why = "it hangs"'))
    assert judgements(path)[("pkg", "f1")].where == "a.py:3"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")
def test_costs_include_child_processes(tmp_path: Path) -> None:
    hold = "import time; data = bytearray(40_000_000); time.sleep(0.4)"
    text = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {hold!r}])"
    cost = measured([sys.executable, "-c", text], tmp_path, {}, 30)
    assert cost.exit_code == 0
    assert 0.4 <= cost.wall < 10
    assert min(cost.tree_mib, cost.largest_process_mib) > 38  # held by the child, not by the process itself
