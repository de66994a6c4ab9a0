import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader

from shards import TarMembers, decode

ARCHIVES = [f"/data/audio/{i:05d}.tar" for i in range(64)]
STEPS = 10_000


def endless(loader):
    while True:
        yield from loader


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    torch.manual_seed(0)
    data = TarMembers(ARCHIVES, decode)
    loader = DataLoader(data, batch_size=32, num_workers=4, drop_last=True)
    net = nn.Sequential(nn.Linear(1024, 128), nn.GELU(), nn.Linear(128, 1024)).cuda()
    model = DDP(net, device_ids=[local_rank])
    opt = torch.optim.AdamW(model.parameters(), lr=1e-4)
    batches = endless(loader)
    for step in range(STEPS):
        x = next(batches).cuda(non_blocking=True)
        opt.zero_grad(set_to_none=True)
        nn.functional.mse_loss(model(x), x).backward()
        opt.step()
        if step % 1000 == 999 and dist.get_rank() == 0:
            torch.save(net.state_dict(), f"audio_{step + 1}.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
