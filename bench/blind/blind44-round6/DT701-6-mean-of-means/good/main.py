import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from ppl.eval import evaluate


def tokens(n, seed):
    return TensorDataset(torch.randint(0, 50, (n, 17), generator=torch.Generator().manual_seed(seed)))


def main(epochs=3):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    torch.manual_seed(0)
    net = nn.Sequential(nn.Embedding(50, 32), nn.Linear(32, 50)).to(device)
    model = DDP(net, device_ids=[device.index] if cuda else None)
    opt = torch.optim.AdamW(model.parameters())
    train, val = tokens(1024, 0), tokens(256, 1)
    sampler = DistributedSampler(train, drop_last=True)
    loader = DataLoader(train, 32, sampler=sampler, drop_last=True)
    val_loader = DataLoader(val, 32, sampler=DistributedSampler(val, shuffle=False))
    best = float("inf")
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for (x,) in loader:
            x = x.to(device)
            loss = F.cross_entropy(model(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())
            opt.zero_grad()
            loss.backward()
            opt.step()
        value = evaluate(net, val_loader, device)
        if dist.get_rank() == 0:
            print(f"epoch {epoch} perplexity {value:.2f}")
            if value < best:
                best = value
                torch.save(net.state_dict(), "best.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
