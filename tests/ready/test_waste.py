"""Where does the number of processes come from that read the same data?"""

from __future__ import annotations

import pytest

from dtlint.ready.waste import wasted
from tests.ready.evidence import facts, finding, launches


def texts(*arguments):
    return [item.text for item in wasted(*arguments)]


def test_without_a_number_none_is_invented(tmp_path):
    found = texts([finding("DT201")], facts("jax"), launches(tmp_path), None)
    assert found == ["all hosts read the same data: with N hosts 1/N of the work counts"]


def test_nothing_wasted_without_a_finding(tmp_path):
    assert texts([finding("DT101")], facts("jax", hosts=4), launches(tmp_path), 4) == []


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ("# a v4-32\ngcloud compute tpus tpu-vm ssh pod --worker=all --command='python3 train.py'\n", "4 hosts"),
        ("# v5litepod-16\ngcloud compute tpus tpu-vm ssh pod --worker=all --command='python3 train.py'\n", "4 hosts"),
        ("# v3-8\ngcloud compute tpus tpu-vm ssh pod --worker=all --command='python3 train.py'\n", "all hosts"),
        ("#!/bin/sh\n#SBATCH --nodes=8\n#SBATCH --ntasks-per-node=1\nsrun -K1 python train.py\n", "8 hosts"),
    ],
)
def test_hosts_of_a_jax_program_come_from_its_launch(tmp_path, run, expected):
    found = texts([finding("DT201")], facts("jax"), launches(tmp_path, run_sh=run), None)
    assert found[0].startswith(expected)


def test_processes_of_a_torch_program_come_from_its_launch(tmp_path):
    run = launches(tmp_path, run_sh="torchrun --standalone --nproc_per_node=8 train.py\n")
    found = texts([finding("DT201")], facts("torch", "initialise-torch"), run, None)
    assert found == ["8 processes read the same data: 12 % effective"]


def test_the_user_knows_best(tmp_path):
    found = texts([finding("DT201")], facts("jax", hosts=2), launches(tmp_path), 4)
    assert found == ["4 hosts read the same data: 25 % effective"]


def test_nodes_that_train_alone(tmp_path):
    sky = "num_nodes: 2\nresources: {accelerators: 'A100:8'}\nrun: torchrun --nproc_per_node=8 train.py\n"
    alone = finding("DT901", "sky.yaml", 3, "2 nodes each start a training of their own", "wrong")
    found = texts([alone], facts("torch"), launches(tmp_path, sky_yaml=sky), None)
    assert found == ["2 nodes train alone: 50 % effective"]
