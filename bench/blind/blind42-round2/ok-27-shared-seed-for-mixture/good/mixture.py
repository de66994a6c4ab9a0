"""All ranks choose the same domain in a step (shared generator), but other rows of it."""
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP

WEIGHTS = {"web": 0.6, "code": 0.3, "books": 0.1}


class Mixture:
    def __init__(self, root, rank, batch, seed=9):
        self.rows = {n: torch.load(f"{root}/{n}.pt", map_location="cpu", mmap=True) for n in WEIGHTS}
        self.names, self.weights = list(WEIGHTS), torch.tensor(list(WEIGHTS.values()))
        self.shared = torch.Generator().manual_seed(seed)
        self.own = torch.Generator().manual_seed(seed + 1000 + rank)
        self.batch = batch

    def __iter__(self):
        while True:
            name = self.names[torch.multinomial(self.weights, 1, generator=self.shared).item()]
            rows = self.rows[name]
            picked = torch.randint(len(rows), (self.batch,), generator=self.own)
            yield name, rows[picked].long()


class Heads(nn.Module):
    def __init__(self, vocab=32000, width=256):
        super().__init__()
        self.embed, self.rnn = nn.Embedding(vocab, width), nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, vocab)

    def forward(self, ids):
        logits = self.out(self.rnn(self.embed(ids[:, :-1]))[0])
        return nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())


def main(steps=5000):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    model = DDP(Heads().cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    for step, (name, ids) in zip(range(steps), Mixture(os.environ["ROWS"], rank, 16)):
        loss = model(ids.cuda())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        if step % 100 == 0:
            mean = loss.detach()
            dist.all_reduce(mean, op=dist.ReduceOp.AVG)
            if rank == 0:
                print(step, name, f"{mean.item():.3f}", flush=True)
    if rank == 0:
        torch.save(model.module.state_dict(), "heads.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
