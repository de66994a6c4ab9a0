import os

import torch
from torch.utils.data import DataLoader, TensorDataset
from torchft import DistributedSampler

from elastic.build import build


def loader_for(group, groups):
    x = torch.randn(1024, 6, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x.sum(1, keepdim=True))
    sampler = DistributedSampler(data, replica_rank=group, num_replica_groups=groups, group_rank=0, num_replicas=1)
    return DataLoader(data, 32, sampler=sampler, drop_last=True), sampler


def main(max_step=300):
    group = int(os.environ["REPLICA_GROUP_ID"])
    manager, model, opt = build(group)
    loader, sampler = loader_for(group, int(os.environ["NUM_REPLICA_GROUPS"]))
    epoch = 0
    try:
        while manager.current_step() < max_step:
            sampler.set_epoch(epoch)
            for x, y in loader:
                opt.zero_grad()
                loss = torch.nn.functional.mse_loss(model(x), y)
                loss.backward()
                opt.step()
                if manager.current_step() >= max_step:
                    break
            epoch += 1
    finally:
        manager.shutdown()


if __name__ == "__main__":
    main()
