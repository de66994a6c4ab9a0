"""Hydra-free run folders; all ranks write their own log, rank 0 the config and the weights."""
import json
import logging
import time
from pathlib import Path

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def new_run(root):
    folder = Path(root) / time.strftime("%Y%m%d_%H%M%S")
    folder.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(filename=folder / f"rank_{dist.get_rank()}.log", level=logging.INFO)
    return folder


def main(epochs=4):
    dist.init_process_group("gloo")
    folder = new_run("/shared/runs")
    if dist.get_rank() == 0:
        (folder / "config.json").write_text(json.dumps({"epochs": epochs}))
    torch.manual_seed(0)
    data = TensorDataset(*torch.load("pairs.pt", map_location="cpu"))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, drop_last=True)
    net = nn.Linear(64, 8)
    model = DDP(net)
    optimizer = torch.optim.SGD(model.parameters(), 0.05)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        logging.info("epoch %d done", epoch)
        if dist.get_rank() == 0:
            torch.save(net.state_dict(), folder / "net.pt")
        dist.barrier()
        net.load_state_dict(torch.load(folder / "net.pt", map_location="cpu"))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
