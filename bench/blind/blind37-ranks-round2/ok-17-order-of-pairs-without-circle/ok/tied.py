import os

import torch
import torch.distributed as dist
from torch import nn


class Grid:
    """Two pipeline stages times two replicas; ranks 0,1 hold the first stage and 2,3 the last."""

    def __init__(self):
        self.rank = dist.get_rank()
        if dist.get_world_size() != 4:
            raise SystemExit("four processes, please")
        self.first_dp = dist.new_group([0, 1])
        self.last_dp = dist.new_group([2, 3])
        self.tied = [dist.new_group([0, 2]), dist.new_group([1, 3])]

    @property
    def is_first(self):
        return self.rank < 2

    @property
    def dp(self):
        return self.first_dp if self.is_first else self.last_dp

    @property
    def tie(self):
        return self.tied[self.rank % 2]


class FirstStage(nn.Module):
    def __init__(self, vocab=50, width=16):
        super().__init__()
        self.embedding = nn.Embedding(vocab, width)
        self.mix = nn.Linear(width, width)


class LastStage(nn.Module):
    def __init__(self, vocab=50, width=16):
        super().__init__()
        self.embedding = nn.Embedding(vocab, width)
        self.norm = nn.LayerNorm(width)


@torch.no_grad()
def reduce_replicas(stage, grid):
    for p in stage.parameters():
        dist.all_reduce(p.grad, group=grid.dp)
        p.grad.div_(2)


@torch.no_grad()
def reduce_tied(stage, grid):
    dist.all_reduce(stage.embedding.weight.grad, group=grid.tie)


def finish_first(stage, grid):
    reduce_tied(stage, grid)
    reduce_replicas(stage, grid)


def finish_last(stage, grid):
    reduce_replicas(stage, grid)
    reduce_tied(stage, grid)


def local_loss(stage, grid, gen):
    tokens = torch.randint(0, 50, (8, 12), generator=gen)
    hidden = stage.embedding(tokens)
    hidden = stage.mix(hidden) if grid.is_first else stage.norm(hidden)
    return hidden.square().mean()


def main():
    dist.init_process_group("gloo")
    grid = Grid()
    torch.manual_seed(0)
    stage = FirstStage() if grid.is_first else LastStage()
    dist.broadcast(stage.embedding.weight.data, src=0)
    opt = torch.optim.SGD(stage.parameters(), lr=0.05)
    gen = torch.Generator().manual_seed(100 + grid.rank)
    for _ in range(10):
        opt.zero_grad()
        local_loss(stage, grid, gen).backward()
        if grid.is_first:
            finish_first(stage, grid)
        else:
            finish_last(stage, grid)
        opt.step()
    torch.save(stage.state_dict(), os.path.join(os.environ.get("OUT", "."), f"stage_{grid.rank}.pt"))
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
