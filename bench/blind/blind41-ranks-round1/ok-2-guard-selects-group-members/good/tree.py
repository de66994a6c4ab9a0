import os

import torch
import torch.distributed as dist


class TreeReduce:
    def __init__(self):
        self.per_node = int(os.environ["LOCAL_WORLD_SIZE"])
        self.local_rank = int(os.environ["LOCAL_RANK"])
        rank, world = dist.get_rank(), dist.get_world_size()
        self.first = rank - self.local_rank
        self.node = None
        for start in range(0, world, self.per_node):
            group = dist.new_group(list(range(start, start + self.per_node)))
            if start == self.first:
                self.node = group
        self.leaders = dist.new_group(list(range(0, world, self.per_node)))

    def __call__(self, tensor):
        dist.reduce(tensor, dst=self.first, group=self.node)
        if self.local_rank == 0:
            dist.all_reduce(tensor, group=self.leaders)
        dist.broadcast(tensor, src=self.first, group=self.node)
        return tensor


def main():
    local_rank = int(os.environ["LOCAL_RANK"])
    cuda = torch.cuda.is_available()
    if cuda:
        torch.cuda.set_device(local_rank)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local_rank) if cuda else torch.device("cpu")
    reduce = TreeReduce()
    total = reduce(torch.full((4,), float(dist.get_rank()), device=device))
    if dist.get_rank() == 0:
        print(total.tolist())
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
