"""How does every way into torch.distributed end in the recording group? The patches of distributed_c10d."""

from __future__ import annotations

import functools
import os
import sys
from typing import Any

import torch.distributed as dist
from torch.distributed import distributed_c10d as c10d

from dtlint.trace.torch.group import RecordingGroup
from dtlint.trace.torch.recorder import Recorder, Stopped

BACKEND = "dtlint"


def caller_is_torch(depth: int = 2) -> bool:
    name = sys._getframe(depth).f_globals.get("__name__", "")
    return name == "torch" or name.startswith("torch.")


def install(recorder: Recorder, store_path: str) -> None:
    """Patch this rank's torch.distributed. Every import of torch happened before."""
    requested: dict[str, str] = {"": "gloo"}
    shared_store = dist.FileStore(store_path, -1)

    def create(options: Any, _: Any) -> RecordingGroup:
        members = list(options.global_ranks_in_group) or list(range(recorder.ranks))
        return RecordingGroup(options.group_rank, options.group_size, str(options.group_id), members, recorder)

    dist.Backend.register_backend(BACKEND, create, extended_api=True, devices=["cpu", "cuda"])
    original_helper = c10d._new_process_group_helper

    @functools.wraps(original_helper)
    def helper(
        size: int, rank: int, ranks: Any, backend: Any, store: Any, name: Any, *args: Any, **keywords: Any
    ) -> Any:
        asked = str(backend or "").lower()
        requested[str(name)] = "nccl" if "nccl" in asked or asked == "undefined" else (asked or "gloo")
        recorder.buffered_sends = "nccl" not in requested[str(name)]
        if not list(ranks):
            # joining the job is a meeting of all ranks, as the real rendezvous is
            everybody = list(range(recorder.ranks))
            recorder.post("init_process_group", "rendezvous", everybody, {}, [], detail=requested[str(name)])
        return original_helper(size, rank, ranks, BACKEND, store, name, **_without_positional(args, keywords))

    c10d._new_process_group_helper = helper

    def rendezvous(url: str, rank: int = -1, world_size: int = -1, **_: Any) -> Any:
        own = rank if rank >= 0 else int(os.environ.get("RANK", recorder.rank))
        ranks = world_size if world_size > 0 else int(os.environ.get("WORLD_SIZE", recorder.ranks))
        _check_world(recorder, own, ranks)
        return iter([(dist.PrefixStore("default", shared_store), own, ranks)])

    c10d.rendezvous = rendezvous
    original_init = c10d.init_process_group

    @functools.wraps(original_init)
    def init_process_group(backend: Any = None, *args: Any, **keywords: Any) -> Any:
        if keywords.get("store") is not None or (len(args) > 4 and args[4] is not None):
            # a store of the script's own: the ranks meet in ours
            keywords["store"] = dist.PrefixStore("own", shared_store)
            _check_world(recorder, int(keywords.get("rank", -1)), int(keywords.get("world_size", -1)))
        keywords.pop("device_id", None)
        return original_init(backend, *args, **keywords)

    c10d.init_process_group = dist.init_process_group = init_process_group
    c10d._store_based_barrier = lambda *_, **__: None
    _record_new_groups(recorder)
    _answer_with_requested_names(requested)
    dist.TCPStore = c10d.TCPStore = lambda *_, **__: dist.PrefixStore("tcp", shared_store)
    for name in ("is_nccl_available", "is_gloo_available"):
        setattr(dist, name, (lambda: True))
        setattr(c10d, name, (lambda: True))
    dist.monitored_barrier = c10d.monitored_barrier = lambda group=None, *_, **__: (
        group or c10d._get_default_group()
    ).monitored_barrier()


def _without_positional(args: tuple[Any, ...], keywords: dict[str, Any]) -> dict[str, Any]:
    """Arguments after the group name, as keywords: the caller may give them either way."""
    names = ("backend_options", "timeout", "pg_tag", "device_id", "group_desc")
    given = dict(zip(names, args, strict=False))
    # options and devices belong to the backend that was asked for, not to ours
    return {**given, **keywords, "backend_options": None, "device_id": None}


def _check_world(recorder: Recorder, rank: int, ranks: int) -> None:
    """A script that insists on another number of ranks is run again with that number."""
    if ranks > 0 and ranks != recorder.ranks:
        recorder.tell({"type": "needs", "ranks": ranks})
        raise Stopped("needs")
    del rank


def _record_new_groups(recorder: Recorder) -> None:
    original = c10d._new_group_with_tag

    @functools.wraps(original)
    def new_group(ranks: Any = None, *args: Any, **keywords: Any) -> Any:
        # all ranks must come here, members or not: names only match when the order does
        default = c10d._get_default_group()
        listed = sorted(int(rank) for rank in ranks) if ranks is not None else list(range(recorder.ranks))
        if isinstance(default, RecordingGroup) and not keywords.get("use_local_synchronization"):
            signature = {"ranks": listed}
            recorder.post("new_group", default.label, default.members, signature, [], detail=f"ranks {listed}")
        return original(ranks, *args, **keywords)

    c10d._new_group_with_tag = new_group


def _answer_with_requested_names(requested: dict[str, str]) -> None:
    """`get_backend()` tells a script what it asked for, and torch what it really has."""
    original = c10d.get_backend

    def get_backend(group: Any = None) -> Any:
        if caller_is_torch():
            return original(group)
        chosen = group if group is not None else c10d._get_default_group()
        return requested.get(getattr(chosen, "label", ""), "gloo")

    c10d.get_backend = dist.get_backend = get_backend
