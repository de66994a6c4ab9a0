import argparse
import json
from pathlib import Path

import deepspeed
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import TensorDataset

DS = {
    "train_micro_batch_size_per_gpu": 32,
    "gradient_accumulation_steps": 2,
    "optimizer": {"type": "AdamW", "params": {"lr": 1e-3}},
    "zero_optimization": {"stage": 3},
}


class Best:
    def __init__(self, engine, folder):
        self.engine, self.folder, self.best = engine, Path(folder), float("inf")

    def offer(self, loss, epoch):
        loss = loss.detach().clone()
        dist.all_reduce(loss)
        loss = loss.item() / dist.get_world_size()
        if loss >= self.best:
            return False
        self.best = loss
        self.engine.save_checkpoint(str(self.folder), tag=f"epoch{epoch}")
        if dist.get_rank() == 0:
            (self.folder / "best.json").write_text(json.dumps({"epoch": epoch, "loss": loss}))
        return True


def pairs(n=8192, seed=6):
    gen = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 50, generator=gen)
    return TensorDataset(x, x.topk(1, dim=1).indices.squeeze(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--patience", type=int, default=2)
    parser = deepspeed.add_config_arguments(parser)
    args = parser.parse_args()
    deepspeed.init_distributed()
    torch.manual_seed(3)
    model = nn.Sequential(nn.Linear(50, 200), nn.GELU(), nn.Linear(200, 50))
    engine, _, loader, _ = deepspeed.initialize(model=model, model_parameters=model.parameters(), training_data=pairs(), config=DS)
    best, waited = Best(engine, "topk"), 0
    for epoch in range(args.epochs):
        loader.data_sampler.set_epoch(epoch)
        total, steps = torch.zeros((), device=engine.device), 0
        for x, y in loader:
            loss = F.cross_entropy(engine(x.to(engine.device)), y.to(engine.device))
            engine.backward(loss)
            engine.step()
            total += loss.detach()
            steps += 1
        waited = 0 if best.offer(total / steps, epoch) else waited + 1
        if waited > args.patience:
            break
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
