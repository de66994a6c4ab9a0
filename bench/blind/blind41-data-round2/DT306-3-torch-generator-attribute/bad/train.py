import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, Dataset, DistributedSampler


class Masked(Dataset):
    def __init__(self, tokens, rate, seed):
        self.tokens, self.rate = tokens, rate
        self.generator = torch.Generator().manual_seed(seed)

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, i):
        row = self.tokens[i].clone()
        chosen = torch.rand(row.shape, generator=self.generator) < self.rate
        target = torch.where(chosen, row, -100)
        row[chosen] = 0
        return row, target


def main(epochs=2, seed=5):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(seed + dist.get_rank())
    tokens = torch.load("tokens.pt", map_location="cpu")
    data = Masked(tokens, 0.15, seed + dist.get_rank())
    sampler = DistributedSampler(data, seed=seed)
    loader = DataLoader(data, batch_size=64, sampler=sampler, num_workers=6, drop_last=True)
    model = nn.Sequential(nn.Embedding(8000, 96), nn.Linear(96, 8000)).cuda()
    model = DDP(model, device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for row, target in loader:
            logits = model(row.cuda())
            loss = nn.functional.cross_entropy(logits.flatten(0, 1), target.cuda().flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
