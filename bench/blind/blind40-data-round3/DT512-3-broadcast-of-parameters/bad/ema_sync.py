import copy
import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Teacher:
    """A slow copy of the student; rank 0's is the one that counts."""

    def __init__(self, student, decay=0.99):
        self.net = copy.deepcopy(student)
        self.decay = decay

    @torch.no_grad()
    def follow(self, student):
        for mine, theirs in zip(self.net.parameters(), student.parameters()):
            mine.lerp_(theirs, 1 - self.decay)

    def agree(self):
        for p in self.net.parameters():
            dist.broadcast(p, src=0)


def main(epochs=3):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 8)).to(device)
    teacher = Teacher(net)
    model = DDP(net, device_ids=[local] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    data = TensorDataset(torch.randn(1600, 16, generator=torch.Generator().manual_seed(2)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=40, sampler=sampler, drop_last=True)
    noise = torch.Generator(device=device).manual_seed(100 + dist.get_rank())
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(device)
            with torch.no_grad():
                target = teacher.net(x)
            dirty = x + 0.1 * torch.randn(x.shape, device=device, generator=noise)
            loss = F.mse_loss(model(dirty), target)
            opt.zero_grad()
            loss.backward()
            opt.step()
            teacher.follow(net)
        teacher.agree()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
