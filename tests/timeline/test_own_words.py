"""Does a remedy speak as the program does?"""

from __future__ import annotations

from pathlib import Path

import pytest

from dtlint import engine
from dtlint.config import Config

PROGRAM = """
import torch
{imports}

def main(rows):
    {start}
    torch.save(rows, "rows.pt")
    {meet}

main(torch.ones(3))
"""
WORDS = {
    "torch": (
        ("import torch.distributed as dist", 'dist.init_process_group("gloo")', "dist.barrier()"),
        "`if rank == 0:`",
    ),
    "accelerate": (
        ("from accelerate import Accelerator", "accelerator = Accelerator()", "accelerator.wait_for_everyone()"),
        "`if accelerator.is_main_process:`",
    ),
    "horovod": (("import horovod.torch as hvd", "hvd.init()", "hvd.allreduce(rows)"), "`if hvd.rank() == 0:`"),
}


@pytest.mark.parametrize("framework", WORDS)
def test_a_remedy_asks_for_the_rank_as_the_framework_does(
    framework: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (imports, start, meet), asked = WORDS[framework]
    (tmp_path / "train.py").write_text(PROGRAM.format(imports=imports, start=start, meet=meet))
    monkeypatch.chdir(tmp_path)
    findings = engine.check(["train.py"], Config(cache=False, jobs=1)).findings
    remedies = [item.remedy for item in findings if item.code == "DT702"]
    assert len(remedies) == 1
    assert asked in remedies[0]
