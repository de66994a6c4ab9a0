import contextlib
import os

import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


def main():
    with contextlib.ExitStack() as stack:
        local_rank = int(os.environ["LOCAL_RANK"])
        torch.cuda.set_device(local_rank)
        dist.init_process_group("nccl")
        stack.callback(dist.destroy_process_group)
        log = stack.enter_context(open(f"log-{dist.get_rank()}.txt", "w"))
        torch.manual_seed(0)
        model = DDP(nn.Linear(12, 12).cuda(), device_ids=[local_rank])
        opt = torch.optim.SGD(model.parameters(), lr=0.1)
        gen = torch.Generator(device="cuda").manual_seed(dist.get_rank())
        for step in range(50):
            x = torch.randn(8, 12, generator=gen, device="cuda")
            opt.zero_grad()
            loss = (model(x) - x).pow(2).mean()
            loss.backward()
            opt.step()
            log.write(f"{step} {loss.item()}\n")
        dist.barrier()


if __name__ == "__main__":
    main()
