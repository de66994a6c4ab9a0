"""Test file for a distributed helper: spawns workers, checks averages, uses pytest fixtures."""
import os
import tempfile

import pytest
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP


def _init(rank, world, path):
    dist.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=world)


def _average(rank, world, path):
    _init(rank, world, path)
    t = torch.full((3,), float(rank))
    dist.all_reduce(t)
    assert torch.allclose(t / world, torch.full((3,), (world - 1) / 2))
    gathered = [torch.zeros(1) for _ in range(world)]
    dist.all_gather(gathered, torch.tensor([float(rank)]))
    assert [int(g) for g in gathered] == list(range(world))
    if rank == 0:
        out = [torch.zeros(1) for _ in range(world)]
        dist.gather(torch.tensor([1.0]), out, dst=0)
        assert len(out) == world
    else:
        dist.gather(torch.tensor([1.0]), dst=0)
    dist.destroy_process_group()


def _same_weights(rank, world, path, broadcast):
    _init(rank, world, path)
    torch.manual_seed(rank)
    model = DDP(nn.Linear(2, 2))
    x = torch.randn(4, 2)
    model(x).sum().backward()
    grads = [torch.zeros_like(model.module.weight.grad) for _ in range(world)]
    dist.all_gather(grads, model.module.weight.grad)
    for g in grads[1:]:
        torch.testing.assert_close(g, grads[0])
    objects = [None] * world
    dist.all_gather_object(objects, {"rank": rank})
    assert sorted(o["rank"] for o in objects) == list(range(world))
    dist.destroy_process_group()


@pytest.fixture
def rendezvous():
    with tempfile.TemporaryDirectory() as d:
        yield os.path.join(d, "store")


@pytest.mark.parametrize("world", [2, 4])
def test_average(world, rendezvous):
    mp.spawn(_average, args=(world, rendezvous), nprocs=world)


@pytest.mark.parametrize("broadcast", [True, False])
def test_weights(broadcast, rendezvous):
    mp.spawn(_same_weights, args=(2, rendezvous, broadcast), nprocs=2)
