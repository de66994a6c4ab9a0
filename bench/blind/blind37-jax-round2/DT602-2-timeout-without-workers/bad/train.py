import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import TensorDataset

from loaders import Loading, held_out_loader, train_loader


@torch.no_grad()
def held_out_error(model, loader):
    sums = torch.zeros(2, device="cuda")
    for x, y in loader:
        error = (model(x.cuda()).squeeze(-1) - y.cuda()).square()
        sums += torch.stack([error.sum(), error.new_tensor(error.numel())])
    dist.all_reduce(sums)
    return (sums[0] / sums[1]).item()


def main(epochs=3):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    how = Loading()
    train, held_out = (torch.load(name, map_location="cpu") for name in ("train.pt", "held_out.pt"))
    sampler, loader = train_loader(TensorDataset(*train), how)
    check = held_out_loader(TensorDataset(*held_out), how)
    model = DistributedDataParallel(nn.Linear(24, 1).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in loader:
            loss = nn.functional.mse_loss(model(x.cuda()).squeeze(-1), y.cuda())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        error = held_out_error(model.module, check)
        if dist.get_rank() == 0:
            print(epoch, error)
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
