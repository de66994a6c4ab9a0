import argparse
from pathlib import Path

import deepspeed
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import TensorDataset

DS = {
    "train_micro_batch_size_per_gpu": 16,
    "optimizer": {"type": "Adam", "params": {"lr": 1e-3}},
    "zero_optimization": {"stage": 3, "stage3_param_persistence_threshold": 0},
}


class TwoTower(nn.Module):
    def __init__(self, users=5000, items=8000, dim=64):
        super().__init__()
        self.users = nn.Embedding(users, dim)
        self.items = nn.Embedding(items, dim)

    def forward(self, user, item):
        scores = self.users(user) @ self.items(item).t()
        return F.cross_entropy(scores, torch.arange(len(user), device=scores.device))


def clicks(n=40_000, seed=14):
    gen = torch.Generator().manual_seed(seed)
    return TensorDataset(torch.randint(0, 5000, (n,), generator=gen), torch.randint(0, 8000, (n,), generator=gen))


def export_items(engine, folder, epoch):
    """The item vectors alone, for the index that serves them."""
    weight = engine.module.items.weight
    target = Path(folder) / f"items_{epoch}.pt"
    with deepspeed.zero.GatheredParameters([weight]):
        if dist.get_rank() == 0:
            torch.save(weight.detach().cpu(), target)
    dist.barrier()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--out", default="towers")
    parser = deepspeed.add_config_arguments(parser)
    args = parser.parse_args()
    deepspeed.init_distributed()
    torch.manual_seed(1)
    with deepspeed.zero.Init(config_dict_or_path=DS):
        model = TwoTower()
    engine, _, loader, _ = deepspeed.initialize(model=model, model_parameters=model.parameters(), training_data=clicks(), config=DS)
    if dist.get_rank() == 0:
        Path(args.out).mkdir(parents=True, exist_ok=True)
    for epoch in range(args.epochs):
        loader.data_sampler.set_epoch(epoch)
        for user, item in loader:
            loss = engine(user.to(engine.device), item.to(engine.device))
            engine.backward(loss)
            engine.step()
        export_items(engine, args.out, epoch)
    engine.save_checkpoint(args.out)


if __name__ == "__main__":
    main()
