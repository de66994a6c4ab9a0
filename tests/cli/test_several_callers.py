"""A mistake in a helper names the calls of all programs that come by it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from dtlint import engine
from dtlint.config import Config

HELPER = """
import json


def keep(settings, folder):
    with open(f"{folder}/settings.json", "w") as file:
        json.dump(settings, file)
"""
PROGRAM = """
import torch.distributed as dist

from helper import keep

dist.init_process_group("nccl")
keep({"rate": RATE}, "results")
dist.barrier()
dist.destroy_process_group()
"""


def test_the_calls_of_every_program_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "helper.py").write_text(HELPER)
    for name, blank in (("first", ""), ("second", "\n\n")):
        (tmp_path / f"{name}.py").write_text(blank + PROGRAM.replace("RATE", "0.1"))
    monkeypatch.chdir(tmp_path)
    report = engine.check(["."], replace(Config(), cache=False))
    found = [finding for finding in report.findings if finding.code == "DT702"]
    assert len(found) == 1
    calls = {(step.path, step.line) for step in found[0].trail if "calls `keep`" in step.text}
    assert calls == {("first.py", 7), ("second.py", 9)}
