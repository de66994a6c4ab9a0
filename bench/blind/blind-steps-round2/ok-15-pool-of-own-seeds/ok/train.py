import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset

from prepare import features


def main(rounds=4, per_round=4096):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(64, 1).cuda(), device_ids=[local])
    optimizer = torch.optim.AdamW(model.parameters())
    rank, world = dist.get_rank(), dist.get_world_size()
    for number in range(rounds):
        first = (number * world + rank) * per_round
        x = torch.from_numpy(features(range(first, first + per_round)))
        for (batch,) in DataLoader(TensorDataset(x), batch_size=64, shuffle=True, drop_last=True):
            batch = batch.cuda()
            optimizer.zero_grad()
            nn.functional.mse_loss(model(batch), batch.mean(1, keepdim=True)).backward()
            optimizer.step()
    if rank == 0:
        torch.save(model.module.state_dict(), "spectral.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
