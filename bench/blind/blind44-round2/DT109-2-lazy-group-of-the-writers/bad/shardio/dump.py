import json
import os

import torch

from .writers import Writers


def dump(state, folder, per_node):
    writers = Writers(per_node)
    if writers.chosen:
        path = os.path.join(folder, f"shard{writers.rank:04d}.pt")
        torch.save(state, path)
        rows = writers.manifest(path, os.path.getsize(path))
        if writers.rank == 0:
            with open(os.path.join(folder, "manifest.json"), "w") as f:
                json.dump(rows, f)
