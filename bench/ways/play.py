"""Do the ranks part? Four of them run the program, one after the other, for both things that all may be told."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import patch

from bench.drawn.play import RANKS, Rank, all_come


def parts(source: str) -> bool:
    code = compile(source, "way", "exec")
    return any(not all_come(calls_of(code, told) for told in ([(number, flag) for number in range(RANKS)])) for flag in (False, True))


def parted(source: str) -> bool:
    code = compile(source, "way", "exec")
    return any(not alike(code, flag) for flag in (False, True))


def alike(code: Any, flag: bool) -> bool:
    told: list[Any] = []
    return all_come(calls_of(code, Rank(number, told), flag) for number in range(RANKS))


def calls_of(code: Any, rank: Rank, flag: bool) -> tuple[Any, ...]:
    package, module = ModuleType("torch"), ModuleType("torch.distributed")
    package.distributed = module
    for name in ("get_rank", "get_world_size", "barrier", "broadcast_object_list"):
        setattr(module, name, getattr(rank, name))
    names = {"__name__": "way", "print": lambda *words: None}
    way = ModuleType("way")
    vars(way).update(names)
    with patch.dict(sys.modules, {"torch": package, "torch.distributed": module, "way": way}):
        exec(code, vars(way))
        vars(way)["run"](SimpleNamespace(a=flag, b=not flag, c=False, items=[]))
    return tuple(rank.calls)
