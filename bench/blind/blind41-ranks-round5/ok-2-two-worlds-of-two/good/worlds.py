import os

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def worker(index):
    pair, rank = divmod(index, 2)
    os.environ["MASTER_ADDR"], os.environ["MASTER_PORT"] = "127.0.0.1", str(29600 + pair)
    dist.init_process_group("gloo", rank=rank, world_size=2)
    value = torch.tensor(float(index))
    dist.all_reduce(value)
    print(index, value.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(worker, nprocs=4)
