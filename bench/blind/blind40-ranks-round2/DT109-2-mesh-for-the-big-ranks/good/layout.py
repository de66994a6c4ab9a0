import dataclasses
from typing import Optional

import torch.distributed as dist
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh


@dataclasses.dataclass
class Layout:
    rank: int
    world: int
    experts: int
    mesh: Optional[DeviceMesh] = None

    @classmethod
    def create(cls, experts, kind):
        self = cls(dist.get_rank(), dist.get_world_size(), experts)
        mesh = init_device_mesh(kind, (self.world // experts, experts), mesh_dim_names=("rest", "expert"))
        # dense-only ranks take no part in the exchange of tokens
        if self.rank < experts:
            self.mesh = mesh["expert"]
        return self

    @property
    def holds_expert(self):
        return self.mesh is not None
