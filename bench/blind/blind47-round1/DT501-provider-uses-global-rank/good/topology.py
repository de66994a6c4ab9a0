import os

import attrs
import torch
import torch.distributed as dist


@attrs.frozen
class Topology:
    rank: int = attrs.field(converter=int)
    local_rank: int = attrs.field(converter=int)
    world: int = attrs.field(converter=int)

    @classmethod
    def from_environment(cls) -> "Topology":
        e = os.environ
        return cls(e["RANK"], e["LOCAL_RANK"], e["WORLD_SIZE"])


@attrs.define
class Devices:
    topology: Topology

    def mine(self) -> torch.device:
        return torch.device("cuda", self.topology.local_rank)

    def claim(self) -> torch.device:
        device = self.mine()
        torch.cuda.set_device(device)
        return device
