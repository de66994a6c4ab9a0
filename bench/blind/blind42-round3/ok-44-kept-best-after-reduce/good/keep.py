import copy
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def everywhere(total, count, device):
    pair = torch.tensor([total, count], dtype=torch.float64, device=device)
    dist.all_reduce(pair)
    return (pair[0] / pair[1]).item()


def main(epochs=20):
    local_rank = int(os.environ["LOCAL_RANK"])
    device = torch.device("cuda", local_rank)
    torch.cuda.set_device(device)
    dist.init_process_group("nccl")
    train_set = TensorDataset(*torch.load("train.pt", map_location="cpu"))
    valid_set = TensorDataset(*torch.load("valid.pt", map_location="cpu"))
    sampler = DistributedSampler(train_set, drop_last=True)
    train = DataLoader(train_set, 64, sampler=sampler, drop_last=True)
    valid = DataLoader(valid_set, 256, sampler=DistributedSampler(valid_set, shuffle=False))
    net = nn.Linear(32, 1).to(device)
    model = DDP(net, device_ids=[local_rank])
    optimizer = torch.optim.SGD(model.parameters(), 0.01)
    best, kept = float("inf"), None
    for epoch in range(epochs):
        sampler.set_epoch(epoch)
        for x, y in train:
            loss = nn.functional.mse_loss(model(x.to(device)), y.to(device))
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
        total = count = 0.0
        with torch.no_grad():
            for x, y in valid:
                total += nn.functional.mse_loss(net(x.to(device)), y.to(device), reduction="sum").item()
                count += len(y)
        value = everywhere(total, count, device)
        if value < best:
            best, kept = value, copy.deepcopy(net.state_dict())
    if dist.get_rank() == 0:
        torch.save({"net": kept, "loss": best}, "best.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
