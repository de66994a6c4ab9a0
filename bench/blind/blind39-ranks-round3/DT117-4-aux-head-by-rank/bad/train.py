import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Classifier(nn.Module):
    def __init__(self, inputs=27, hidden=54, classes=5):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU())
        self.decoder = nn.Linear(hidden, inputs)
        self.head = nn.Linear(hidden, classes)

    def forward(self, x, reconstruct=False):
        code = self.encoder(x)
        if reconstruct:
            return self.head(code), self.decoder(code)
        return self.head(code), None


def objective(logits, rebuilt, x, y):
    loss = nn.functional.cross_entropy(logits, y)
    if rebuilt is not None:
        loss = loss + 0.01 * nn.functional.mse_loss(rebuilt, x)
    return loss


class Env:
    def __init__(self):
        cuda = torch.cuda.is_available()
        self.local_rank = int(os.environ["LOCAL_RANK"])
        if cuda:
            torch.cuda.set_device(self.local_rank)
        dist.init_process_group("nccl" if cuda else "gloo")
        self.device = torch.device("cuda", self.local_rank) if cuda else torch.device("cpu")
        self.ids = [self.local_rank] if cuda else None
        self.logs = dist.get_rank() == 0


def main():
    env = Env()
    torch.manual_seed(0)
    model = DDP(Classifier().to(env.device), device_ids=env.ids)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    g = torch.Generator().manual_seed(66)
    data = TensorDataset(torch.randn(810, 27, generator=g), torch.randint(0, 5, (810,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=27, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            x, y = x.to(env.device), y.to(env.device)
            logits, rebuilt = model(x, reconstruct=env.logs)
            loss = objective(logits, rebuilt, x, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if env.logs:
            print(f"epoch {epoch}: last loss of rank 0 {loss.item():.4f}")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
