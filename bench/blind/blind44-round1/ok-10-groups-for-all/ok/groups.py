import torch.distributed as dist


class Teams:
    def __init__(self, size):
        world, rank = dist.get_world_size(), dist.get_rank()
        self.mine = self.members = None
        for start in range(0, world, size):
            members = list(range(start, min(start + size, world)))
            group = dist.new_group(members)
            if rank in members:
                self.mine, self.members = group, members
        self.leads = list(range(0, world, size))
        self.lead_group = dist.new_group(self.leads)
        self.is_lead = rank in self.leads

    def share(self, tensor):
        dist.broadcast(tensor, src=self.members[0], group=self.mine)
        return tensor

    def average(self, tensor):
        dist.all_reduce(tensor, group=self.mine)
        tensor /= len(self.members)
        if self.is_lead:
            dist.all_reduce(tensor, group=self.lead_group)
            tensor /= len(self.leads)
        return self.share(tensor)
