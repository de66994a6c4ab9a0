import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Centre(nn.Module):
    """A running mean over the outputs of all ranks, as self-distillation keeps one."""

    def __init__(self, dim, momentum=0.9):
        super().__init__()
        self.momentum = momentum
        self.register_buffer("value", torch.zeros(1, dim))
        self.work = self.everything = None

    @torch.no_grad()
    def begin(self, outputs):
        shape = (outputs.shape[0] * dist.get_world_size(), outputs.shape[1])
        self.everything = outputs.new_empty(shape)
        self.work = dist.all_gather_into_tensor(self.everything, outputs.contiguous(), async_op=True)

    @torch.no_grad()
    def finish(self):
        self.work.wait()
        mean = self.everything.mean(dim=0, keepdim=True)
        self.value.lerp_(mean, 1 - self.momentum)


def loss_fn(student, teacher, centre):
    target = F.softmax((teacher - centre) / 0.05, dim=-1)
    return -(target * F.log_softmax(student / 0.1, dim=-1)).sum(dim=-1).mean()


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    student = nn.Sequential(nn.Linear(20, 40), nn.GELU(), nn.Linear(40, 16)).to(device)
    teacher = nn.Sequential(nn.Linear(20, 40), nn.GELU(), nn.Linear(40, 16)).to(device)
    teacher.load_state_dict(student.state_dict())
    teacher.requires_grad_(False)
    centre = Centre(16).to(device)
    model = DDP(student, device_ids=[local_rank] if cuda else None)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = TensorDataset(torch.randn(640, 20, generator=torch.Generator().manual_seed(33)))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(device)
            with torch.no_grad():
                seen = teacher(x)
            centre.begin(seen)
            loss = loss_fn(model(x), seen, centre.value)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            centre.finish()
            with torch.no_grad():
                for slow, fast in zip(teacher.parameters(), student.parameters()):
                    slow.lerp_(fast, 0.01)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
