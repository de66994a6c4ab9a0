import dataclasses
import json
import secrets
import sys
from pathlib import Path

import torch.distributed as dist


@dataclasses.dataclass(frozen=True)
class Settings:
    width: int = 48
    depth: int = 2
    lr: float = 2e-3
    batch: int = 32


def check_stored(settings, folder):
    """Same settings as when this folder was begun?"""
    stored = folder / "settings.json"
    current = dataclasses.asdict(settings)
    if not stored.exists():
        stored.write_text(json.dumps(current))
        return True
    return json.loads(stored.read_text()) == current


def open_run(settings, folder):
    rank = dist.get_rank()
    name = [None]
    if rank == 0:
        folder.mkdir(parents=True, exist_ok=True)
        if check_stored(settings, folder):
            name[0] = f"{folder.name}-{secrets.token_hex(3)}"
        else:
            print(f"{folder} was begun with other settings", file=sys.stderr)
    dist.broadcast_object_list(name, src=0)
    if name[0] is None:
        dist.destroy_process_group()
        sys.exit(0)
    return name[0]
