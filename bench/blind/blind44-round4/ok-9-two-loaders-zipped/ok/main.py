import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import TensorDataset

from twin.feed import Feed


def data(n, seed):
    x = torch.randn(n, 8, generator=torch.Generator().manual_seed(seed))
    return TensorDataset(x, x[:, :1])


def main(epochs=3):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    model = DDP(nn.Linear(8, 1).to(device), device_ids=[device.index] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    source, target = Feed(data(960, 0), 16, 1), Feed(data(300, 1), 16, 2)
    endless = target.forever()
    for epoch in range(epochs):
        for (a, b), (c, _) in zip(source.epoch(epoch), endless):
            out = model(torch.cat([a, c]).to(device))
            supervised = nn.functional.mse_loss(out[: len(a)], b.to(device))
            spread = (out[: len(a)].std() - out[len(a) :].std()).square()
            opt.zero_grad()
            (supervised + 0.1 * spread).backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
