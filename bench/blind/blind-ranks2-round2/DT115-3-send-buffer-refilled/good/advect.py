import os

import torch
import torch.distributed as dist

from halo import HaloExchange


def step(slab, speed=0.25):
    slab[1:] += speed * (slab[:-1] - slab[1:])
    return slab


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    rank = dist.get_rank()
    slab = torch.zeros(18, 256, device=device)
    slab[1:] = rank
    halo = HaloExchange(256, device)
    for _ in range(20):
        halo.send_border(slab)
        halo.receive_border(slab)
        slab = step(slab)
    halo.close()
    total = slab[1:].sum()
    dist.all_reduce(total)
    if rank == 0:
        print(f"mass {total.item():.3f}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
