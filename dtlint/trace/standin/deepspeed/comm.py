"""`deepspeed.comm` has the calls of torch.distributed."""

from __future__ import annotations

from typing import Any

from torch.distributed import *  # noqa: F403
from torch.distributed import destroy_process_group, get_rank, get_world_size, is_initialized  # noqa: F401


def init_distributed(*args: Any, **keywords: Any) -> None:
    from deepspeed import init_distributed as begin

    begin(*args, **keywords)
