"""Are the README's examples true? A console block that starts with `$ dtlint` is run and compared."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from dtlint import config

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```console\n\$ dtlint (.*)\n((?:.*\n)*?)```$", README, re.MULTILINE)


@pytest.mark.parametrize(("command", "expected"), BLOCKS, ids=[command for command, _ in BLOCKS])
def test_console_block(command, expected, request):
    variables = {name: value for name, value in os.environ.items() if name not in ("FORCE_COLOR", "NO_COLOR")}
    done = subprocess.run(
        [sys.executable, "-m", "dtlint", *shlex.split(command)],
        cwd=ROOT, capture_output=True, text=True, encoding="utf-8", timeout=120,
        env={**variables, "COLUMNS": "100", "PYTHONUTF8": "1"},
    )  # fmt: skip
    if request.config.getoption("--update-golden"):
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        old, new = (f"```console\n$ dtlint {command}\n{body}```" for body in (expected, done.stdout))
        (ROOT / "README.md").write_text(text.replace(old, new), encoding="utf-8")
        return
    assert done.stdout == expected, done.stderr


def test_there_are_console_blocks():
    assert BLOCKS


def test_configuration_keys_are_all_documented():
    table = README.split("## Configuration")[1].split("### Suppressions")[0]
    for key in config.KEYS:
        assert re.search(rf"^{key} = |[.`\[]{key}\]", table, re.MULTILINE), f"`{key}` is not in the README"


def test_links_lead_somewhere():
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", README):
        assert (ROOT / target).exists(), target


def test_ci_runs_the_command_of_the_readme():
    assert "\nmake test " in README
    assert "\nmake test\n" in (ROOT / ".ci" / "run").read_text()
