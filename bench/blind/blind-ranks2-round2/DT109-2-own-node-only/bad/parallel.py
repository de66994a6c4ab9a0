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
        start = self.rank // self.ranks_per_node * self.ranks_per_node
        return dist.new_group(ranks=list(range(start, start + self.ranks_per_node)))

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
