import enum

import torch.distributed as dist


class Role(enum.Enum):
    LEAD = "lead"
    REPLICA = "replica"


def current_role() -> Role:
    return Role.LEAD if dist.get_rank() == 0 else Role.REPLICA
