import argparse

import deepspeed
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import TensorDataset


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=-1)
    parser.add_argument("--epochs", type=int, default=2)
    return deepspeed.add_config_arguments(parser).parse_args()


def dataset():
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(8192, 64, generator=gen)
    return TensorDataset(x, x[:, :10].argmax(dim=1))


def main():
    args = parse()
    deepspeed.init_distributed()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10))
    engine, _, loader, _ = deepspeed.initialize(
        args=args,
        model=model,
        model_parameters=model.parameters(),
        optimizer=None,
        training_data=dataset(),
    )
    for epoch in range(args.epochs):
        for x, y in loader:
            logits = engine(x.to(engine.device, torch.bfloat16))
            loss = F.cross_entropy(logits.float(), y.to(engine.device))
            engine.backward(loss)
            engine.step()
        engine.save_checkpoint("checkpoints", tag=f"epoch{epoch}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
