import enum

import torch.distributed as dist


class Role(enum.Enum):
    LEADER = "leader"
    FOLLOWER = "follower"

    @classmethod
    def current(cls):
        return cls.LEADER if dist.get_rank() == 0 else cls.FOLLOWER
