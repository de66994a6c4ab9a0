import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from engine import Engine


def main(epochs=2):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(18, 36), nn.ReLU(), nn.Linear(36, 3)).to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    engine = Engine(model, torch.optim.AdamW(model.parameters(), lr=1e-3), device)
    x = torch.randn(720, 18, generator=torch.Generator().manual_seed(0))
    data = TensorDataset(x, x[:, :3].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=24, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for batch in loader:
            engine.step(batch)
        if dist.get_rank() == 0:
            torch.save(engine.state(), "last.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
