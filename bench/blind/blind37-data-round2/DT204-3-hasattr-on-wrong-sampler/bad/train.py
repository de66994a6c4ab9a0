import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

from bucketing import length_buckets


class Phonemes(Dataset):
    def __init__(self, path="/data/phonemes.pt"):
        blob = torch.load(path, map_location="cpu")
        self.items, self.targets = blob["items"], blob["targets"]
        self.lengths = [len(i) for i in self.items]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i], self.targets[i]


def collate(batch):
    items, targets = zip(*batch)
    return pad_sequence(items, batch_first=True), torch.tensor(targets)


class Net(nn.Module):
    def __init__(self, vocab=120, width=128, classes=40):
        super().__init__()
        self.emb = nn.Embedding(vocab, width, padding_idx=0)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.out = nn.Linear(width, classes)

    def forward(self, x):
        return self.out(self.rnn(self.emb(x))[1][-1])


def begin_epoch(loader, epoch):
    if hasattr(loader.sampler, "set_epoch"):
        loader.sampler.set_epoch(epoch)


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    data = Phonemes()
    loader = DataLoader(data, batch_sampler=length_buckets(data, 64, seed=3), num_workers=3, collate_fn=collate)
    model = DDP(Net().cuda(), device_ids=[local_rank])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(25):
        begin_epoch(loader, epoch)
        for x, y in loader:
            loss = F.cross_entropy(model(x.cuda(non_blocking=True)), y.cuda(non_blocking=True))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "phonemes-model.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
