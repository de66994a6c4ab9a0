import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from hooks import fire, hook


@hook(every=10)
def show_loss(step, state):
    mean = state["loss"].clone()
    dist.all_reduce(mean)
    if dist.get_rank() == 0:
        print(f"{step}: {mean.item() / dist.get_world_size():.4f}")


@hook(every=40, lead_only=True)
def save(step, state):
    torch.save({"step": step, "net": state["net"].state_dict()}, "latest.pt")


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(7, 28), nn.ReLU(), nn.Linear(28, 1)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.Adam(model.parameters())
    x = torch.randn(840, 7, generator=torch.Generator().manual_seed(3))
    data = TensorDataset(x, x.std(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=21, sampler=sampler, drop_last=True)
    step = 0
    for epoch in range(4):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            loss = nn.functional.mse_loss(model(xb.to(device)), yb.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
            step += 1
            fire(step, {"loss": loss.detach(), "net": net})
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
