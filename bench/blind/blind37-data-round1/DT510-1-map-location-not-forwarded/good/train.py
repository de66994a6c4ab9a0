import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader, DistributedSampler, TensorDataset

from snapshot import SnapshotStore, load_snapshot


def cycle(loader, sampler, epoch=0):
    while True:
        sampler.set_epoch(epoch)
        yield from loader
        epoch += 1


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    device = torch.device("cuda", local_rank)
    torch.manual_seed(3)
    g = torch.Generator().manual_seed(12)
    x = torch.randn(8192, 30, generator=g)
    data = TensorDataset(x, x.sin().sum(1, keepdim=True))
    sampler = DistributedSampler(data, drop_last=True)
    loader = DataLoader(data, batch_size=64, sampler=sampler, drop_last=True)

    net = nn.Sequential(nn.Linear(30, 128), nn.Tanh(), nn.Linear(128, 1)).to(device)
    optimizer = torch.optim.AdamW(net.parameters(), lr=2e-3)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=2e-3, total_steps=20_000)
    store = SnapshotStore(os.environ.get("SNAPSHOTS", "/shared/sine"))
    step = 0
    newest = [store.newest()]
    dist.broadcast_object_list(newest, src=0)
    if newest[0] is not None:
        step = load_snapshot(newest[0], net, optimizer, scheduler, map_location=device)
    model = DDP(net, device_ids=[local_rank])
    batches = cycle(loader, sampler, epoch=step // len(loader))
    while step < 20_000:
        x, y = (t.to(device, non_blocking=True) for t in next(batches))
        loss = F.mse_loss(model(x), y)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        scheduler.step()
        step += 1
        if step % 1000 == 0 and dist.get_rank() == 0:
            store.write(step, net, optimizer, scheduler)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
