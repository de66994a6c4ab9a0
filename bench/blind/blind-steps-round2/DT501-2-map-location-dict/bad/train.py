import os

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from resume import Resumable


def main(epochs=8):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    model = DistributedDataParallel(nn.Linear(10, 3).cuda(), device_ids=[local_rank])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    state = Resumable("/shared/run/last.pt", model, optimizer, local_rank).restore()
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(3200, 10, generator=g), torch.randint(0, 3, (3200,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    while state.epoch < epochs:
        sampler.set_epoch(state.epoch)
        for x, y in loader:
            optimizer.zero_grad()
            F.cross_entropy(model(x.cuda()), y.cuda()).backward()
            optimizer.step()
        state.epoch += 1
        state.store()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
