import argparse

import deepspeed
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

CONFIG = {
    "train_micro_batch_size_per_gpu": 16,
    "gradient_accumulation_steps": 4,
    "gradient_clipping": 1.0,
    "optimizer": {"type": "AdamW", "params": {"lr": 3e-4}},
    "zero_optimization": {"stage": 1},
    "bf16": {"enabled": True},
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=-1)
    parser.add_argument("--epochs", type=int, default=2)
    args = parser.parse_args()
    deepspeed.init_distributed()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(32, 256), nn.GELU(), nn.Linear(256, 8))
    engine, _, _, _ = deepspeed.initialize(model=model, model_parameters=model.parameters(), config=CONFIG)
    gen = torch.Generator().manual_seed(3)
    x = torch.randn(8192, 32, generator=gen)
    data = TensorDataset(x, x[:, :8].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=engine.train_micro_batch_size_per_gpu(), sampler=sampler, drop_last=True)
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for features, label in loader:
            logits = engine(features.to(engine.device, torch.bfloat16))
            engine.backward(F.cross_entropy(logits.float(), label.to(engine.device)))
            engine.step()
        engine.save_checkpoint("ckpt", tag=f"epoch{epoch}")
    torch.distributed.destroy_process_group()


if __name__ == "__main__":
    main()
