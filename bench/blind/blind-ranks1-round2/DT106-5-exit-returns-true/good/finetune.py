import argparse
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset, DistributedSampler

from memory import SurviveOom


class Texts(Dataset):
    def __init__(self, n=256, vocab=50):
        g = torch.Generator().manual_seed(0)
        lengths = torch.randint(4, 64, (n,), generator=g)
        self.rows = [torch.randint(1, vocab, (k,), generator=g) for k in lengths.tolist()]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return self.rows[i]


def collate(rows):
    return pad_sequence(rows, batch_first=True)


class Model(nn.Module):
    def __init__(self, vocab=50, dim=16):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.layer = nn.TransformerEncoderLayer(dim, 2, 32, batch_first=True)
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids):
        return self.out(self.layer(self.embed(ids)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--batch-size", type=int, default=16)
    args = parser.parse_args()
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(Model().to(device), device_ids=[local_rank] if cuda else None)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    data = Texts()
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, args.batch_size, sampler=sampler, collate_fn=collate, drop_last=True)
    survive = SurviveOom()
    for epoch in range(args.epochs):
        sampler.set_epoch(epoch)
        for ids in loader:
            ids = ids.to(device)
            opt.zero_grad()
            with survive:
                logits = model(ids[:, :-1])
                loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), ignore_index=0)
                loss.backward()
                opt.step()
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
