import argparse
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from torch.distributed.fsdp import fully_shard


class Exporter:
    def __init__(self, folder):
        self.folder = Path(folder)
        self.pool, self.pending = None, None
        if dist.get_rank() == 0:
            self.folder.mkdir(parents=True, exist_ok=True)
            self.pool = ThreadPoolExecutor(max_workers=1)

    def _write(self, weights, name):
        part = self.folder / f"{name}.part"
        torch.save(weights, part)
        part.rename(self.folder / f"{name}.pt")

    def export(self, model, name):
        options = StateDictOptions(full_state_dict=True, cpu_offload=True)
        weights = get_model_state_dict(model, options=options)
        if self.pool is not None:
            if self.pending is not None:
                self.pending.result()
            self.pending = self.pool.submit(self._write, weights, name)

    def close(self):
        if self.pool is not None:
            self.pool.shutdown(wait=True)
        dist.barrier()


def build(device):
    torch.manual_seed(0)
    blocks = [nn.Sequential(nn.LayerNorm(64), nn.Linear(64, 64), nn.GELU()) for _ in range(4)]
    model = nn.Sequential(*blocks).to(device)
    for block in model:
        fully_shard(block)
    fully_shard(model)
    return model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", default="export")
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--every", type=int, default=100)
    args = parser.parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    model = build(device)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    exporter = Exporter(args.out)
    gen = torch.Generator().manual_seed(50 + dist.get_rank())
    for step in range(1, args.steps + 1):
        x = torch.randn(32, 64, generator=gen).to(device)
        opt.zero_grad()
        F.smooth_l1_loss(model(x), x.cumsum(1)).backward()
        opt.step()
        if step % args.every == 0:
            exporter.export(model, f"step_{step:06d}")
    exporter.close()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
