import os
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler

from curriculum import LengthCurriculum


@dataclass
class Hyper:
    batch: int = 32
    epochs: int = 8
    workers: int = 4
    lr: float = 1e-3
    vocab: int = 8000


class LSTMModel(nn.Module):
    def __init__(self, vocab, width=256):
        super().__init__()
        self.embed = nn.Embedding(vocab, width)
        self.lstm = nn.LSTM(width, width, batch_first=True)
        self.out = nn.Linear(width, vocab)

    def forward(self, ids):
        hidden, _ = self.lstm(self.embed(ids[:, :-1]))
        return nn.functional.cross_entropy(self.out(hidden).transpose(1, 2), ids[:, 1:])


def main(hyper=Hyper()):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(1)
    data = LengthCurriculum(torch.load("sequences.pt", map_location="cpu"))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(
        data,
        batch_size=hyper.batch,
        sampler=sampler,
        num_workers=hyper.workers,
        persistent_workers=False,
        drop_last=True,
        pin_memory=True,
    )
    model = DDP(LSTMModel(hyper.vocab).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=hyper.lr)
    for epoch in range(hyper.epochs):
        sampler.set_epoch(epoch)
        data.begin_epoch(epoch)
        for ids in loader:
            loss = model(ids.cuda(non_blocking=True))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        if dist.get_rank() == 0:
            torch.save(model.module.state_dict(), "lstm.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
