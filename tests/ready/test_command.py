"""Does `dtlint ready` work from the command line?"""

from __future__ import annotations

import json
from textwrap import dedent

import pytest
from click.testing import CliRunner

from dtlint.cli import commands
from dtlint.mistakes import Mistake

PROGRAM = """
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel


def main():
    dist.init_process_group("gloo")
    model = DistributedDataParallel(torch.nn.Linear(4, 4))
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "model.pt")
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.py").write_text(dedent(PROGRAM))
    (tmp_path / "run.sh").write_text("torchrun --standalone --nproc_per_node=2 train.py\n")
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(commands, ["ready", "--no-cache", "--isolated", *arguments])


def test_a_hang_is_critical(project):
    done = run("--format", "json")
    data = json.loads(done.output)
    assert done.exit_code == 1
    assert data["target"] == "torchrun"
    marks = {item["title"]: item for item in data["items"]}
    ranks = marks["all ranks make the same collectives in the same order"]
    assert ranks["mark"] == "critical" and ranks["findings"][0]["path"] == "train.py"
    assert marks["`torchrun` starts the program on every node"]["mark"] == "works"


def test_a_program_is_judged_with_the_launch_files_beside_it(project):
    (project / "train.py").write_text(PROGRAM.replace("        dist.barrier()\n", ""))
    (project / "run.sh").write_text("torchrun --nnodes=2 --standalone train.py\n")
    done = run("train.py")
    assert done.exit_code == 1
    assert "DT901" in done.output and "not ready" in done.output


def test_formats(project):
    assert run("--format", "markdown").output.startswith("# Readiness for torchrun: not ready\n")
    assert "agreement of ranks" in run().output


def test_an_unknown_target_is_a_mistake(project):
    done = run("--target", "moon")
    assert done.exit_code == 2


def test_a_missing_path_is_a_mistake(project):
    done = run("nowhere")
    assert isinstance(done.exception, Mistake)


def test_nothing_to_look_at(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert isinstance(run().exception, Mistake)


def test_targets_of_the_command_are_those_of_the_list():
    from dtlint.cli.ready import TARGETS
    from dtlint.ready import items

    assert TARGETS == items.TARGETS
