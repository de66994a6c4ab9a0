import os
import pathlib

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Checkpoints:
    def __init__(self, folder, device):
        self.folder = pathlib.Path(folder)
        self.device = device

    def newest(self):
        found = sorted(self.folder.glob("epoch-*.pt"))
        return found[-1] if found else None

    def read(self):
        path = self.newest()
        if path is None:
            return None
        return torch.load(path)

    def write(self, epoch, **parts):
        if dist.get_rank() == 0:
            self.folder.mkdir(parents=True, exist_ok=True)
            torch.save({"epoch": epoch, **{k: v.state_dict() for k, v in parts.items()}}, self.folder / f"epoch-{epoch:04d}.pt")
        dist.barrier()


def main(epochs=6):
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local)
    torch.cuda.set_device(device)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    net = nn.Linear(20, 4).to(device)
    model = DistributedDataParallel(net, device_ids=[local])
    optimizer = torch.optim.Adam(model.parameters())
    checkpoints = Checkpoints("/shared/linear", device)
    first = 0
    if (state := checkpoints.read()) is not None:
        net.load_state_dict(state["net"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["epoch"] + 1
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(640, 20, generator=g), torch.randint(0, 4, (640,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, drop_last=True)
    for epoch in range(first, epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x.to(device)), y.to(device)).backward()
            optimizer.step()
        checkpoints.write(epoch, net=net, optimizer=optimizer)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
