"""Does an unchanged check start without what only an analysis needs, and no check with a framework?"""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("libcst", "yaml", "rich", "torch", "jax", "numpy", "dtlint.machine.core", "dtlint.registry", "pathspec")
SCRIPT = """
import sys
from dtlint.__main__ import main
try:
    main(sys.argv[1:])
except SystemExit as ending:
    print("exit", ending.code)
    print(*sorted(sys.modules))
"""


@pytest.fixture
def modules(tmp_path, monkeypatch):
    (tmp_path / "pyproject.toml").write_text("")
    (tmp_path / "a.py").write_text("import torch\nimport torch.distributed as dist\n\ndist.barrier()\n")
    monkeypatch.delenv("DTLINT_CACHE_DIR", raising=False)

    def run(*arguments):
        done = subprocess.run([sys.executable, "-c", SCRIPT, *arguments], cwd=tmp_path, capture_output=True, text=True)
        assert "exit 0" in done.stdout, done.stdout + done.stderr
        return set(done.stdout.splitlines()[-1].split())

    return run


def test_warm_run_loads_nothing_heavy(modules):
    assert {"dtlint.machine.core", "libcst"} <= modules("check", "--output-format", "json")
    warm = modules("check", "--output-format", "json")
    assert "dtlint.engine" in warm
    assert not {name for name in HEAVY if name in warm}


def test_no_framework_in_a_cold_run(modules):
    loaded = modules("check", "--no-cache")
    assert not {"torch", "jax", "numpy", "tensorflow"} & loaded
