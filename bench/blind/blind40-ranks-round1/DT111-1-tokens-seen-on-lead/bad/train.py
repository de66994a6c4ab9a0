import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from hooks import Hooks

EVAL_EVERY_TOKENS = 20_000


class TokenBudget:
    def __init__(self, rank, world):
        self.rank, self.world = rank, world
        self.seen = 0
        self.next_eval = EVAL_EVERY_TOKENS

    def after_step(self, tokens):
        if self.rank == 0:
            self.seen += tokens * self.world
            print(f"{self.seen} tokens", end="\r")

    def due(self):
        if self.seen < self.next_eval:
            return False
        self.next_eval += EVAL_EVERY_TOKENS
        return True


class LM(nn.Module):
    def __init__(self, vocab=64, width=32):
        super().__init__()
        self.embed, self.mix, self.out = nn.Embedding(vocab, width), nn.GRU(width, width, batch_first=True), nn.Linear(width, vocab)

    def forward(self, ids):
        return self.out(self.mix(self.embed(ids))[0])


def nll(model, ids):
    logits = model(ids[:, :-1])
    return nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())


@torch.no_grad()
def evaluate(net, ids, device):
    value = nll(net, ids.to(device))
    dist.all_reduce(value)
    return value.item() / dist.get_world_size()


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    rank, world = dist.get_rank(), dist.get_world_size()
    torch.manual_seed(0)
    net = LM().to(device)
    model = DDP(net, device_ids=[local] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
    corpus = torch.randint(0, 64, (1024, 65), generator=torch.Generator().manual_seed(8))
    held = torch.randint(0, 64, (64, 65), generator=torch.Generator().manual_seed(9)).chunk(world)[rank]
    data = TensorDataset(corpus)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    budget, hooks = TokenBudget(rank, world), Hooks()
    hooks.on("step", budget.after_step)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for (ids,) in loader:
            opt.zero_grad(set_to_none=True)
            nll(model, ids.to(device)).backward()
            opt.step()
            hooks.fire("step", tokens=ids.numel())
            if budget.due():
                value = evaluate(net, held, device)
                if rank == 0:
                    print(f"\nheld-out {value:.3f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
