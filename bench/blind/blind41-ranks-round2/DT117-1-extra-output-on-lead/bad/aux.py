import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(10, 40), nn.ReLU())
        self.main = nn.Linear(40, 4)
        self.aux = nn.Linear(40, 2)

    def forward(self, x, with_aux=False):
        h = self.trunk(x)
        return (self.main(h), self.aux(h)) if with_aux else (self.main(h), None)


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    lead = dist.get_rank() == 0
    torch.manual_seed(0)
    model = DDP(TwoHeads().to(device))
    opt = torch.optim.Adam(model.parameters())
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(800, 10, generator=gen)
    data = TensorDataset(x, x[:, :4].argmax(1), (x[:, 4] > 0).long())
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y, z in loader:
            x, y, z = x.to(device), y.to(device), z.to(device)
            logits, extra = model(x, with_aux=lead)
            loss = F.cross_entropy(logits, y)
            if extra is not None:
                loss = loss + 0.3 * F.cross_entropy(extra, z)
            opt.zero_grad()
            loss.backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
