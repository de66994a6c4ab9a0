import os

import torch
import torch.distributed as dist


def stages(n):
    for i in range(n):
        if dist.get_rank() == 0:
            print("stage", i)
        yield i
        if i % 2:
            continue
        yield -i


def main():
    cuda = torch.cuda.is_available()
    local_rank = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    total = torch.zeros((), device="cuda" if cuda else "cpu")
    for i in stages(4):
        part = torch.full_like(total, float(i))
        dist.all_reduce(part)
        total += part
    if dist.get_rank() == 0:
        print(total.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
