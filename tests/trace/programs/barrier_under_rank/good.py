import torch
import torch.distributed as dist
import torch.nn as nn
from torch.nn.parallel import DistributedDataParallel as DDP


def main():
    dist.init_process_group("nccl")
    rank = dist.get_rank()
    torch.cuda.set_device(rank)
    model = DDP(nn.Linear(8, 2).cuda(), device_ids=[rank])
    optimizer = torch.optim.AdamW(model.parameters())
    for step in range(4):
        optimizer.zero_grad()
        loss = model(torch.randn(4, 8, device="cuda")).square().mean()
        loss.backward()
        optimizer.step()
        if rank == 0:
            print(step, loss.item())
        dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
