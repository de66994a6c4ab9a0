"""Is the way to a difference told in full, and nothing of it twice?"""

from __future__ import annotations

from pathlib import Path

import pytest

from dtlint import engine
from dtlint.config import Config
from dtlint.findings import Step, each_once

PROGRAM = """
import torch
import torch.distributed as dist

dist.init_process_group("gloo")
turns = 0
for _ in range(10):
    if dist.get_rank() == 0:
        turns += 1
    if turns > 3:
        dist.all_reduce(torch.ones(1))
        turns = 0
dist.destroy_process_group()
"""


def test_nothing_is_told_twice() -> None:
    called, plain = Step("a.py", 1, "calls `main`"), Step("a.py", 2, "decides on `x`")
    full, elsewhere = Step("a.py", 2, "decides on `x`, which differs by rank"), Step("b.py", 2, "decides on `x`")
    assert each_once(()) == ()
    assert each_once((called, plain, full, called)) == (called, full)
    assert each_once((elsewhere, full)) == (elsewhere, full)


def test_the_line_that_only_some_ranks_run_is_in_the_trail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    monkeypatch.chdir(tmp_path)
    (finding,) = engine.check(["train.py"], Config(cache=False, jobs=1)).findings
    assert finding.code == "DT111"
    assert Step("train.py", 9, "`turns` changes on some ranks only") in finding.trail
    assert len([step for step in finding.trail if step.line == 10]) == 1
