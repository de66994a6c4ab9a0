import torch.distributed as dist

from roles import Role


class Groups:
    def __init__(self):
        self.world = dist.get_world_size()
        self.role = Role.of(dist.get_rank(), self.world)
        self.own = self._make(self.role)

    def _make(self, role):
        half = self.world // 2
        ranks = list(range(half)) if role is Role.TEACHER else list(range(half, self.world))
        return dist.new_group(ranks)
