"""MoCo: queue with concat_all_gather, shuffle BN with broadcast indices, momentum encoder."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler
from torchvision import datasets, models, transforms


@torch.no_grad()
def concat_all_gather(t):
    parts = [torch.ones_like(t) for _ in range(dist.get_world_size())]
    dist.all_gather(parts, t, async_op=False)
    return torch.cat(parts, dim=0)


class MoCo(nn.Module):
    def __init__(self, dim=128, size=65536, m=0.999, t=0.07):
        super().__init__()
        self.size, self.m, self.t = size, m, t
        self.encoder_q, self.encoder_k = models.resnet18(num_classes=dim), models.resnet18(num_classes=dim)
        self.encoder_k.load_state_dict(self.encoder_q.state_dict())
        self.encoder_k.requires_grad_(False)
        self.register_buffer("queue", nn.functional.normalize(torch.randn(dim, size), dim=0))
        self.register_buffer("pointer", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def momentum(self):
        for q, k in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            k.data = k.data * self.m + q.data * (1 - self.m)

    @torch.no_grad()
    def enqueue(self, keys):
        keys = concat_all_gather(keys)
        at = int(self.pointer)
        assert self.size % len(keys) == 0
        self.queue[:, at : at + len(keys)] = keys.T
        self.pointer[0] = (at + len(keys)) % self.size

    @torch.no_grad()
    def shuffle(self, x):
        every = concat_all_gather(x)
        order = torch.randperm(len(every), device=x.device)
        dist.broadcast(order, src=dist.get_rank())
        mine = order.view(dist.get_world_size(), -1)[dist.get_rank()]
        return every[mine], order.argsort()

    @torch.no_grad()
    def unshuffle(self, x, back):
        return concat_all_gather(x)[back.view(dist.get_world_size(), -1)[dist.get_rank()]]

    def forward(self, q, k):
        q = nn.functional.normalize(self.encoder_q(q), dim=1)
        with torch.no_grad():
            self.momentum()
            k, back = self.shuffle(k)
            k = self.unshuffle(nn.functional.normalize(self.encoder_k(k), dim=1), back)
        positive = (q * k).sum(1, keepdim=True)
        negative = q @ self.queue.clone().detach()
        self.enqueue(k)
        return torch.cat([positive, negative], 1) / self.t


class Two:
    def __init__(self, tf):
        self.tf = tf

    def __call__(self, x):
        return self.tf(x), self.tf(x)


def main():
    dist.init_process_group("nccl")
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    tf = transforms.Compose([transforms.RandomResizedCrop(224), transforms.ToTensor()])
    data = datasets.ImageFolder("/data/train", Two(tf))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, 32, sampler=sampler, num_workers=8, drop_last=True)
    model = DDP(MoCo().cuda(), device_ids=[local])
    optimizer = torch.optim.SGD(model.parameters(), 0.03, momentum=0.9)
    for epoch in range(200):
        sampler.set_epoch(epoch)
        for (q, k), _ in loader:
            logits = model(q.cuda(), k.cuda())
            loss = nn.functional.cross_entropy(logits, torch.zeros(len(logits), dtype=torch.long, device="cuda"))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if dist.get_rank() == 0 and epoch % 10 == 0:
            torch.save(model.module.state_dict(), f"moco{epoch:03d}.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
