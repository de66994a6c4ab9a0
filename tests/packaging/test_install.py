"""Do wheel, sdist and editable installs carry the rules and the packs, and run without any framework?"""

from __future__ import annotations

import json
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """\
import torch.distributed as dist


def main():
    dist.init_process_group("gloo")
    if dist.get_rank() == 0:
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
"""

pytestmark = pytest.mark.slow


def run(*command, cwd, **options):
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def environment(folder):
    venv.create(folder, with_pip=True, symlinks=True)
    return folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")


def tries_out(python, folder):
    """The rules are listed, and the one that matters most finds its bug, both ways of calling."""
    rules = json.loads(run(python, "-m", "dtlint", "rules", "--format", "json", cwd=folder))
    assert {path.stem[:5].upper() for path in (ROOT / "rules").glob("dt*.py")} == {rule["code"] for rule in rules}
    (folder / "train.py").write_text(PROGRAM)
    for command in ([python, "-m", "dtlint"], [python.parent / "dtlint"]):
        done = subprocess.run(
            [*map(str, command), "check", "--output-format", "json", "train.py"], cwd=folder, capture_output=True
        )
        assert done.returncode == 1, done.stderr
        assert [item["code"] for item in json.loads(done.stdout)["findings"]] == ["DT101"]


@pytest.fixture(scope="module")
def distributions(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--outdir", folder, ROOT, cwd=folder)
    return folder


def test_wheel(distributions, tmp_path):
    (wheel,) = distributions.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {f"dtlint/rules/{path.name}" for path in (ROOT / "rules").glob("dt*.py")} <= names
    packs = ROOT / "dtlint" / "knowledge" / "packs"
    assert {f"dtlint/knowledge/packs/{path.name}" for path in packs.glob("*.toml")} <= names
    assert not [name for name in names if name.startswith(("tests", "bench", "examples"))]
    python = environment(tmp_path / "venv")
    run(python, "-m", "pip", "install", "--quiet", wheel, cwd=tmp_path)
    tries_out(python, tmp_path)


def test_sdist(distributions, tmp_path):
    (archive,) = distributions.glob("*.tar.gz")
    with tarfile.open(archive) as contents:
        names = {name.partition("/")[2] for name in contents.getnames()}
    assert {f"rules/{path.name}" for path in (ROOT / "rules").glob("dt*.py")} <= names
    python = environment(tmp_path / "venv")
    run(python, "-m", "pip", "install", "--quiet", archive, cwd=tmp_path)
    tries_out(python, tmp_path)


def test_editable(tmp_path):
    python = environment(tmp_path / "venv")
    run(python, "-m", "pip", "install", "--quiet", "--editable", ROOT, cwd=tmp_path)
    tries_out(python, tmp_path)
