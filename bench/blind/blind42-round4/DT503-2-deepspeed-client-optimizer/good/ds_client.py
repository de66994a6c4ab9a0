import argparse
import os

import deepspeed
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

CONFIG = {"train_micro_batch_size_per_gpu": 16, "fp16": {"enabled": True}, "zero_optimization": {"stage": 2}}


def network(width=1024):
    return nn.Sequential(nn.Linear(64, width), *[nn.Sequential(nn.Linear(width, width), nn.ReLU()) for _ in range(6)], nn.Linear(width, 8))


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--local_rank", type=int, default=-1)
    ap.add_argument("--epochs", type=int, default=3)
    args = ap.parse_args()
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    deepspeed.init_distributed()
    net = network()
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-4)
    engine, _, _, _ = deepspeed.initialize(model=net, optimizer=optimizer, config=CONFIG)
    data = TensorDataset(*torch.load("pairs.pt", map_location="cpu"))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 16, sampler=sampler, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(engine(x.to(engine.device).half()), y.to(engine.device))
            engine.backward(loss)
            engine.step()
        engine.save_checkpoint("ckpt", tag=f"epoch{epoch}")
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
