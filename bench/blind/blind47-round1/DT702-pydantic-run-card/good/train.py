import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from card import write_card
from settings import Settings


def main():
    settings = Settings.model_validate_json(open(sys.argv[1]).read())
    dist.init_process_group("gloo")
    torch.manual_seed(0)
    x = torch.randn(640, 7)
    dataset = TensorDataset(x, x.mean(1, keepdim=True))
    model = nn.Linear(7, 1)
    if dist.get_rank() == 0:
        write_card(settings, sum(p.numel() for p in model.parameters()))
    ddp = DistributedDataParallel(model)
    optimizer = torch.optim.AdamW(ddp.parameters(), lr=settings.optim.lr, weight_decay=settings.optim.weight_decay)
    sampler = DistributedSampler(dataset)
    loader = DataLoader(dataset, settings.batch_size, sampler=sampler)
    for epoch in range(settings.epochs):
        sampler.set_epoch(epoch)
        for a, b in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(ddp(a), b).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
