import math
import os
import time

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed import destroy_process_group, init_process_group
from torch.nn.parallel import DistributedDataParallel as DDP

batch_size, block, steps = 12, 256, 5000
grad_accum = 40
lr, min_lr, warmup = 6e-4, 6e-5, 200
out_dir = "out"

ddp = int(os.environ.get("RANK", -1)) != -1
if ddp:
    init_process_group(backend="nccl")
    rank, local_rank, world = (int(os.environ[k]) for k in ("RANK", "LOCAL_RANK", "WORLD_SIZE"))
    device = f"cuda:{local_rank}"
    torch.cuda.set_device(device)
    master, seed_offset = rank == 0, rank
    assert grad_accum % world == 0
    grad_accum //= world
else:
    device, master, seed_offset, world = "cuda", True, 0, 1
if master:
    os.makedirs(out_dir, exist_ok=True)
torch.manual_seed(1337 + seed_offset)


def get_batch(split):
    data = np.memmap(f"{split}.bin", dtype=np.uint16, mode="r")
    ix = torch.randint(len(data) - block, (batch_size,))
    x = torch.stack([torch.from_numpy(data[i : i + block].astype(np.int64)) for i in ix])
    y = torch.stack([torch.from_numpy(data[i + 1 : i + 1 + block].astype(np.int64)) for i in ix])
    return x.pin_memory().to(device, non_blocking=True), y.pin_memory().to(device, non_blocking=True)


class CharLM(nn.Module):
    def __init__(self, vocab=50304, width=384):
        super().__init__()
        self.emb = nn.Embedding(vocab, width)
        self.rnn = nn.LSTM(width, width, 2, batch_first=True)
        self.out = nn.Linear(width, vocab, bias=False)

    def forward(self, x, y):
        logits = self.out(self.rnn(self.emb(x))[0])
        return F.cross_entropy(logits.flatten(0, 1), y.flatten())


def get_lr(it):
    if it < warmup:
        return lr * (it + 1) / warmup
    return min_lr + 0.5 * (1 + math.cos(math.pi * (it - warmup) / (steps - warmup))) * (lr - min_lr)


@torch.no_grad()
def estimate(raw):
    raw.eval()
    result = {s: torch.stack([raw(*get_batch(s)) for _ in range(50)]).mean().item() for s in ("train", "val")}
    raw.train()
    return result


raw = CharLM().to(device)
optimizer = torch.optim.AdamW(raw.parameters(), lr=lr, betas=(0.9, 0.95))
model = DDP(raw, device_ids=[local_rank]) if ddp else raw
began = time.time()
for it in range(steps):
    for group in optimizer.param_groups:
        group["lr"] = get_lr(it)
    if it % 500 == 0 and master:
        losses = estimate(raw)
        print(f"{it}: train {losses['train']:.4f} val {losses['val']:.4f} ({time.time() - began:.0f}s)")
        torch.save({"model": raw.state_dict(), "it": it}, os.path.join(out_dir, "ckpt.pt"))
    for micro in range(grad_accum):
        if ddp:
            model.require_backward_grad_sync = micro == grad_accum - 1
        x, y = get_batch("train")
        loss = model(x, y) / grad_accum
        loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
if ddp:
    destroy_process_group()
