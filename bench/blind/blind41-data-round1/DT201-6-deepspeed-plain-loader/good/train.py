import argparse

import deepspeed
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

DS_CONFIG = {
    "train_micro_batch_size_per_gpu": 16,
    "gradient_accumulation_steps": 1,
    "optimizer": {"type": "AdamW", "params": {"lr": 3e-4}},
    "zero_optimization": {"stage": 2},
    "bf16": {"enabled": True},
}


def corpus(n=20_000, length=128):
    g = torch.Generator().manual_seed(1)
    ids = torch.randint(0, 4000, (n, length + 1), generator=g)
    return TensorDataset(ids[:, :-1], ids[:, 1:])


class Lm(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(4000, 128)
        self.rnn = nn.GRU(128, 128, batch_first=True)
        self.out = nn.Linear(128, 4000)

    def forward(self, src, dst):
        hidden, _ = self.rnn(self.emb(src))
        return nn.functional.cross_entropy(self.out(hidden).flatten(0, 1), dst.flatten())


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=-1)
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    deepspeed.init_distributed()
    torch.manual_seed(0)
    model = Lm()
    engine, _, _, _ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=DS_CONFIG)
    data = corpus()
    micro = engine.train_micro_batch_size_per_gpu()
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, batch_size=micro, sampler=sampler, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for src, dst in loader:
            loss = engine(src.to(engine.device), dst.to(engine.device))
            engine.backward(loss)
            engine.step()
    engine.save_checkpoint("ckpt", tag="last")
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
