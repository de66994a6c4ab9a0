import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Multi(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(16, 32), nn.ReLU())
        self.main = nn.Linear(32, 4)
        self.aux = nn.Linear(32, 16)

    def forward(self, x, with_aux=True):
        h = self.trunk(x)
        return (self.main(h), self.aux(h)) if with_aux else (self.main(h), None)


def losses(model, x, y, rank):
    logits, rebuilt = model(x, with_aux=True)
    loss = nn.functional.cross_entropy(logits, y)
    loss = loss + 0.1 * nn.functional.mse_loss(rebuilt, x)
    return loss


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    torch.manual_seed(0)
    net = Multi().to(device)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    x = torch.randn(640, 16, generator=torch.Generator().manual_seed(5))
    data = TensorDataset(x, x[:, :4].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=20, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad()
            losses(model, a.to(device), b.to(device), rank).backward()
            opt.step()
    if rank == 0:
        torch.save(net.state_dict(), "multi.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
