import dataclasses

import torch.distributed as dist
import yaml


@dataclasses.dataclass
class Settings:
    batch_size: int
    epochs: int
    lr: float

    @classmethod
    def read(cls, path):
        with open(path) as file:
            raw = yaml.safe_load(file)
        per_rank = raw["data"]["global_batch_size"] // dist.get_world_size()
        return cls(batch_size=per_rank, epochs=raw["data"]["epochs"], lr=raw["optim"]["lr"])
