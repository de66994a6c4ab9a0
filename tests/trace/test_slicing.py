"""Functions with stand-ins for the unknown: what parts is seen, what is right is never called wrong."""

from __future__ import annotations

import pytest

from dtlint.findings import Finding, Span
from dtlint.trace.verify import verify

PROGRAM = """
import os
import torch
import torch.distributed as dist
from helpers import summarise
from somewhere import Base, rank_zero_only

RANK = int(os.environ["RANK"])


class Trainer(Base):
    def __init__(self, config):
        super().__init__(config)
        self.lead = dist.get_rank() == 0

    def guarded(self):
        if self.lead:
            dist.barrier()  # DT101 confirmed

    @rank_zero_only
    def decorated(self):
        dist.barrier()  # DT101 confirmed

    def two_sided(self):
        if self.lead:
            dist.barrier()  # DT101 refuted
        else:
            dist.barrier()


def leaves(config):
    if config.quick and RANK != 0:
        return  # DT102 confirmed
    dist.all_reduce(torch.ones(1))


def through_helper(model):
    if dist.get_rank() == 0:
        summarise(model)  # DT101 confirmed


def agreed_decision(path):
    stop = torch.zeros(1)
    if dist.get_rank() == 0 and path.exists():
        stop += 1
    dist.broadcast(stop, src=0)
    if stop.item():
        dist.barrier()  # DT101 refuted


def in_a_group(group):
    if dist.get_rank() == 0:
        dist.all_reduce(torch.ones(1), group=group)  # DT101 inconclusive


def never(config):
    if isinstance(config, int) and False:
        dist.barrier()  # DT101 not-reached


def unknown_guard(run):
    if run.main_process():
        dist.barrier()  # DT101 inconclusive


def ordered(rank, use_cache):
    if rank != 0 and use_cache:
        dist.barrier()  # DT101 inconclusive
    if rank == 0 and use_cache:
        dist.barrier()  # DT101 inconclusive


def broken(config):
    {}["key"]
    if dist.get_rank() == 0:
        dist.barrier()  # DT101 not-reached
"""
HELPERS = """
import torch.distributed as dist


def summarise(model):
    dist.all_reduce(model.loss)
"""


@pytest.fixture(scope="module")
def verified(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, Finding]]:
    root = tmp_path_factory.mktemp("project")
    (root / "train.py").write_text(PROGRAM + f"\nopen({str(root / 'escaped')!r}, 'w')\n")
    (root / "helpers.py").write_text(HELPERS)
    findings, expected = [], []
    for number, line in enumerate(PROGRAM.splitlines(), 1):
        if "  # DT" in line:
            code, state = line.rpartition("  # ")[2].split()
            span = Span("train.py", number, 1, number, 2)
            findings.append(Finding(code, "slug", "hang", "error", "default", "message", "remedy", span))
            expected.append(state)
    found = verify(findings, root, "slice", 120)
    assert not (root / "escaped").exists()
    return list(zip(expected, found, strict=True))


@pytest.mark.parametrize("number", range(12))
def test_verdict(verified: list[tuple[str, Finding]], number: int) -> None:
    expected, finding = verified[number]
    assert finding.verdict.state == expected, (finding.span.line, finding.verdict)
    assert finding.verdict.strength == "slice"


def test_what_was_assumed_is_said(verified: list[tuple[str, Finding]]) -> None:
    (leaving,) = [finding for _, finding in verified if finding.code == "DT102"]
    assert "config.quick is True" in leaving.verdict.reason
