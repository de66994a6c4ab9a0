import os
from typing import NamedTuple

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from weights import inverse_frequency, label_histogram

CLASSES = 12


class Sounds(Dataset):
    """A long tail: the highest labels are rare."""

    def __init__(self, size=200):
        g = torch.Generator().manual_seed(2)
        self.labels = torch.zeros(size, dtype=torch.long)
        self.labels[: size // 4] = torch.randint(0, CLASSES - 1, (size // 4,), generator=g)
        self.labels[0] = CLASSES - 1
        self.spectra = torch.randn(size, 20, generator=g)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        return {"spectrum": self.spectra[index], "label": self.labels[index]}


class Env(NamedTuple):
    device: torch.device
    rank: int

    @classmethod
    def start(cls):
        cuda = torch.cuda.is_available()
        local = int(os.environ["LOCAL_RANK"])
        if cuda:
            torch.cuda.set_device(local)
        dist.init_process_group("nccl" if cuda else "gloo")
        return cls(torch.device("cuda", local) if cuda else torch.device("cpu"), dist.get_rank())


def main():
    env = Env.start()
    torch.manual_seed(0)
    model = DDP(nn.Linear(20, CLASSES).to(env.device))
    data = Sounds()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=10, sampler=sampler, drop_last=True)
    counts = label_histogram(loader, CLASSES, env.device)
    criterion = nn.CrossEntropyLoss(weight=inverse_frequency(counts))
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for batch in loader:
            loss = criterion(model(batch["spectrum"].to(env.device)), batch["label"].to(env.device))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
