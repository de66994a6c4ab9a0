"""Small GPT-like run; torchrun --nnodes 4 --nproc-per-node 8 train_gpt.py"""
import contextlib
import math
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

TOKENS_PER_STEP = 2**19
MICRO_BATCH = 16
CONTEXT = 1024
MAX_STEPS = 2000


class TinyLM(nn.Module):
    def __init__(self, vocab=50304, dim=256):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.mix = nn.GRU(dim, dim, batch_first=True)
        self.head = nn.Linear(dim, vocab, bias=False)

    def forward(self, tokens, targets):
        hidden, _ = self.mix(self.embed(tokens))
        logits = self.head(hidden)
        return F.cross_entropy(logits.view(-1, logits.size(-1)), targets.reshape(-1))


def windows(path, generator, device):
    """Random windows; each rank draws its own."""
    tokens = torch.from_file(path, dtype=torch.int32, size=os.path.getsize(path) // 4)
    while True:
        starts = torch.randint(len(tokens) - CONTEXT - 1, (MICRO_BATCH,), generator=generator)
        rows = torch.stack([tokens[s : s + CONTEXT + 1].long() for s in starts.tolist()])
        rows = rows.to(device, non_blocking=True)
        yield rows[:, :-1], rows[:, 1:]


def lr_at(step, peak=6e-4, warmup=100):
    if step < warmup:
        return peak * (step + 1) / warmup
    return 0.1 * peak + 0.45 * peak * (1 + math.cos(math.pi * (step - warmup) / (MAX_STEPS - warmup)))


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank)
    dist.init_process_group("nccl")
    rank, world_size = dist.get_rank(), dist.get_world_size()
    accumulate = TOKENS_PER_STEP // (MICRO_BATCH * CONTEXT * torch.cuda.device_count())
    if rank == 0:
        print(f"{world_size} processes, {accumulate} micro steps for {TOKENS_PER_STEP} tokens")
    torch.manual_seed(1337)
    model = DDP(TinyLM().to(device), device_ids=[local_rank])
    opt = torch.optim.AdamW(model.parameters(), lr=lr_at(0), betas=(0.9, 0.95))
    source = windows(os.environ["TOKENS"], torch.Generator().manual_seed(1337 + rank), device)
    for step in range(MAX_STEPS):
        for group in opt.param_groups:
            group["lr"] = lr_at(step)
        for micro in range(accumulate):
            last = micro == accumulate - 1
            with contextlib.nullcontext() if last else model.no_sync():
                loss = model(*next(source)) / accumulate
                loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        opt.zero_grad(set_to_none=True)
    if rank == 0:
        torch.save(model.module.state_dict(), "final.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
