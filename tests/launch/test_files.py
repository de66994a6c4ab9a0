"""Which launch files are found where git knows the directory?"""

import subprocess
from pathlib import Path

import pytest

from dtlint.launch.files import launch_files


@pytest.fixture
def work_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    subprocess.run(["git", "init", "--quiet", "."], cwd=tmp_path, check=True)
    for name in ("run.sh", "jobs/train.sh", "jobs/deep/TRAIN.SH", "jobs/left.sh", "jobs/.gitignore"):
        place = tmp_path / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text("left.sh\n" if name.endswith("ignore") else "torchrun train.py\n")
    monkeypatch.chdir(tmp_path / "jobs")
    return tmp_path


def test_what_git_does_not_track_yet_is_found_from_inside_a_folder(work_tree: Path) -> None:
    assert [file.path for file in launch_files(["."]).files] == ["deep/TRAIN.SH", "train.sh"]
    subprocess.run(["git", "add", "."], cwd=work_tree, check=True)
    assert [file.path for file in launch_files(["."]).files] == ["deep/TRAIN.SH", "train.sh"]
