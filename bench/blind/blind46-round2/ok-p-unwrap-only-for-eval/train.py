import os
from functools import partial

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

bare = lambda m: getattr(m, "module", m)  # noqa: E731


@torch.inference_mode()
def sample_quality(model, x):
    net = bare(model).eval()
    score = (net(x) - x).abs().mean().item()
    net.train()
    return score


def main(epochs=2):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(12, 4), nn.ReLU(), nn.Linear(4, 12)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.Adam(model.parameters())
    x = torch.randn(512, 12, generator=torch.Generator().manual_seed(3))
    data = TensorDataset(x)
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    fixed = torch.randn(8, 12, generator=torch.Generator().manual_seed(99)).to(device)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (bx,) in loader:
            bx = bx.to(device)
            optimizer.zero_grad(set_to_none=True)
            F.mse_loss(model(bx), bx).backward()
            optimizer.step()
        if dist.get_rank() == 0:
            print(epoch, sample_quality(model, fixed))
            torch.save(bare(model).state_dict(), "auto.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
