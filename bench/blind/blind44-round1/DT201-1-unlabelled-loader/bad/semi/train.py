import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

from semi.config import Config
from semi.data import labelled_loader, unlabelled_loader


def consistency(model, u):
    weak = model(u + 0.01 * torch.randn_like(u))
    strong = model(u + 0.2 * torch.randn_like(u))
    return F.mse_loss(strong.softmax(-1), weak.softmax(-1).detach())


def run(cfg):
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    torch.manual_seed(cfg.seed + rank)
    net = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 2)).to(device)
    model = DDP(net, device_ids=[device.index] if cuda else None)
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    lab, lab_sampler = labelled_loader(cfg.labelled, cfg.seed)
    unl = unlabelled_loader(cfg.unlabelled, cfg.seed)
    for epoch in range(cfg.epochs):
        lab_sampler.set_epoch(epoch)
        for (x, y), u in zip(lab, unl):
            x, y, u = x.to(device), y.to(device), u.to(device)
            loss = F.cross_entropy(model(x), y) + cfg.weight * consistency(model, u)
            opt.zero_grad(set_to_none=True)
            loss.backward()
            opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    run(Config())
