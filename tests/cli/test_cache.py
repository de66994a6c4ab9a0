"""Is an unchanged check answered from the cache, and a changed one never?"""

from __future__ import annotations

import json
import os

import pytest

from dtlint import cache
from dtlint.report.model import Report
from tests.report import sample

HANG = "import torch.distributed as dist\ndist.barrier()  # HANG\n"


def age(path, seconds=60):
    """Make a file old enough that its time stamp is believed."""
    status = path.stat()
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns - seconds * 10**9))


@pytest.fixture
def train(project):
    path = project / "train.py"
    path.write_text(HANG)
    age(path)
    return path


def test_second_run_does_not_analyse_and_says_the_same(dtlint, train, machine):
    first = dtlint("check")
    assert machine.calls == 1
    assert dtlint("check") == first
    assert machine.calls == 1
    assert dtlint("check", "--output-format", "json").code == 1
    assert dtlint("check", "--fail-on", "error", "--jobs", "1").code == 1
    assert machine.calls == 1


def test_every_change_is_seen(dtlint, train, project, machine):
    dtlint("check")
    calls = 1
    for change in (
        lambda: train.write_text(HANG + "x = 1\n"),
        lambda: (project / "other.py").write_text("import torch.distributed\n"),
        lambda: (project / "dtlint.toml").write_text("strict = true\n"),
        lambda: (project / "other.py").unlink(),
    ):
        change()
        dtlint("check")
        calls += 1
        assert machine.calls == calls
    dtlint("check", "--select", "DT1")
    dtlint("check", "--world", "1x4")
    assert machine.calls == calls + 2
    dtlint("check", "train.py", "--isolated")
    assert machine.calls == calls + 2, "the same files under the same configuration as after the first change"


def test_content_counts_where_time_and_size_lie(dtlint, train, machine):
    dtlint("check")
    before = train.stat()
    train.write_text(HANG.replace("HANG", "FINE"))
    dtlint("check")
    assert machine.calls == 2
    train.write_text(HANG)
    os.utime(train, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert dtlint("check").code == 1
    assert machine.calls == 2, "the old content is known under its hash"


def test_touching_a_file_changes_nothing(dtlint, train, machine):
    dtlint("check")
    age(train, 5)
    dtlint("check")
    assert machine.calls == 1


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b"{}", b'{"findings": 3}', b"\xff\xfe", b"[" * 100_000])
def test_damage_is_absence(dtlint, train, project, machine, damage):
    first = dtlint("check")
    for path in (project / ".dtlint_cache").rglob("*.json"):
        path.write_bytes(damage)
    assert dtlint("check") == first
    assert machine.calls == 2
    assert dtlint("check") == first
    assert machine.calls == 2


def test_directory_is_marked_and_movable(dtlint, train, project, monkeypatch, tmp_path_factory, machine):
    dtlint("check")
    assert (project / ".dtlint_cache" / "CACHEDIR.TAG").read_text().startswith("Signature: 8a477f597d28d172789f")
    assert (project / ".dtlint_cache" / ".gitignore").read_text().endswith("*\n")
    elsewhere = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("DTLINT_CACHE_DIR", str(elsewhere))
    dtlint("check", "--cache-dir", "third")
    assert list(elsewhere.rglob("*.json"))
    assert not (project / "third").exists()


def test_no_cache_and_a_cache_that_cannot_be_written(dtlint, train, project, monkeypatch, machine):
    dtlint("check", "--no-cache")
    assert not (project / ".dtlint_cache").exists()
    (project / "file").write_text("")
    monkeypatch.setenv("DTLINT_CACHE_DIR", str(project / "file" / "cache"))
    assert dtlint("check").code == 1


def test_a_linked_cache_is_not_followed(dtlint, train, project, tmp_path_factory, machine):
    target = tmp_path_factory.mktemp("target")
    (project / ".dtlint_cache").symlink_to(target)
    assert dtlint("check").code == 1
    assert not list(target.rglob("*.json"))


def test_incomplete_is_remembered_as_incomplete(dtlint, project, machine):
    (project / "bad.py").write_text("import torch.distributed\ndef f(:\n")
    assert dtlint("check").code == 3
    assert dtlint("check").code == 3


def test_a_report_survives_the_cache_exactly():
    report = sample.report()
    assert cache.decode(json.loads(json.dumps(cache.encode(report), default=cache._enum))) == report
    assert cache.decode(cache.encode(Report(()))) == Report(())


def test_results_are_trimmed(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "KEPT_RESULTS", 3)
    store = cache.Store(tmp_path / "c")
    for number in range(6):
        store.save(f"{number}", Report((), files=number))
    assert len(list((tmp_path / "c" / "results").iterdir())) == 3
    assert store.load("5") == Report((), files=5)
