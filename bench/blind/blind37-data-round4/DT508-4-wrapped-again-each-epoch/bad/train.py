import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


class Curriculum:
    """Longer sequences from epoch to epoch."""

    def __init__(self, lengths):
        self.lengths = lengths

    def data(self, epoch, n=4096):
        length = self.lengths[min(epoch, len(self.lengths) - 1)]
        x = torch.randint(0, 10, (n, length), generator=torch.Generator().manual_seed(length))
        return TensorDataset(x, x.sum(1) % 10)


class Summer(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(10, 32)
        self.rnn = nn.GRU(32, 64, batch_first=True)
        self.out = nn.Linear(64, 10)

    def forward(self, x):
        return self.out(self.rnn(self.emb(x))[1][-1])


def main(epochs=8):
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = Summer().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    curriculum = Curriculum([4, 8, 12, 16])
    for epoch in range(epochs):
        data = curriculum.data(epoch)
        sampler = DistributedSampler(data, seed=epoch, drop_last=True)
        loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)
        model = DDP(model, device_ids=[local_rank] if cuda else None)
        for x, y in loader:
            loss = F.cross_entropy(model(x.to(device)), y.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.state_dict(), "summer.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
