"""Does the hook work with a real pre-commit in a real repository, over files that were not changed?"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HELPER = """\
import torch.distributed as dist


def save(model):
    dist.barrier()
"""
TRAIN = """\
import torch.distributed as dist

from helper import save


def main(model):
    dist.init_process_group("gloo")
    if dist.get_rank() == 0:
        save(model)
    dist.destroy_process_group()


if __name__ == "__main__":
    main(None)
"""

pytestmark = pytest.mark.slow


@pytest.fixture
def repository(tmp_path):
    """A repository whose helper was committed before, and pre-commit set up to take dtlint from this checkout."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT"))}
    environment.update(
        PRE_COMMIT_HOME=str(tmp_path / "cache"),
        GIT_CONFIG_GLOBAL=os.devnull,
        GIT_AUTHOR_NAME="a", GIT_AUTHOR_EMAIL="a@example.org",
        GIT_COMMITTER_NAME="a", GIT_COMMITTER_EMAIL="a@example.org",
    )  # fmt: skip
    folder = tmp_path / "project"
    folder.mkdir()

    def run(*command, cwd=folder, fails=False):
        done = subprocess.run(
            [str(part) for part in command], cwd=cwd, env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        assert bool(done.returncode) == fails, done.stdout
        return done.stdout

    # The hook is installed from a commit, so what is tested is a commit of the files as they are now.
    hook = tmp_path / "hook"
    hook.mkdir()
    for name in run("git", "ls-files", "-z", "-co", "--exclude-standard", cwd=ROOT).split("\0"):
        if name.startswith(("dtlint/", "rules/")) or name in (
            "pyproject.toml",
            "README.md",
            "LICENSE",
            ".pre-commit-hooks.yaml",
        ):
            (hook / name).parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / name).is_file():
                (hook / name).write_bytes((ROOT / name).read_bytes())
    run("git", "init", "-q", cwd=hook)
    run("git", "add", "-A", "-f", cwd=hook)
    run("git", "commit", "-qm", "hook", cwd=hook)
    revision = run("git", "rev-parse", "HEAD", cwd=hook).strip()

    run("git", "init", "-q")
    (folder / ".pre-commit-config.yaml").write_text(
        f"repos:\n- repo: {hook}\n  rev: {revision}\n  hooks:\n  - id: dtlint\n"
    )
    (folder / "helper.py").write_text(HELPER)
    (folder / "notes.txt").write_text("notes\n")
    run("git", "add", ".")
    run("git", "commit", "-qm", "first")
    run(sys.executable, "-m", "pre_commit", "install")
    return folder, run


def test_hook(repository):
    folder, run = repository
    (folder / "train.py").write_text(TRAIN)
    run("git", "add", "train.py")
    said = run("git", "commit", "-m", "hangs", fails=True)
    assert "DT101" in said and "train.py:9" in said

    (folder / "train.py").write_text(TRAIN.replace("    if dist.get_rank() == 0:\n        save", "    save"))
    run("git", "add", "train.py")
    assert "Passed" in run("git", "commit", "-m", "works")

    (folder / "notes.txt").write_text("more\n")
    run("git", "add", "notes.txt")
    assert "Skipped" in run("git", "commit", "-m", "no python in it")

    # What is there already does not stop a commit elsewhere, but is seen when everything is checked.
    (folder / "train.py").write_text(TRAIN)
    run("git", "add", "train.py")
    run("git", "commit", "-qm", "forced", "--no-verify")
    (folder / "other.py").write_text("import torch.distributed as dist\n")
    run("git", "add", "other.py")
    assert "Passed" in run("git", "commit", "-m", "elsewhere")
    assert "DT101" in run(sys.executable, "-m", "pre_commit", "run", "--all-files", fails=True)

    installed = run(
        "sh", "-c", "ls -d ../cache/repo*/py_env-*/lib/python*/site-packages/torch 2>/dev/null || echo none"
    )
    assert installed.strip() == "none"
