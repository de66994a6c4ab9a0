import torch
import torch.distributed as dist


class Hierarchy:
    """Reduce inside a node, exchange between leaders, hand the result back to the node."""

    def __init__(self, per_node):
        rank, world = dist.get_rank(), dist.get_world_size()
        self.world = world
        self.leader = rank - rank % per_node
        self.is_leader = rank == self.leader
        nodes = [list(range(start, start + per_node)) for start in range(0, world, per_node)]
        groups = [dist.new_group(members) for members in nodes]
        self.local = next(g for g, members in zip(groups, nodes) if rank in members)
        self.leaders = dist.new_group([members[0] for members in nodes])

    def average(self, tensor):
        dist.reduce(tensor, dst=self.leader, group=self.local)
        if self.is_leader:
            dist.all_reduce(tensor, group=self.leaders)
            tensor /= self.world
        dist.broadcast(tensor, src=self.leader, group=self.local)
        return tensor
