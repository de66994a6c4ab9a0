from pathlib import Path

import torch
import torch.distributed as dist


class Broken(ValueError):
    pass


def numbers(line, width):
    parts = line.split(",")
    if len(parts) != width:
        raise Broken(f"{len(parts)} columns")
    return torch.tensor([float(p) for p in parts])


class OwnLines:
    def __init__(self, folder, width):
        text = (Path(folder) / f"part{dist.get_rank():02d}.csv").read_text()
        self.lines = text.splitlines()
        self.width = width
        shortest = torch.tensor(len(self.lines))
        dist.all_reduce(shortest, op=dist.ReduceOp.MIN)
        self.count = int(shortest)

    def __iter__(self):
        for line in self.lines[: self.count]:
            try:
                yield numbers(line, self.width)
            except Broken:
                yield torch.zeros(self.width)
