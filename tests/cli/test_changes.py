"""Does `--changed-only` report what a changed file takes part in, and never pass by mistake?"""

from __future__ import annotations

import os
import subprocess

import pytest

HANG = "import torch.distributed as dist\ndist.barrier()  # HANG\n"


@pytest.fixture
def git(project, monkeypatch):
    for name in list(os.environ):
        if name.startswith("GIT_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)

    def run(*arguments):
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run(["git", *identity, *arguments], cwd=project, check=True, capture_output=True)

    run("init", "-q")
    (project / "old.py").write_text(HANG)
    run("add", ".")
    run("commit", "-qm", "first")
    return run


def test_staged_files_only(dtlint, project, git):
    (project / "ä new.py").write_text(HANG)
    git("add", ".")
    done = dtlint("check", "--changed-only", "--output-format", "concise")
    assert (done.code, done.out.splitlines()) == (
        1,
        ["ä new.py:2:19: DT101[rank-guarded-collective] only rank 0 says `HANG`"],
    )
    assert "1 finding not shown" in done.err
    (project / "ä new.py").write_text(HANG.replace("HANG", ""))
    git("add", ".")
    assert dtlint("check", "--changed-only").code == 0


def test_from_a_directory_below(dtlint, project, git, monkeypatch):
    (project / "pkg").mkdir()
    (project / "pkg" / "new.py").write_text(HANG)
    git("add", ".")
    monkeypatch.chdir(project / "pkg")
    assert "new.py:2" in dtlint("check", "--changed-only", "--output-format", "concise").out


def test_untracked_and_unstaged_files_count_when_nothing_is_staged(dtlint, project, git):
    (project / "untracked.py").write_text(HANG)
    assert "untracked.py" in dtlint("check", "--changed-only", "--output-format", "concise").out


def test_nothing_changed_reports_everything(dtlint, project, git, monkeypatch):
    monkeypatch.setenv("PRE_COMMIT", "1")
    done = dtlint("check", "--changed-only")
    assert done.code == 1
    assert "everything is reported" in done.err


def test_between_two_commits(dtlint, project, git, monkeypatch):
    (project / "second.py").write_text(HANG)
    git("add", ".")
    git("commit", "-qm", "second")
    monkeypatch.setenv("PRE_COMMIT_FROM_REF", "HEAD~1")
    monkeypatch.setenv("PRE_COMMIT_TO_REF", "HEAD")
    out = dtlint("check", "--changed-only", "--output-format", "concise").out
    assert "second.py" in out and "old.py" not in out


def test_an_incomplete_file_elsewhere_does_not_stop_a_commit(dtlint, project, git):
    (project / "broken.py").write_text("import torch.distributed\ndef f(:\n")
    git("add", ".")
    assert dtlint("check", "--changed-only").code == 3
    git("commit", "-qm", "broken")
    (project / "fine.py").write_text("x = 1\n")
    git("add", ".")
    assert dtlint("check", "--changed-only").code == 0


def test_outside_of_git(dtlint, project):
    (project / "a.py").write_text(HANG)
    done = dtlint("check", "--changed-only")
    assert done.code == 2
    assert "git: " in done.err


def test_since_a_branch_began(dtlint, project, git):
    git("branch", "start")
    (project / "committed.py").write_text(HANG)
    git("add", ".")
    git("commit", "-qm", "second")
    (project / "untracked.py").write_text(HANG)
    found = dtlint("check", "--changed-since", "start", "--output-format", "concise").out
    assert [line.partition(":")[0] for line in found.splitlines()] == ["committed.py", "untracked.py"]
    assert dtlint("check", "--changed-since", "nowhere").code == 2
    assert dtlint("check", "--changed-since=--output=x").code == 2


def test_nothing_is_new_since_the_branch_itself(dtlint, project, git):
    assert dtlint("check", "--changed-since", "HEAD").code == 0


def test_before_the_first_commit(dtlint, project):
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    (project / "new.py").write_text(HANG)
    assert "new.py:2" in dtlint("check", "--changed-only", "--output-format", "concise").out
