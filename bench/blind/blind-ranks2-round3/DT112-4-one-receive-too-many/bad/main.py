import os

import torch
import torch.distributed as dist

from stream import consume, produce


def main():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    dist.init_process_group("nccl" if cuda else "gloo")
    rank, world = dist.get_rank(), dist.get_world_size()
    assert world % 2 == 0, "producers and consumers come in pairs"
    if rank % 2 == 0:
        produce(device, rank + 1)
    else:
        print(f"rank {rank}: energy {consume(device, rank - 1).item():.2f}")
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
