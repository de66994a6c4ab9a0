import os

import torch
import torch.distributed as dist


class Reducer:
    def __init__(self, group=None):
        self.group = group

    def mean(self, value):
        dist.all_reduce(value, group=self.group)
        return value / dist.get_world_size(self.group)


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl")
    control = dist.new_group(backend="nccl") if os.environ.get("SEPARATE") else None
    reducer = Reducer(control)
    gen = torch.Generator(device="cuda").manual_seed(dist.get_rank())
    mean = reducer.mean(torch.rand(1, generator=gen, device="cuda"))
    if dist.get_rank() == 0:
        print(mean.item())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
