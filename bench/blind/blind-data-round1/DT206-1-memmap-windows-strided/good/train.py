import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP

from corpus import Windows


class CharModel(nn.Module):
    def __init__(self, vocab=128, width=24):
        super().__init__()
        self.table = nn.Embedding(vocab, width)
        self.rnn = nn.LSTM(width, width, batch_first=True)
        self.out = nn.Linear(width, vocab)

    def forward(self, ids, targets):
        hidden, _ = self.rnn(self.table(ids))
        return F.cross_entropy(self.out(hidden).flatten(0, 1), targets.flatten())


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ.get("LOCAL_RANK", 0))
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    torch.manual_seed(0)
    model = DDP(CharModel().to(device))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    windows = Windows("tokens.bin", 16, 2, dist.get_rank(), dist.get_world_size())
    for epoch in range(2):
        for ids, targets in windows.epoch(epoch):
            loss = model(ids.to(device), targets.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        total = loss.detach().clone()
        dist.all_reduce(total)
        if dist.get_rank() == 0:
            print(epoch, total.item() / dist.get_world_size())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
