import os

import torch
import torch.distributed as dist


class Layout:
    def __init__(self, ranks_per_node):
        self.rank = dist.get_rank()
        self.world = dist.get_world_size()
        self.ranks_per_node = ranks_per_node
        self.intra = self._intra_node()

    def _intra_node(self):
        mine = None
        for start in range(0, self.world, self.ranks_per_node):
            ranks = list(range(start, start + self.ranks_per_node))
            group = dist.new_group(ranks=ranks)
            if self.rank in ranks:
                mine = group
        return mine

    def node_sum(self, tensor):
        dist.all_reduce(tensor, group=self.intra)
        return tensor


def start():
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    return torch.device("cuda", local) if cuda else torch.device("cpu")
