"""Which framework runs a script, and when is a run repeated?"""

from __future__ import annotations

import pytest

from dtlint.trace.interpreter import framework_of
from dtlint.trace.model import Outcome, Result
from dtlint.trace.session import Job, Session


@pytest.mark.parametrize(
    ("source", "framework"),
    [
        ("import torch\nimport torch.distributed as dist\n", "torch"),
        ("import jax\n", "jax"),
        ("import jax\nfrom torch.utils.data import DataLoader\n", "jax"),
        ("import jax\nimport torch\nloader = torch.utils.data.DataLoader(data)\n", "jax"),
        ("import jax\nimport torchvision\n", "jax"),
        ("import jax\nfrom transformers import FlaxBertModel\n", "jax"),
        ("import jax\nimport torch.distributed as dist\n", "torch"),
        ("import jax\nfrom torch import nn\n", "torch"),
        ("import jax\nimport torch\nmodel = torch.nn.Linear(1, 1)\n", "torch"),
        ("import jax\nimport lightning as L\n", "torch"),
        ("from accelerate import Accelerator\n", "torch"),
        ("print('nothing')\n", "torch"),
    ],
)
def test_the_framework_is_what_trains(source: str, framework: str) -> None:
    assert framework_of(source) == framework


class Failing(Session):
    """Every run in which GPUs are pretended fails."""

    def __init__(self) -> None:
        super().__init__("python")
        self.jobs: list[Job] = []

    def run(self, job: Job, watch: object = None) -> Result:
        self.jobs.append(job)
        outcome = Outcome("inconclusive", "rank-error") if job.pretend_gpus else Outcome("agreed")
        return Result(job.script, job.ranks, job.engine, outcome)


@pytest.mark.parametrize(("engine", "runs"), [("lockstep", 2), ("gloo", 1), ("jax", 1)])
def test_only_lockstep_runs_are_repeated_without_pretended_gpus(engine: str, runs: int) -> None:
    session = Failing()
    result = session.run_as_wanted(Job("train.py", engine=engine))
    assert len(session.jobs) == runs
    assert result.outcome.kind == ("agreed" if runs == 2 else "inconclusive")
