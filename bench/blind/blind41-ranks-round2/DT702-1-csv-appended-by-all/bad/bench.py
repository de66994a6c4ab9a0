import csv
import os
import time

import torch
import torch.distributed as dist


def time_all_reduce(size, device, turns=20):
    x = torch.ones(size, device=device)
    dist.barrier()
    start = time.perf_counter()
    for _ in range(turns):
        dist.all_reduce(x)
    if device.type == "cuda":
        torch.cuda.synchronize()
    return (time.perf_counter() - start) / turns


def main(target="results.csv"):
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    for power in range(10, 24, 2):
        seconds = time_all_reduce(2**power, device)
        slowest = torch.tensor(seconds, device=device)
        dist.all_reduce(slowest, op=dist.ReduceOp.MAX)
        with open(target, "a", newline="") as handle:
            csv.writer(handle).writerow([2**power, dist.get_world_size(), f"{slowest.item():.6f}"])
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
