import copy
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from whole.eval import LeadEval


def pairs(n, seed):
    x = torch.randn(n, 6, generator=torch.Generator().manual_seed(seed))
    return TensorDataset(x, x[:, :1] * x[:, 1:2])


def main(epochs=20, patience=3):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = DDP(nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 1)).to(device), device_ids=[device.index] if cuda else None)
    opt = torch.optim.Adam(model.parameters())
    data = pairs(2000, 0)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 50, sampler=sampler, drop_last=True)
    judge = LeadEval(DataLoader(pairs(300, 1), 100), device)
    best, since, kept = float("inf"), 0, None
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad()
            nn.functional.mse_loss(model(a.to(device)), b.to(device)).backward()
            opt.step()
        score = judge(model.module)
        if score < best:
            best, since, kept = score, 0, copy.deepcopy(model.module.state_dict())
        elif (since := since + 1) >= patience:
            break
    model.module.load_state_dict(kept)
    if dist.get_rank() == 0:
        print("best", best)
        torch.save(kept, "best.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
