import datetime
import pathlib
import uuid
from dataclasses import dataclass

import torch.distributed as dist


@dataclass(frozen=True)
class Identity:
    name: str
    folder: pathlib.Path
    begun: datetime.datetime
    resume: bool

    @classmethod
    def make(cls, root):
        name = uuid.uuid4().hex[:8]
        root = pathlib.Path(root)
        return cls(name, root / name, datetime.datetime.now(), (root / "latest").exists())


def agreed(root):
    box = [Identity.make(root) if dist.get_rank() == 0 else None]
    dist.broadcast_object_list(box, src=0)
    return box[0]
