"""Does a check come through large libraries that train on several processes themselves, with nothing left out?"""

from __future__ import annotations

import importlib.util
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("library", ["accelerate", "optax", "orbax"])
def test_nothing_in_a_library_is_left_out(library: str, tmp_path: Path) -> None:
    found = importlib.util.find_spec(library)
    if found is None or not found.submodule_search_locations:
        pytest.skip(f"{library} is not installed")
    copy = tmp_path / library  # where it is installed, git may be told to ignore it
    shutil.copytree(next(iter(found.submodule_search_locations)), copy, ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, "-m", "dtlint", "check", "--isolated", "--no-cache", "--output-format", "json"]
    answer = subprocess.run([*command, library], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    report = json.loads(answer.stdout)
    assert report["summary"]["incomplete"] == []
    assert report["summary"]["analysed"] > 50
