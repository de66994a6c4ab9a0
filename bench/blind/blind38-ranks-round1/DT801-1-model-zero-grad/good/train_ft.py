import logging
import os
from datetime import timedelta

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset
from torchft import DistributedDataParallel, DistributedSampler, Manager, ProcessGroupGloo
from torchft.optim import OptimizerWrapper

log = logging.getLogger("ft")


def images(n=6000, seed=1):
    gen = torch.Generator().manual_seed(seed)
    x = torch.rand(n, 1, 14, 14, generator=gen)
    return TensorDataset(x, (x.flatten(1).mean(1) * 40).long().clamp(0, 9))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 16, 3)
        self.out = nn.Linear(16 * 6 * 6, 10)

    def forward(self, x):
        return self.out(F.max_pool2d(self.conv(x).relu(), 2).flatten(1))


def make_manager(net, opt, replica):
    def state_dict():
        return {"net": net.state_dict(), "opt": opt.state_dict()}

    def load_state_dict(state):
        net.load_state_dict(state["net"])
        opt.load_state_dict(state["opt"])

    return Manager(
        pg=ProcessGroupGloo(timeout=timedelta(seconds=10)),
        min_replica_size=2,
        load_state_dict=load_state_dict,
        state_dict=state_dict,
        replica_id=f"digits_{replica}",
        timeout=timedelta(seconds=30),
    )


def main():
    logging.basicConfig(level=logging.INFO)
    replica = int(os.environ["REPLICA_GROUP_ID"])
    replicas = int(os.environ["NUM_REPLICA_GROUPS"])
    data = images()
    sampler = DistributedSampler(data, replica_group=replica, num_replica_groups=replicas, group_rank=0, num_replicas=1, shuffle=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    torch.manual_seed(0)
    net = Net()
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    manager = make_manager(net, opt, replica)
    try:
        ddp = DistributedDataParallel(manager, net)
        ft_opt = OptimizerWrapper(manager, opt)
        epoch = 0
        while manager.current_step() < 2000:
            sampler.set_epoch(epoch)
            epoch += 1
            for x, y in loader:
                ft_opt.zero_grad()
                loss = F.cross_entropy(ddp(x), y)
                loss.backward()
                ft_opt.step()
                if manager.current_step() % 100 == 0:
                    log.info("step %d replicas %d loss %.4f", manager.current_step(), manager.num_participants(), loss.item())
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
