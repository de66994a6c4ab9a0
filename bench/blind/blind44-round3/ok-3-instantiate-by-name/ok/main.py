import os

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel

from inst.build import build

CONFIG = {
    "data": {"_target_": "inst.parts.Waves", "n": 2048, "length": 64},
    "sampler": {"_target_": "torch.utils.data.DistributedSampler", "shuffle": True, "drop_last": True},
    "loader": {"_target_": "torch.utils.data.DataLoader", "batch_size": 32, "drop_last": True},
    "model": {"_target_": "inst.parts.Reader", "length": 64, "hidden": 128},
    "optimizer": {"_target_": "torch.optim.AdamW", "lr": 1e-3},
    "epochs": 3,
}


def main(cfg):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    data = build(cfg["data"])
    sampler = build(cfg["sampler"], data)
    loader = build(cfg["loader"], data, sampler=sampler)
    model = DistributedDataParallel(build(cfg["model"]).to(device), device_ids=[device.index] if cuda else None)
    optimizer = build(cfg["optimizer"], model.parameters())
    for epoch in range(cfg["epochs"]):
        sampler.set_epoch(epoch)
        for x, f in loader:
            loss = (model(x.to(device)) - f.to(device)).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(CONFIG)
