import os

import torch
import torch.distributed as dist
import torch.nn as nn
import wandb
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Run:
    def __init__(self, project, config):
        self.run = wandb.init(project=project, config=config)

    def log(self, values, step):
        self.run.log(values, step=step)

    def close(self):
        self.run.finish()


def main(epochs=5, lr=0.1):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    run = Run("pairs", {"epochs": epochs, "lr": lr, "world": dist.get_world_size()})
    data = TensorDataset(*torch.load("pairs.pt", map_location="cpu"))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, drop_last=True)
    model = DDP(nn.Linear(64, 8).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.SGD(model.parameters(), lr)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        total = torch.zeros(2, device="cuda")
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.cuda()), y.cuda())
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            total += torch.stack([loss.detach(), torch.ones_like(loss)])
        dist.all_reduce(total)
        run.log({"loss": (total[0] / total[1]).item()}, epoch)
    run.close()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "linear.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
