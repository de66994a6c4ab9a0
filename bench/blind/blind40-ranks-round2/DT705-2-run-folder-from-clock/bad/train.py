import os

import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.nn as nn
from torch.distributed.checkpoint.state_dict import get_state_dict
from torch.distributed.fsdp import fully_shard
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from folders import RunFolder


def build(device, width=32, depth=4):
    torch.manual_seed(0)
    net = nn.Sequential(*[nn.Sequential(nn.Linear(width, width), nn.ReLU()) for _ in range(depth)]).to(device)
    for layer in net:
        fully_shard(layer)
    fully_shard(net)
    return net


def main(epochs=3):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    folder = RunFolder(os.environ.get("RUNS", "runs"))
    net = build(device)
    opt = torch.optim.AdamW(net.parameters(), lr=1e-3)
    x = torch.randn(512, 32, generator=torch.Generator().manual_seed(6))
    data = TensorDataset(x, x.relu())
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            nn.functional.mse_loss(net(xb.to(device)), yb.to(device)).backward()
            opt.step()
            opt.zero_grad()
        model_state, optim_state = get_state_dict(net, opt)
        dcp.save({"model": model_state, "optim": optim_state}, checkpoint_id=folder.checkpoint(epoch))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
