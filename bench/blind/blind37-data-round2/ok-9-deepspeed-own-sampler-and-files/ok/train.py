import argparse
import json
import os
import shutil
from pathlib import Path

import deepspeed
import torch
import torch.distributed as dist
import torch.nn as nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def ds_config(args):
    return {
        "train_micro_batch_size_per_gpu": args.micro,
        "gradient_accumulation_steps": args.accumulate,
        "gradient_clipping": 1.0,
        "bf16": {"enabled": True},
        "optimizer": {"type": "AdamW", "params": {"lr": args.lr, "weight_decay": 0.01}},
        "scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": 100}},
        "zero_optimization": {"stage": 3},
    }


class Net(nn.Module):
    def __init__(self, dim=256, depth=8):
        super().__init__()
        self.layers = nn.ModuleList(nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim), nn.GELU()) for _ in range(depth))

    def forward(self, x, y):
        for layer in self.layers:
            x = x + layer(x)
        return nn.functional.mse_loss(x, y)


def prune(folder, keep):
    tags = sorted((p for p in folder.glob("step*") if p.is_dir()), key=lambda p: int(p.name[4:]))
    for old in tags[:-keep]:
        shutil.rmtree(old)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--micro", type=int, default=16)
    parser.add_argument("--accumulate", type=int, default=4)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--out", type=Path, default=Path("/shared/ds"))
    parser.add_argument("--epochs", type=int, default=3)
    args = parser.parse_args()
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    deepspeed.init_distributed()
    rank = dist.get_rank()
    torch.manual_seed(0)
    config = ds_config(args)
    if rank == 0:
        args.out.mkdir(parents=True, exist_ok=True)
        (args.out / "ds_config.json").write_text(json.dumps(config, indent=1))
    g = torch.Generator().manual_seed(7)
    x = torch.randn(20_480, 256, generator=g)
    data = TensorDataset(x, x.sort(dim=1).values)
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    loader = DataLoader(data, batch_size=args.micro, sampler=sampler, num_workers=2, pin_memory=True, drop_last=True)
    net = Net()
    engine, *_ = deepspeed.initialize(model=net, model_parameters=net.parameters(), config=config)
    path, client = engine.load_checkpoint(str(args.out)) if (args.out / "latest").exists() else (None, {})
    for epoch in range((client or {}).get("epoch", -1) + 1, args.epochs):
        sampler.set_epoch(epoch)
        for a, b in loader:
            loss = engine(a.to(engine.device).bfloat16(), b.to(engine.device).bfloat16())
            engine.backward(loss)
            engine.step()
        engine.save_checkpoint(str(args.out), tag=f"step{engine.global_steps}", client_state={"epoch": epoch})
        if rank == 0:
            prune(args.out, keep=2)
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
