from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.distributed as dist


@dataclass(order=True)
class Command:
    priority: int
    number: int
    body: Any = field(compare=False)


class Agenda:
    def __init__(self):
        self._heap, self._count = [], itertools.count()

    def plan(self, body, priority=10):
        heapq.heappush(self._heap, Command(priority, next(self._count), body))

    def run(self, context):
        while self._heap:
            heapq.heappop(self._heap).body(context)


class ReduceLoss:
    def __call__(self, context):
        dist.all_reduce(context["loss"])
        context["loss"] /= dist.get_world_size()


class ReduceCount:
    def __call__(self, context):
        dist.all_reduce(context["count"])


class Show:
    def __call__(self, context):
        print({k: v.item() for k, v in context.items()})
