import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader

from lens.data import Strings, collate
from lens.sampler import ByLength


def main(epochs=3):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    data = Strings()
    sampler = ByLength(data.lengths, batch=8)
    loader = DataLoader(data, batch_sampler=sampler, collate_fn=collate, num_workers=2)
    torch.manual_seed(0)
    net = nn.Sequential(nn.Embedding(50, 32, padding_idx=0), nn.Linear(32, 50)).to(device)
    model = DDP(net, device_ids=[device.index] if cuda else None)
    opt = torch.optim.AdamW(model.parameters())
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x in loader:
            x = x.to(device)
            loss = F.cross_entropy(model(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten(), ignore_index=0)
            opt.zero_grad()
            loss.backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
