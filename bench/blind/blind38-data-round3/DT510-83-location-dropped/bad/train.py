import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from checkpoints import Checkpoints


def rows():
    g = torch.Generator().manual_seed(0)
    x = torch.randn(20_000, 100, generator=g)
    return TensorDataset(x, x[:, :10].argmax(dim=1))


def main(epochs=30):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    device = torch.device("cuda", local)
    dist.init_process_group("nccl", device_id=device)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(100, 2048), nn.ReLU(), nn.Linear(2048, 10)).to(device)
    model = DDP(net, device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    checkpoints = Checkpoints("/shared/runs/wide")

    start = 0
    state = checkpoints.read(map_location=device)
    if state is not None:
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        start = state["epoch"] + 1

    data = rows()
    sampler = DistributedSampler(data, shuffle=True, drop_last=True)
    loader = DataLoader(data, 100, sampler=sampler, drop_last=True)
    for epoch in range(start, epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        checkpoints.write(net=net, optimizer=optimizer, epoch=epoch)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
