import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from lab.data import Data
from lab.seeds import Seeds


def main(epochs=3):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    seeds = Seeds(7)
    seeds.apply(per_rank=False)
    net = nn.Sequential(nn.Linear(10, 16), nn.Dropout(0.2), nn.Linear(16, 2)).to(device)
    model = DDP(net, device_ids=[device.index] if cuda else None)
    seeds.apply(per_rank=True)
    data = Data(batch=30)
    opt = torch.optim.AdamW(model.parameters())
    loader, held_out = data.loader("train"), data.loader("val")
    for epoch in range(epochs):
        loader.sampler.set_epoch(epoch)
        net.train()
        for x, y in loader:
            opt.zero_grad()
            nn.functional.cross_entropy(model(x.to(device)), y.to(device)).backward()
            opt.step()
        net.eval()
        right = torch.zeros(2, device=device)
        with torch.no_grad():
            for x, y in held_out:
                right[0] += (net(x.to(device)).argmax(1) == y.to(device)).sum()
                right[1] += len(y)
        dist.all_reduce(right)
        if dist.get_rank() == 0:
            print(epoch, (right[0] / right[1]).item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
