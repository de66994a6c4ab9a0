"""In which words are the programs written? Two ways: functions that hand their rank on, and a class that keeps it."""

from __future__ import annotations

from dataclasses import dataclass

OPTIONS = ("a", "b", "c")  # what is told on the command line, alike to all ranks
CALLS = ("dist.barrier()", "dist.all_reduce(tensor)", "dist.broadcast(tensor, 0)")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    name: str
    ranks: tuple[str, ...]  # questions that the ranks answer differently
    flags: tuple[str, ...]  # questions that they answer alike
    calls: tuple[str, ...]
    helpers: tuple[str, ...]  # how the two helpers are called
    definitions: tuple[str, ...]  # the first line of each helper
    items: str
    members: str  # what the ranks of the pair answer yes to
    pair: str  # a call that only they make
    sends: tuple[str, str, str, str]  # who sends, the call, who receives, the call
    around: tuple[str, str]  # context managers: all meet at the end; the first rank goes first
    before: str  # what stands above the helpers
    main: str  # the first lines of what is run
    after: str
    depth: int  # of indentation inside a function


HEAD = """import argparse
import random
from contextlib import contextmanager

import torch
import torch.distributed as dist


def lead():
    return dist.get_rank() == 0


def agreed(value):
    box = [value]
    dist.broadcast_object_list(box, src=0)
    return box[0]


@contextmanager
def together():
    yield
    dist.barrier()


@contextmanager
def first_of_all(rank):
    if rank != 0:
        dist.monitored_barrier()
    yield
    if rank == 0:
        dist.monitored_barrier()

"""
TAIL = """

def start():
    parser = argparse.ArgumentParser()
    parser.add_argument("--a", action="store_true")
    parser.add_argument("--b", action="store_true")
    parser.add_argument("--c", action="store_true")
    parser.add_argument("--items", nargs="*")
    options = parser.parse_args()
    dist.init_process_group("gloo")
    run(options)
    dist.destroy_process_group()


if __name__ == "__main__":
    start()
"""

FUNCTIONS = Vocabulary(
    name="functions",
    ranks=("rank == 0", "rank != 0", "rank < 2", "dist.get_rank() == 1", "lead()", "not lead()"),
    flags=("options.a", "options.b", "options.c", "not options.a", "not options.b"),
    calls=CALLS,
    helpers=("prepare(options, rank, tensor, pair)", "finish(options, rank, tensor, pair)"),
    definitions=("def prepare(options, rank, tensor, pair):", "def finish(options, rank, tensor, pair):"),
    items="options.items",
    members="rank < 2",
    pair="dist.all_reduce(tensor, group=pair)",
    sends=("rank == 0", "dist.send(tensor, 1)", "rank == 1", "dist.recv(tensor, 0)"),
    around=("together()", "first_of_all(rank)"),
    before=HEAD,
    main="def run(options):\n    rank = dist.get_rank()\n    tensor = torch.ones(1)\n    pair = dist.new_group([0, 1])",
    after=TAIL,
    depth=1,
)

CLASS = Vocabulary(
    name="class",
    ranks=("self.rank == 0", "self.rank != 0", "self.main", "not self.main", "self.is_lead", "lead()", "not lead()"),
    flags=("self.options.a", "self.options.b", "not self.options.a", "self.c", "self.world > 1"),
    calls=tuple(call.replace("tensor", "self.tensor") for call in CALLS),
    helpers=("self.prepare()", "self.finish()"),
    definitions=("    def prepare(self):", "    def finish(self):"),
    items="self.options.items",
    members="self.rank < 2",
    pair="dist.all_reduce(self.tensor, group=self.pair)",
    sends=("self.rank == 0", "dist.send(self.tensor, 1)", "self.rank == 1", "dist.recv(self.tensor, 0)"),
    around=("together()", "first_of_all(self.rank)"),
    before=HEAD
    + """
class Job:
    def __init__(self, options):
        self.options = options
        self.rank = dist.get_rank()
        self.world = dist.get_world_size()
        self.main = self.rank == 0
        self.c = options.c
        self.tensor = torch.ones(1)
        self.pair = dist.new_group([0, 1])

    @property
    def is_lead(self):
        return self.rank == 0
""",
    main="    def run(self):",
    after="\n\ndef run(options):\n    Job(options).run()\n" + TAIL,
    depth=2,
)
