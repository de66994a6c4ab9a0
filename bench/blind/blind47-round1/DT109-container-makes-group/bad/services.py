import os

import torch
import torch.distributed as dist


class World:
    def __init__(self):
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
        dist.init_process_group("nccl")
        self.rank = dist.get_rank()
        self.size = dist.get_world_size()

    @property
    def lead(self):
        return self.rank == 0


class Reporter:
    def __init__(self, world):
        self.world = world
        self.group = dist.new_group(backend="gloo")
        self.lines = []

    def add(self, text):
        self.lines.append(text)

    def flush(self, path):
        with open(path, "a") as file:
            file.writelines(line + "\n" for line in self.lines)
        self.lines.clear()
