import re
import shutil
from pathlib import Path

import torch
import torch.distributed as dist

STEP = re.compile(r"step_(\d+)$")


def unfinished(folder):
    return [path for path in folder.glob("step_*") if not (path / "DONE").exists()]


def newest(folder):
    steps = [(int(found.group(1)), path) for path in folder.glob("step_*") if (found := STEP.search(path.name))]
    return max(steps, default=(0, None))


def prepare(folder):
    """Where to go on: the last step that was saved whole, and its folder."""
    folder = Path(folder)
    if dist.get_rank() == 0:
        folder.mkdir(parents=True, exist_ok=True)
        for path in unfinished(folder):
            shutil.rmtree(path)
    return newest(folder)


def save(folder, step, state):
    target = Path(folder) / f"step_{step}"
    if dist.get_rank() == 0:
        target.mkdir(parents=True, exist_ok=True)
        torch.save(state, target / "state.pt")
        (target / "DONE").touch()
    dist.barrier()
