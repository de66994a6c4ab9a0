import argparse
import contextlib

import deepspeed
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import Dataset

CONFIG = {
    "train_micro_batch_size_per_gpu": 8,
    "gradient_accumulation_steps": 1,
    "optimizer": {"type": "AdamW", "params": {"lr": 2e-4}},
    "bf16": {"enabled": True},
    "zero_optimization": {"stage": 2},
}


class Graphs(Dataset):
    """Graphs of very different size: now and then one does not fit."""

    def __init__(self, n=4000, seed=2):
        gen = torch.Generator().manual_seed(seed)
        self.sizes = (torch.rand(n, generator=gen) ** -0.5 * 20).long().clamp(max=3000).tolist()

    def __len__(self):
        return len(self.sizes)

    def __getitem__(self, i):
        gen = torch.Generator().manual_seed(i)
        size = self.sizes[i]
        return torch.randn(size, 16, generator=gen), (torch.rand(size, size, generator=gen) < 0.1).float()


def collate(items):
    most = max(len(nodes) for nodes, _ in items)
    nodes = torch.stack([F.pad(x, (0, 0, 0, most - len(x))) for x, _ in items])
    edges = torch.stack([F.pad(a, (0, most - len(a), 0, most - len(a))) for _, a in items])
    return nodes, edges


class Reconstruct(nn.Module):
    def __init__(self, dim=128):
        super().__init__()
        self.up = nn.Linear(16, dim)
        self.mix = nn.Linear(dim, dim)

    def forward(self, nodes, edges):
        hidden = self.up(nodes)
        for _ in range(3):
            hidden = torch.relu(self.mix(edges.to(hidden.dtype) @ hidden) + hidden)
        return F.binary_cross_entropy_with_logits((hidden @ hidden.transpose(1, 2)).float(), edges)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=-1)
    parser.add_argument("--steps", type=int, default=1000)
    args = parser.parse_args()
    deepspeed.init_distributed()
    torch.manual_seed(0)
    model = Reconstruct()
    engine, _, loader, _ = deepspeed.initialize(
        args=args, model=model, model_parameters=model.parameters(), training_data=Graphs(), collate_fn=collate, config=CONFIG
    )
    loader = deepspeed.runtime.dataloader.RepeatingLoader(loader)
    batches = iter(loader)
    while engine.global_steps < args.steps:
        nodes, edges = (part.to(engine.device) for part in next(batches))
        loss = engine(nodes, edges)
        engine.backward(loss)
        engine.step()
    engine.save_checkpoint("graphs")


if __name__ == "__main__":
    main()
