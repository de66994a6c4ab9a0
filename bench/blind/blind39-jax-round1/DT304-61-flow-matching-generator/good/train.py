import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from flow import FlowMatching, VelocityField


@dataclass
class Config:
    data: str = "embeddings.pt"
    dim: int = 64
    hidden: int = 512
    batch_size: int = 256
    epochs: int = 20
    lr: float = 2e-4
    seed: int = 1234


def build_loader(cfg):
    data = TensorDataset(torch.load(cfg.data, map_location="cpu"))
    sampler = DistributedSampler(data, shuffle=True, seed=cfg.seed, drop_last=True)
    return DataLoader(data, batch_size=cfg.batch_size, sampler=sampler, drop_last=True), sampler


def main(cfg):
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    torch.manual_seed(cfg.seed)
    loader, sampler = build_loader(cfg)
    model = DistributedDataParallel(VelocityField(cfg.dim, cfg.hidden).to(device), device_ids=[device.index])
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    objective = FlowMatching(torch.Generator(device=device).manual_seed(cfg.seed + rank))

    for epoch in range(cfg.epochs):
        sampler.set_epoch(epoch)
        total = torch.zeros((), device=device)
        for (x1,) in loader:
            loss = objective.loss(model, x1.to(device, non_blocking=True))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            total += loss.detach()
        dist.all_reduce(total, op=dist.ReduceOp.SUM)
        if rank == 0:
            mean = total.item() / (len(loader) * dist.get_world_size())
            print(f"epoch {epoch} loss {mean:.4f}", flush=True)
            torch.save(model.module.state_dict(), "flow.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main(Config())
