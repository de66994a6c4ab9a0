import argparse

import deepspeed
import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import TensorDataset

CONFIG = {
    "train_micro_batch_size_per_gpu": 16,
    "gradient_accumulation_steps": 4,
    "optimizer": {"type": "AdamW", "params": {"lr": 1e-4, "weight_decay": 0.01}},
    "scheduler": {"type": "WarmupLR", "params": {"warmup_num_steps": 100}},
    "gradient_clipping": 1.0,
    "zero_optimization": {"stage": 2},
    "bf16": {"enabled": True},
}


class Net(nn.Module):
    def __init__(self, dim=200):
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(dim, 1024), nn.GELU(), nn.Linear(1024, 1024), nn.GELU(), nn.Linear(1024, 20))

    def forward(self, x):
        return self.layers(x)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--out", default="/shared/ds-run")
    parser.add_argument("--local_rank", type=int, default=-1)
    return parser.parse_args()


def main():
    args = arguments()
    deepspeed.init_distributed()
    torch.manual_seed(0)
    gen = torch.Generator().manual_seed(25)
    x = torch.randn(16_384, 200, generator=gen)
    data = TensorDataset(x, x[:, :20].argmax(dim=1))
    engine, _, loader, _ = deepspeed.initialize(model=Net(), training_data=data, config=CONFIG)
    for epoch in range(args.epochs):
        if hasattr(loader.data_sampler, "set_epoch"):
            loader.data_sampler.set_epoch(epoch)
        for x, y in loader:
            x = x.to(engine.device, dtype=torch.bfloat16)
            loss = F.cross_entropy(engine(x).float(), y.to(engine.device))
            engine.backward(loss)
            engine.step()
        shown = loss.detach().clone()
        dist.all_reduce(shown, op=dist.ReduceOp.AVG)
        if dist.get_rank() == 0:
            print(f"epoch {epoch} loss {shown.item():.3f}")
        engine.save_checkpoint(args.out, tag=f"epoch{epoch}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
