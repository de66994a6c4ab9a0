import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def toy(n=3200):
    g = torch.Generator().manual_seed(0)
    x = torch.randn(n, 8, generator=g)
    return TensorDataset(x, x.sum(1, keepdim=True))


def start():
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    return dist.get_rank(), dist.get_world_size(), local


class Tiny(nn.Module):
    def __init__(self, v=100):
        super().__init__()
        self.e, self.o = nn.Embedding(v, 32), nn.Linear(32, v)

    def forward(self, t):
        return self.o(self.e(t).mean(1))


@torch.no_grad()
def generate(model, prompt, limit, end=0):
    """All ranks make the same number of forward calls: the weights are sharded."""
    done = torch.zeros(len(prompt), dtype=torch.bool, device=prompt.device)
    for _ in range(limit):
        running = (~done).any().float()
        dist.all_reduce(running, op=dist.ReduceOp.MAX)
        if running.item() == 0:
            break
        token = torch.distributions.Categorical(logits=model(prompt)).sample()
        token = torch.where(done, torch.full_like(token, end), token)
        prompt = torch.cat([prompt, token[:, None]], 1)
        done |= token == end
    return prompt


def main():
    from torch.distributed.fsdp import fully_shard

    rank, world, local = start()
    torch.manual_seed(0)
    model = Tiny().cuda()
    fully_shard(model)
    optimizer = torch.optim.Adam(model.parameters())
    torch.manual_seed(rank)
    for step in range(100):
        x = torch.randint(1, 100, (8, 16), device="cuda")
        loss = nn.functional.cross_entropy(model(x), x[:, 0])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 0:
            texts = generate(model, x[:, :4], 32)
            lengths = (texts != 0).sum(1).float().mean()
            dist.all_reduce(lengths, op=dist.ReduceOp.AVG)
            if rank == 0:
                print(step, lengths.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
