import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Audio(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(80, 128), nn.ReLU())
        self.heads = nn.ModuleDict({"speaker": nn.Linear(128, 20), "language": nn.Linear(128, 6)})

    def forward(self, x):
        hidden = self.trunk(x)
        return {name: head(hidden) for name, head in self.heads.items()}


class Meter(dict):
    def add(self, name, value):
        self[name] = self.get(name, 0.0) + value.detach()

    def means(self, steps):
        names = sorted(self)
        packed = torch.stack([self[n] for n in names]) / steps
        dist.all_reduce(packed)
        return dict(zip(names, (packed / dist.get_world_size()).tolist()))


def main(epochs=3):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = DDP(Audio().cuda(), device_ids=[local_rank])
    opt = torch.optim.AdamW(model.parameters(), lr=5e-4)
    gen = torch.Generator().manual_seed(13)
    x = torch.randn(8192, 80, generator=gen)
    data = TensorDataset(x, x[:, :20].argmax(dim=1), x[:, 20:26].argmax(dim=1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        meter = Meter()
        for a, speaker, language in loader:
            opt.zero_grad(set_to_none=True)
            out = model(a.cuda())
            losses = {
                "speaker": F.cross_entropy(out["speaker"], speaker.cuda()),
                "language": F.cross_entropy(out["language"], language.cuda()),
            }
            sum(losses.values()).backward()
            opt.step()
            for name, value in losses.items():
                meter.add(name, value)
        means = meter.means(len(loader))
        if dist.get_rank() == 0:
            print(epoch, {k: round(v, 3) for k, v in means.items()})
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "audio.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
