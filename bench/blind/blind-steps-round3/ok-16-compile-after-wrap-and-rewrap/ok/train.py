import copy
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset


def network():
    return nn.Sequential(nn.Conv1d(1, 8, 3, padding=1), nn.BatchNorm1d(8), nn.ReLU(), nn.Flatten(), nn.Linear(128, 3))


def main():
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    net = network().cuda()
    params = list(net.parameters())
    ema = copy.deepcopy(net).requires_grad_(False)
    net = nn.SyncBatchNorm.convert_sync_batchnorm(net)
    model = torch.compile(DistributedDataParallel(net, device_ids=[local]))
    optimizer = torch.optim.AdamW(params, lr=1e-3)
    g = torch.Generator().manual_seed(0)
    data = TensorDataset(torch.randn(960, 1, 16, generator=g), torch.randint(0, 3, (960,), generator=g))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=32, sampler=sampler, drop_last=True)
    for epoch in range(2):
        sampler.set_epoch(epoch)
        for x, y in loader:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(x.cuda()), y.cuda()).backward()
            torch.nn.utils.clip_grad_norm_(params, 1.0)
            optimizer.step()
            with torch.no_grad():
                for mean, new in zip(ema.parameters(), params):
                    mean.lerp_(new, 0.01)
    if dist.get_rank() == 0:
        torch.save(ema.state_dict(), "ema.pt")
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
