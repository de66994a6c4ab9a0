import os
import queue
import threading

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


def fill(box, seed, turns):
    gen = torch.Generator().manual_seed(seed)
    for _ in range(turns):
        box.put(torch.randn(32, 16, generator=gen))


def main(turns=500):
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    box = queue.Queue(maxsize=8)
    threading.Thread(target=fill, args=(box, dist.get_rank(), turns), daemon=True).start()
    torch.manual_seed(0)
    model = DDP(nn.Linear(16, 16).cuda(), device_ids=[local_rank])
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(turns):
        try:
            x = box.get(timeout=1.0).cuda()
        except queue.Empty:
            continue
        opt.zero_grad()
        (model(x) - x).pow(2).mean().backward()
        opt.step()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
