import os
from contextlib import nullcontext

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

TOTAL_BATCH_TOKENS = 524_288  # tokens per optimizer step, all ranks together
MICRO_BATCH, BLOCK, VOCAB = 16, 1024, 50_304


class RandomWindows:
    def __init__(self, tokens, rank):
        self.tokens = tokens
        self.gen = torch.Generator().manual_seed(1337 + rank)

    def next(self):
        starts = torch.randint(0, len(self.tokens) - BLOCK - 1, (MICRO_BATCH,), generator=self.gen)
        window = torch.stack([self.tokens[s : s + BLOCK + 1] for s in starts.tolist()])
        return window[:, :-1].cuda(), window[:, 1:].cuda()


class Model(nn.Module):
    def __init__(self, dim=256):
        super().__init__()
        self.emb = nn.Embedding(VOCAB, dim)
        self.mix = nn.GRU(dim, dim, num_layers=2, batch_first=True)
        self.head = nn.Linear(dim, VOCAB, bias=False)

    def forward(self, ids):
        return self.head(self.mix(self.emb(ids))[0])


def main(steps=1000):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    rank, world = dist.get_rank(), dist.get_world_size()
    tokens_per_micro_step = MICRO_BATCH * BLOCK
    assert TOTAL_BATCH_TOKENS % tokens_per_micro_step == 0
    accumulate = TOTAL_BATCH_TOKENS // tokens_per_micro_step
    torch.manual_seed(0)
    model = DDP(Model().cuda(), device_ids=[local_rank])
    opt = torch.optim.AdamW(model.parameters(), lr=6e-4, fused=True)
    windows = RandomWindows(torch.randint(0, VOCAB, (10_000_000,), generator=torch.Generator().manual_seed(2)), rank)
    for step in range(steps):
        total = torch.zeros((), device="cuda")
        for micro in range(accumulate):
            ids, labels = windows.next()
            with nullcontext() if micro == accumulate - 1 else model.no_sync():
                loss = F.cross_entropy(model(ids).flatten(0, 1), labels.flatten()) / accumulate
                loss.backward()
            total += loss.detach()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        opt.zero_grad(set_to_none=True)
        dist.all_reduce(total, op=dist.ReduceOp.AVG)
        if rank == 0:
            print(f"step {step} loss {total.item():.4f}")
    if rank == 0:
        torch.save(model.module.state_dict(), "gru.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
