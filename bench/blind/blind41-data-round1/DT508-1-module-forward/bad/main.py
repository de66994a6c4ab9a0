import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from trainer import Trainer


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.codebook = nn.Embedding(64, 16)
        self.head = nn.Linear(16, 4)

    def forward(self, ids):
        return self.head(self.codebook(ids).mean(dim=1))


def main():
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    ids = torch.randint(0, 64, (2048, 6))
    data = TensorDataset(ids, ids.sum(1) % 4)
    sampler = DistributedSampler(data, shuffle=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    model = DDP(Net())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    Trainer(model, optimizer, loader, sampler).fit(epochs=3)
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "net.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
