import logging
import os
from datetime import timedelta
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset
from torchft import DistributedDataParallel, Manager, Optimizer, ProcessGroupGloo

log = logging.getLogger("replica")


class Tables(Dataset):
    def __init__(self, root, group, groups):
        files = sorted(Path(root).glob("*.pt"))
        self.files = files[: len(files) // groups * groups][group::groups]

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        table = torch.load(self.files[i], map_location="cpu")
        return table["features"], table["target"]


def train(manager, net, opt, loader, steps):
    model, ft_opt = DistributedDataParallel(manager, net), Optimizer(manager, opt)
    while manager.current_step() < steps:
        for x, y in loader:
            ft_opt.zero_grad()
            F.mse_loss(model(x), y).backward()
            ft_opt.step()
            if manager.current_step() % 100 == 0:
                log.info("step %d with %d replicas", manager.current_step(), manager.num_participants())


def main():
    logging.basicConfig(level=logging.INFO)
    group, groups = int(os.environ["REPLICA_GROUP_ID"]), int(os.environ["NUM_REPLICA_GROUPS"])
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(24, 96), nn.ReLU(), nn.Linear(96, 1))
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    loader = DataLoader(Tables(os.environ.get("TABLES", "tables"), group, groups), batch_size=16, shuffle=True, drop_last=True)
    manager = Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=15)),
        min_replica_size=2,
        load_state_dict=lambda s: (net.load_state_dict(s["net"]), opt.load_state_dict(s["opt"])),
        state_dict=lambda: {"net": net.state_dict(), "opt": opt.state_dict()},
        replica_id=f"tables_{group}",
    )
    try:
        train(manager, net, opt, loader, steps=10_000)
    except KeyboardInterrupt:
        log.info("interrupted at step %d", manager.current_step())
    manager.shutdown()


if __name__ == "__main__":
    main()
