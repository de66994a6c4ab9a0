import os
from enum import IntEnum

import torch
import torch.distributed as dist
from torch import nn


class Command(IntEnum):
    STOP = 0
    SCORE = 1


class Cluster:
    def __init__(self, device):
        self.rank, self.world, self.device = dist.get_rank(), dist.get_world_size(), device

    def command(self, value=None):
        word = torch.tensor([int(value or 0)], device=self.device)
        dist.broadcast(word, src=0)
        return Command(word.item())

    def share(self, rows, shape):
        if self.rank:
            rows = torch.empty(shape, device=self.device)
        dist.broadcast(rows, src=0)
        return rows


def score(cluster, model, rows):
    part = rows.chunk(cluster.world)[cluster.rank]
    values = model(part).flatten()
    gathered = [torch.empty_like(values) for _ in range(cluster.world)] if not cluster.rank else None
    dist.gather(values, gathered, dst=0)
    return torch.cat(gathered) if gathered is not None else None


def lead(cluster, model, requests):
    answers = []
    for rows in requests:
        cluster.command(Command.SCORE)
        answers.append(score(cluster, model, cluster.share(rows, rows.shape)))
    cluster.command(Command.STOP)
    return answers


def follow(cluster, model, shape):
    while cluster.command() is Command.SCORE:
        score(cluster, model, cluster.share(None, shape))


@torch.inference_mode()
def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    cluster = Cluster(device)
    torch.manual_seed(0)
    model = nn.Linear(5, 1).to(device).eval()
    shape = (12, 5)
    if cluster.rank:
        follow(cluster, model, shape)
    else:
        requests = [torch.randn(shape, device=device) for _ in range(3)]
        answers = lead(cluster, model, requests)
        print(f"{len(answers)} requests answered")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
