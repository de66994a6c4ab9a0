"""The second opinion: real gloo processes with a short timeout, instead of the recording group."""

from __future__ import annotations

import datetime
import functools
from typing import Any

import torch.distributed as dist
from torch.distributed import distributed_c10d as c10d

from dtlint.trace.torch.install import _check_world, _without_positional
from dtlint.trace.torch.recorder import Recorder


def install_gloo(recorder: Recorder, store_path: str, patience: float) -> None:
    """Every group becomes a gloo group over a file, so that nothing but the loopback is needed."""
    shared_store = dist.FileStore(store_path, recorder.ranks)
    limit = datetime.timedelta(seconds=patience)
    original_helper = c10d._new_process_group_helper

    @functools.wraps(original_helper)
    def helper(
        size: int, rank: int, ranks: Any, backend: Any, store: Any, name: Any, *args: Any, **keywords: Any
    ) -> Any:
        given = {**_without_positional(args, keywords), "timeout": limit}
        return original_helper(size, rank, ranks, "gloo", store, name, **given)

    c10d._new_process_group_helper = helper

    def rendezvous(url: str, rank: int = -1, world_size: int = -1, **_: Any) -> Any:
        _check_world(recorder, rank, world_size)
        shared_store.set_timeout(limit)
        return iter([(dist.PrefixStore("default", shared_store), recorder.rank, recorder.ranks)])

    c10d.rendezvous = rendezvous
    original_init = c10d.init_process_group

    @functools.wraps(original_init)
    def init_process_group(backend: Any = None, *args: Any, **keywords: Any) -> Any:
        keywords.pop("device_id", None)
        return original_init("gloo", *args, **keywords)

    c10d.init_process_group = dist.init_process_group = init_process_group
