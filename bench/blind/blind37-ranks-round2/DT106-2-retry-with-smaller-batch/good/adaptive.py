import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.distributed import DistributedSampler


class Ragged(Dataset):
    def __init__(self, n=256, width=10):
        g = torch.Generator().manual_seed(71)
        self.rows = [torch.randn(int(k), width, generator=g) for k in torch.randint(5, 90, (n,), generator=g)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def pad(rows):
    return nn.utils.rnn.pad_sequence(rows, batch_first=True)


class Pooler(nn.Module):
    def __init__(self, width=10):
        super().__init__()
        self.enc = nn.GRU(width, 32, batch_first=True)
        self.dec = nn.Linear(32, width)

    def forward(self, x):
        _, last = self.enc(x)
        return self.dec(last[-1])


class AdaptiveStep:
    """A step that fits."""

    def __init__(self, model, opt, device):
        self.model, self.opt, self.device = model, opt, device

    def _backward(self, chunk, share):
        chunk = chunk.to(self.device)
        loss = F.mse_loss(self.model(chunk), chunk.mean(1)) * share
        loss.backward()

    def __call__(self, batch):
        self.opt.zero_grad(set_to_none=True)
        self._backward(batch, 1.0)
        self.opt.step()


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    net = Pooler().to(device)
    model = DistributedDataParallel(net, device_ids=[local_rank] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = Ragged()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=16, sampler=sampler, collate_fn=pad, drop_last=True)
    step = AdaptiveStep(model, opt, device)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for batch in loader:
            step(batch)
    if dist.get_rank() == 0:
        torch.save(net.state_dict(), "pooler.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
