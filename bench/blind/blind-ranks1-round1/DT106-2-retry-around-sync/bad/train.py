import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from validate import Validator


def main(root):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(5, 20), nn.ReLU(), nn.Linear(20, 1)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    g = torch.Generator().manual_seed(0)
    x = torch.randn(256, 5, generator=g)
    data = TensorDataset(x, x.prod(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    validate = Validator(root, device)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for a, b in loader:
            optimizer.zero_grad()
            F.mse_loss(model(a.to(device)), b.to(device)).backward()
            optimizer.step()
        score = validate(net)
        if dist.get_rank() == 0:
            print(f"epoch {epoch}: validation {score:.4f}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main(os.environ.get("DATA", "data"))
