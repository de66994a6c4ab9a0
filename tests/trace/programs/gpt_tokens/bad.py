import argparse
import os
from contextlib import nullcontext

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed import destroy_process_group, init_process_group
from torch.nn.parallel import DistributedDataParallel as DDP


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mix, self.out = nn.Linear(width, 3 * width, bias=False), nn.Linear(width, width, bias=False)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        batch, time, width = x.shape
        parts = self.mix(self.first(x)).split(width, dim=2)
        query, key, value = (part.view(batch, time, self.heads, -1).transpose(1, 2) for part in parts)
        mixed = F.scaled_dot_product_attention(query, key, value, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(batch, time, width))
        return x + self.mlp(self.second(x))


class GPT(nn.Module):
    def __init__(self, words=64, width=32, layers=2, heads=2, context=16):
        super().__init__()
        self.tokens, self.places = nn.Embedding(words, width), nn.Embedding(context, width)
        self.blocks = nn.Sequential(*[Block(width, heads) for _ in range(layers)])
        self.head = nn.Linear(width, words, bias=False)

    def forward(self, index, targets):
        x = self.tokens(index) + self.places(torch.arange(index.shape[1], device=index.device))
        logits = self.head(self.blocks(x))
        return F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--max_iters", type=int, default=6)
    parser.add_argument("--data", default="data/train.bin")
    options = parser.parse_args()
    ddp = int(os.environ.get("RANK", -1)) != -1
    init_process_group(backend="nccl")
    local_rank = int(os.environ["LOCAL_RANK"])
    device = f"cuda:{local_rank}"
    torch.cuda.set_device(device)
    master = int(os.environ["RANK"]) == 0
    device_type = "cuda" if "cuda" in device else "cpu"
    context = nullcontext() if device_type == "cpu" else torch.amp.autocast(device_type=device_type, dtype=torch.bfloat16)
    scaler = torch.cuda.amp.GradScaler(enabled=False)

    def batch(size=4, length=16):
        data = np.memmap(options.data, dtype=np.uint16, mode="r")
        starts = torch.randint(len(data) - length, (size,))
        x = torch.stack([torch.from_numpy(data[i : i + length].astype(np.int64)) for i in starts])
        y = torch.stack([torch.from_numpy(data[i + 1 : i + 1 + length].astype(np.int64)) for i in starts])
        return x.pin_memory().to(device, non_blocking=True), y.pin_memory().to(device, non_blocking=True)

    model = GPT().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model = torch.compile(model)
    if ddp:
        model = DDP(model, device_ids=[local_rank])
    for step in range(options.max_iters):
        for micro in range(2):
            model.require_backward_grad_sync = micro == 1
            with context:
                loss = model(*batch()) / 2
            scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
        if master and step == 3:
            with torch.no_grad():
                torch.distributed.all_reduce(loss)
            print(f"iter {step}: loss {loss.item():.4f}")
    destroy_process_group()


if __name__ == "__main__":
    main()
