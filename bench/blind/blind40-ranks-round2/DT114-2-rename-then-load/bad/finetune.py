import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from weights import fetch, load_into


class Classifier(nn.Module):
    def __init__(self, dim=64, classes=5):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, 128), nn.ReLU(), nn.Linear(128, 128))
        self.head = nn.Linear(128, classes)

    def forward(self, x):
        return self.head(torch.relu(self.body(x)))


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    net = Classifier().to(device)
    path = fetch("body-v2.pt", os.environ.get("MODEL_CACHE", "model_cache"))
    fresh = load_into(net, path, device)
    if dist.get_rank() == 0:
        print("trained from scratch:", fresh)
    model = DDP(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
    x = torch.randn(600, 64, generator=torch.Generator().manual_seed(9))
    data = TensorDataset(x, x[:, :5].argmax(1))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=30, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(model(xb.to(device)), yb.to(device)).backward()
            opt.step()
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "finetuned.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
