"""Two stages in one job: the teacher's weights are saved under the run's name, then every rank reads them back."""
import os
import uuid
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Run:
    def __init__(self, root="runs"):
        names = [uuid.uuid4().hex[:8]]
        dist.broadcast_object_list(names, src=0)
        self.id = names[0]
        self.folder = Path(root) / self.id
        if dist.get_rank() == 0:
            self.folder.mkdir(parents=True)
        dist.barrier()

    def file(self, name):
        return self.folder / f"{name}.pt"


def rows():
    g = torch.Generator().manual_seed(3)
    x = torch.randn(4096, 40, generator=g)
    return TensorDataset(x, x[:, :7].argmax(dim=1))


def mlp(hidden):
    return nn.Sequential(nn.Linear(40, hidden), nn.ReLU(), nn.Linear(hidden, 7))


def fit(net, loss_of, device, epochs):
    data = rows()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 64, sampler=sampler, drop_last=True)
    model = DDP(net, device_ids=[device.index] if device.type == "cuda" else None)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = loss_of(model(x.to(device)), x.to(device), y.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    run = Run()
    teacher = mlp(256).to(device)
    fit(teacher, lambda out, x, y: nn.functional.cross_entropy(out, y), device, epochs=3)
    if dist.get_rank() == 0:
        torch.save(teacher.state_dict(), run.file("teacher"))
    dist.barrier()

    frozen = mlp(256).to(device)
    frozen.load_state_dict(torch.load(run.file("teacher"), map_location=device, weights_only=True))
    frozen.requires_grad_(False)
    student = mlp(16).to(device)
    fit(student, lambda out, x, y: nn.functional.mse_loss(out, frozen(x)), device, epochs=3)
    if dist.get_rank() == 0:
        torch.save(student.state_dict(), run.file("student"))
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
