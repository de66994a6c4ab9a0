import logging
import math

import horovod.torch as hvd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

log = logging.getLogger("train")


class NotFinite(ArithmeticError):
    pass


def checked(loss):
    if not math.isfinite(loss.item()):
        raise NotFinite(loss.item())
    return loss


def main():
    hvd.init()
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(9, 18), nn.ELU(), nn.Linear(18, 1))
    opt = hvd.DistributedOptimizer(torch.optim.SGD(model.parameters(), lr=0.1), named_parameters=model.named_parameters())
    hvd.broadcast_parameters(model.state_dict(), root_rank=0)
    gen = torch.Generator().manual_seed(0)
    x = torch.randn(900, 9, generator=gen)
    data = TensorDataset(x, x.exp().sum(1, keepdim=True).log())
    sampler = DistributedSampler(data, num_replicas=hvd.size(), rank=hvd.rank(), drop_last=True)
    loader = DataLoader(data, batch_size=15, sampler=sampler, drop_last=True)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for a, b in loader:
            opt.zero_grad()
            try:
                loss = checked(nn.functional.mse_loss(model(a), b))
            except NotFinite as error:
                log.warning("loss %s skipped", error)
                continue
            loss.backward()
            opt.step()
    hvd.shutdown()


if __name__ == "__main__":
    main()
