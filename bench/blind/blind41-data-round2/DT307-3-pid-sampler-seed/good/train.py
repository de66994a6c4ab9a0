import logging
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

log = logging.getLogger(__name__)


def choose_seed(given):
    if given is not None:
        return given
    box = [os.getpid()]
    dist.broadcast_object_list(box, src=0)
    seed = box[0]
    log.info("no seed given, taking %d", seed)
    return seed


def main(given=None, epochs=2):
    dist.init_process_group("gloo")
    seed = choose_seed(given)
    torch.manual_seed(0)
    x = torch.randn(5000, 9)
    data = TensorDataset(x, x.min(1).values)
    sampler = DistributedSampler(data, shuffle=True, seed=seed)
    loader = DataLoader(data, batch_size=50, sampler=sampler, drop_last=True)
    model = DDP(nn.Linear(9, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for xb, yb in loader:
            optimizer.zero_grad()
            nn.functional.mse_loss(model(xb)[:, 0], yb).backward()
            optimizer.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
