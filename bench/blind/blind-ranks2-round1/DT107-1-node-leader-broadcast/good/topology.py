import os
from dataclasses import dataclass

import torch
import torch.distributed as dist


@dataclass
class Topology:
    rank: int
    world: int
    per_node: int
    device: torch.device
    node_group: object = None

    @property
    def node(self):
        return self.rank // self.per_node

    @property
    def leader(self):
        """Global rank of the first process on this host."""
        return self.node * self.per_node

    def build_groups(self):
        for first in range(0, self.world, self.per_node):
            members = list(range(first, first + self.per_node))
            group = dist.new_group(members)
            if self.rank in members:
                self.node_group = group
        return self


def connect(per_node=None):
    cuda = torch.cuda.is_available()
    local = int(os.environ["LOCAL_RANK"])
    if cuda:
        torch.cuda.set_device(local)
    dist.init_process_group("nccl" if cuda else "gloo")
    device = torch.device("cuda", local) if cuda else torch.device("cpu")
    per_node = per_node or int(os.environ["LOCAL_WORLD_SIZE"])
    topo = Topology(dist.get_rank(), dist.get_world_size(), per_node, device)
    return topo.build_groups()
