import glob
import itertools
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader

from stream.source import Endless


def main(steps=1000):
    local = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local)
    dist.init_process_group("nccl")
    data = Endless(glob.glob("/data/parts/*.pt"), seed=5)
    loader = DataLoader(data, batch_size=32, num_workers=4)
    torch.manual_seed(0)
    model = DDP(nn.Linear(128, 128).cuda(), device_ids=[local])
    opt = torch.optim.AdamW(model.parameters())
    for x in itertools.islice(loader, steps):
        x = x.cuda(non_blocking=True)
        loss = (model(x) - x).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    if dist.get_rank() == 0:
        torch.save(model.module.state_dict(), "out.pt")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
